/**
 * Pieces of a text as lines, each as full as possible.
 *
 * @param separator between two pieces of a line
 * @param width most characters of a line, unless a piece has more
 * @param used characters that stand before the first line
 */
export function fillLines(pieces: readonly string[], separator: string, width: number, used = 0): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    const before = lines.length === 1 ? used : 0;
    if (line === undefined || before + line.length + separator.length + piece.length > width) {
      lines.push(piece);
    } else {
      lines[lines.length - 1] = `${line}${separator}${piece}`;
    }
  }
  return lines;
}
