import { visible } from './errors.js';

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
  return text.split(/\r\n|\r|\n/).map((line) => `# ${visible(line)}`);
}

/** A repair that a script does. */
export interface Repair {
  /** What is wrong. */
  readonly what: string;
  /** Shell commands that repair it. */
  readonly commands: readonly string[];
  /** Why the commands are only comments of the script, and what to do.
   * @default - the script runs them */
  readonly byHand?: string;
}

/** A script that does repairs one after the other. */
export function repairScript(title: string, repairs: readonly Repair[]): string {
  const lines = repairs.flatMap(({ what, commands, byHand }) => [
    '',
    ...shellComment(what),
    ...(byHand === undefined ? commands : [...shellComment(byHand), ...commands.flatMap(shellComment)]),
  ]);
  return `${['#!/bin/sh', `# ${title}`, 'set -eu', ...lines].join('\n')}\n`;
}
