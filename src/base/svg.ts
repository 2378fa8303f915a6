/** Width of one character of the 13 px font of {@link svgPicture}, about. */
export const CHARACTER = 7.4;

/** A picture of boxes with text in them. */
export interface Picture {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Rules of CSS for its own classes. */
  readonly light: readonly string[];
  /** What differs of them for readers with a dark theme. */
  readonly dark: readonly string[];
  readonly parts: readonly string[];
}

/**
 * A picture as SVG. Its colours follow the reader's theme; the background has one of its own, because the page around the picture may have another theme than
 * the reader. Boxes have the class `place`.
 */
export function svgPicture({ title, width, height, light, dark, parts }: Picture): string {
  const style = [
    '.back { fill: #ffffff; }',
    'text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }',
    '.small { font-size: 11px; fill: #59636e; }',
    '.place { stroke: #818b98; fill: none; }',
    ...light,
    '@media (prefers-color-scheme: dark) {',
    '  .back { fill: #0d1117; }',
    '  text { fill: #f0f6fc; }',
    '  .small { fill: #9198a1; }',
    '  .place { stroke: #656c76; }',
    ...dark.map((rule) => `  ${rule}`),
    '}',
  ];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<style>\n${style.join('\n')}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="6"/>`,
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

/** Text in a picture. */
export function svgText(x: number, y: number, content: string, style?: string): string {
  return `<text${style === undefined ? '' : ` class="${style}"`} x="${x}" y="${y}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  const known: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  // XML has no way to write control characters
  return content.replace(/[&<>]/g, (character) => known[character] ?? '').replace(/[\u0000-\u0008\u000b-\u001f]/g, '?');
}
