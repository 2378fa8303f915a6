/** A wave with its sites. */
interface Wave {
  readonly wave: number;
  readonly sites: readonly string[];
}

const [ROW, HEAD, MARGIN, GAP] = [22, 40, 12, 36];
/** Width of one character of the 13 px font, about. */
const CHARACTER = 7.4;
const MOST_SITES = 12;

/** The colours follow the reader's theme, as those of the picture of a fleet. */
const STYLE = `
.back { fill: #ffffff; }
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
.small { font-size: 11px; fill: #59636e; }
.wave { stroke: #818b98; fill: none; }
.then { stroke: #59636e; stroke-width: 1.5; fill: none; }
@media (prefers-color-scheme: dark) {
  .back { fill: #0d1117; }
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .wave, .then { stroke: #656c76; }
}`;

/** Waves beside each other, each with its sites; an arrow leads to the next. */
export function wavesPicture(waves: readonly Wave[]): string {
  const lines = waves.map(({ sites }) => [
    ...sites.slice(0, MOST_SITES),
    ...(sites.length > MOST_SITES ? [`and ${sites.length - MOST_SITES} more`] : []),
  ]);
  const longest = Math.max(10, ...lines.flat().map((line) => line.length));
  const width = Math.ceil(longest * CHARACTER) + 2 * MARGIN;
  const height = HEAD + Math.max(1, ...lines.map((list) => list.length)) * ROW;
  const all = [MARGIN + waves.length * (width + GAP) - GAP + MARGIN, height + 2 * MARGIN];
  const places = waves.map(({ wave, sites }, index) => {
    const x = MARGIN + index * (width + GAP);
    const middle = MARGIN + height / 2;
    return [
      `<rect class="wave" x="${x}" y="${MARGIN}" width="${width}" height="${height}" rx="8"/>`,
      text(x + MARGIN, MARGIN + 18, waves.length === 1 ? 'all at once' : `wave ${wave}`),
      text(x + MARGIN, MARGIN + 33, `${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`, 'small'),
      ...(lines[index] ?? []).map((line, row) => text(x + MARGIN, MARGIN + HEAD + row * ROW + 14, line)),
      ...(index + 1 < waves.length
        ? [`<path class="then" d="M ${x + width + 6} ${middle} h ${GAP - 14} m -6 -5 l 6 5 l -6 5"/>`]
        : []),
    ].join('');
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${all[0]}" height="${all[1]}" viewBox="0 0 ${all[0]} ${all[1]}">`,
    '<title id="title">In which order a change reaches the sites</title>',
    `<style>${STYLE}\n</style>`,
    `<rect class="back" width="${all[0]}" height="${all[1]}" rx="6"/>`,
    ...places,
    '</svg>',
  ].join('\n')}\n`;
}

/** Names of sites have no character that XML reads. */
function text(x: number, y: number, content: string, style?: string): string {
  return `<text${style === undefined ? '' : ` class="${style}"`} x="${x}" y="${y}">${content}</text>`;
}
