/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(word: string): string {
  return `'${word.replace(/'/g, `'\\''`)}'`;
}
