import { quoteForShell } from './shell.js';
import { SHELL } from './shell-files.js';

/** A value of a variable: a text, a number, or lines; undefined leaves the variable out. */
export type ShellValue = string | number | readonly string[] | undefined;

/** A subject of a script: the functions that are its steps, what they read, and the files in which they are. */
export interface ShellSteps {
  readonly steps: readonly string[];
  readonly variables: Readonly<Record<string, ShellValue>>;
  readonly parts: readonly string[];
}

/** Several subjects, in their order; a file that several need is there once. */
export function together(...subjects: readonly ShellSteps[]): ShellSteps {
  return {
    steps: subjects.flatMap(({ steps }) => steps),
    variables: Object.assign({}, ...subjects.map(({ variables }) => variables)) as ShellSteps['variables'],
    parts: [...new Set(subjects.flatMap(({ parts }) => parts))],
  };
}

/** A subject without files of others: its values, its files, and a call of each step, which returns if it fails. */
export function stepLines({ steps, variables, parts }: ShellSteps): string[] {
  return [...prologue(variables), ...parts.map((part) => part.trimEnd()), ...steps.map((step) => `${step} || return`)];
}

/** What a script for a machine consists of. */
export interface ShellScript {
  /** Comments at the beginning: where it comes from, and what it is for. */
  readonly comments: readonly string[];
  /** Exported variables, for example the proxy. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What varies: the prologue. The files read these variables and are never changed. */
  readonly variables?: Readonly<Record<string, ShellValue>>;
  /** Texts of `.sh` files (`SHELL` of shell-files.ts) in their order: functions first, what runs last. */
  readonly parts: readonly string[];
}

/**
 * A POSIX script for a machine: what varies is in one quoted prologue, and what it does in whole `.sh` files, of which those are left out that it does not
 * need.
 */
export function shellScript({ comments, environment = {}, variables = {}, parts }: ShellScript): string {
  const head = [
    '#!/bin/sh',
    ...comments.flatMap(wrapped),
    SHELL['head.sh'].trimEnd(),
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    ...prologue(variables),
  ];
  return `${[...head, ...parts.map((part) => part.trimEnd())].join('\n')}\n`;
}

// of 120, with the indentation of a cloud-config
const WIDTH = 114;

/** A comment as lines that fit a screen. */
function wrapped(comment: string): string[] {
  return filled(comment.split(' ')).map((line) => `# ${line}`);
}

/** Assignments, each value as one quoted word; short ones are side by side. */
export function prologue(variables: Readonly<Record<string, ShellValue>>): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const assignment = value === undefined ? '' : `${name}=${word(value)}`;
    const line = lines.at(-1) ?? '';
    if (line !== '' && !/\n/.test(line + assignment) && line.length + assignment.length < WIDTH) {
      lines[lines.length - 1] = `${line} ${assignment}`.trimEnd();
    } else if (assignment !== '') {
      lines.push(assignment);
    }
  }
  return lines;
}

/** Words of a list are side by side in lines that fit a screen; if one has a blank, each is a line. */
function word(value: string | number | readonly string[]): string {
  const text =
    typeof value !== 'object' ? String(value) : /\s/.test(value.join('')) ? value.join('\n') : filled(value).join('\n');
  return /^[A-Za-z0-9_@%+:,./-]+$/.test(text) ? text : quoteForShell(text);
}

/** Words as lines that fit a screen. */
function filled(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const piece of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + piece.length >= WIDTH) {
      lines.push(piece);
    } else {
      lines[lines.length - 1] = `${line} ${piece}`;
    }
  }
  return lines;
}
