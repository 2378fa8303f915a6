/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(word: string): string {
  return `'${word.replace(/'/g, `'\\''`)}'`;
}

/** A command for a POSIX shell from its words: each word is quoted unless it consists of letters that no shell reads in any way. */
export function shellCommand(...words: readonly string[]): string {
  return words.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteForShell(word))).join(' ');
}

/** A text as lines of a comment, however many lines it has. */
export function shellComment(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => `# ${line}`);
}
