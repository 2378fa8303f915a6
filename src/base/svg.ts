/** Widths of characters of Helvetica, with which Arial and Liberation Sans agree, in thousandths of the size of the font. */
const WIDTHS = new Map(
  Object.entries({
    191: "'",
    222: 'ijl',
    260: '|',
    278: ' !,./:;I[\\]ft',
    333: '()-`r',
    334: '{}',
    355: '"',
    389: '*',
    469: '^',
    500: 'Jcksvxyz',
    584: '+<=>~',
    611: 'FTZ',
    667: '&ABEKPSVXY',
    722: 'CDHNRUw',
    778: 'GOQ',
    833: 'Mm',
    889: '%',
    944: 'W',
    1015: '@',
  }).flatMap(([width, characters]) => [...characters].map((each) => [each, Number(width)] as const)),
);

/** Sizes of fonts in pictures. */
const [SIZE, SMALL] = [13, 11];

/** Width of a text in a picture. What is no Latin character may be as wide as high. */
export function textWidth(text: string, style?: string): number {
  const units = [...text].reduce((sum, each) => sum + (WIDTHS.get(each) ?? (each > '\u02ff' ? 1000 : 556)), 0);
  return Math.ceil((units * (style === 'small' ? SMALL : SIZE)) / 100) / 10;
}

/** The text, or as much of its beginning as has the width. */
export function fittedText(text: string, width: number, style?: string): string {
  const characters = [...text];
  const fits = (count: number): boolean => textWidth(`${characters.slice(0, count).join('')}…`, style) <= width;
  if (textWidth(text, style) <= width) {
    return text;
  }
  let count = Math.min(characters.length, Math.ceil(width / 2));
  while (count > 0 && !fits(count)) {
    count -= 1;
  }
  return `${characters.slice(0, count).join('')}…`;
}

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
    `text { font: ${SIZE}px Helvetica, Arial, 'Liberation Sans', sans-serif; fill: #1f2328; }`,
    `.small { font-size: ${SMALL}px; fill: #59636e; }`,
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
    `<title id="title">${svgEscaped(title)}</title>`,
    `<style>\n${style.join('\n')}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="6"/>`,
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

/** Text in a picture, as wide as it was measured, whatever font the reader has. */
export function svgText(x: number, y: number, content: string, style?: string): string {
  const width = `textLength="${textWidth(content, style)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text${style === undefined ? '' : ` class="${style}"`} x="${x}" y="${y}" ${width}>${svgEscaped(content)}</text>`;
}

/** Text as it is written in XML. */
export function svgEscaped(content: string): string {
  const known: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  // XML has no way to write control characters
  return content.replace(/[&<>]/g, (character) => known[character] ?? '').replace(/[\u0000-\u0008\u000b-\u001f]/g, '?');
}
