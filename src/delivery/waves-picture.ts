import { CHARACTER, svgPicture, svgText } from '../base/svg.js';

/** A wave with its sites. */
interface Wave {
  readonly wave: number;
  readonly sites: readonly string[];
}

const [ROW, HEAD, MARGIN, GAP] = [22, 40, 12, 36];
const MOST_SITES = 12;

/** Waves beside each other, each with its sites; an arrow leads to the next. */
export function wavesPicture(waves: readonly Wave[]): string {
  const lines = waves.map(({ sites }) => [
    ...sites.slice(0, MOST_SITES),
    ...(sites.length > MOST_SITES ? [`and ${sites.length - MOST_SITES} more`] : []),
  ]);
  const longest = Math.max(10, ...lines.flat().map((line) => line.length));
  const width = Math.ceil(longest * CHARACTER) + 2 * MARGIN;
  const height = HEAD + Math.max(1, ...lines.map((list) => list.length)) * ROW;
  const places = waves.map(({ wave, sites }, index) => {
    const x = MARGIN + index * (width + GAP);
    const middle = MARGIN + height / 2;
    return [
      `<rect class="place" x="${x}" y="${MARGIN}" width="${width}" height="${height}" rx="8"/>`,
      svgText(x + MARGIN, MARGIN + 18, waves.length === 1 ? 'all at once' : `wave ${wave}`),
      svgText(x + MARGIN, MARGIN + 33, `${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`, 'small'),
      ...(lines[index] ?? []).map((line, row) => svgText(x + MARGIN, MARGIN + HEAD + row * ROW + 14, line)),
      ...(index + 1 < waves.length
        ? [`<path class="then" d="M ${x + width + 6} ${middle} h ${GAP - 14} m -6 -5 l 6 5 l -6 5"/>`]
        : []),
    ].join('');
  });
  return svgPicture({
    title: 'In which order a change reaches the sites',
    width: MARGIN + waves.length * (width + GAP) - GAP + MARGIN,
    height: height + 2 * MARGIN,
    light: ['.then { stroke: #59636e; stroke-width: 1.5; fill: none; }'],
    dark: ['.then { stroke: #656c76; }'],
    parts: places,
  });
}
