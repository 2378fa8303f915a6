/** A text as one quoted word for a POSIX shell. */
export function quoteForShell(word: string): string {
  return `'${word.replace(/'/g, `'\\''`)}'`;
}

/** A command for a POSIX shell from its words. A word is quoted unless it has only characters without a meaning for the shell. */
export function shellCommand(...words: readonly string[]): string {
  return words.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteForShell(word))).join(' ');
}

/** A text of any number of lines as comment lines. */
export function shellComment(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => `# ${line}`);
}
