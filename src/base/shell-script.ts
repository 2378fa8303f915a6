import { fillLines } from './fill-lines.js';
import { quoteForShell } from './shell.js';
import { shell } from './shell-parts.js';

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

/** A subject as a script of its own, without the lines at the beginning of one. */
export function stepsScript({ steps, variables, parts }: ShellSteps): string {
  return [...prologue({ ...variables, steps }), ...parts, shell('steps')].map((part) => part.trimEnd()).join('\n');
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
    shell('head').trimEnd(),
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${listForShell(value, name.length + 10)}`),
    ...prologue(variables),
  ];
  return `${[...head, ...parts.map((part) => part.trimEnd())].join('\n')}\n`;
}

// of 120, with the indentation of a cloud-config
const WIDTH = 114;

/** A comment as lines that fit a screen. */
function wrapped(comment: string): string[] {
  return fillLines(comment.split(' '), ' ', WIDTH - 2).map((line) => `# ${line}`);
}

/** Assignments, each value as one quoted word; short ones are side by side. */
export function prologue(variables: Readonly<Record<string, ShellValue>>): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const assignment = value === undefined ? '' : assigned(name, value);
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
function assigned(name: string, value: string | number | readonly string[]): string {
  const used = name.length + 3;
  const text =
    typeof value !== 'object'
      ? String(value)
      : /\s/.test(value.join(''))
        ? value.join('\n')
        : fillLines(value, ' ', WIDTH, used).join('\n');
  return `${name}=${/^[A-Za-z0-9_@%+:,./-]+$/.test(text) && text.length + used <= WIDTH ? text : listForShell(text, used)}`;
}

/**
 * A text as one quoted word. A long list with commas takes several lines, which backslashes join.
 *
 * @param used characters that stand before it
 */
function listForShell(text: string, used: number): string {
  // no text has a NUL
  const parts = text.split('\n').map((line, index) => {
    const pieces = /\s/.test(line) ? [line] : line.split(/(?=,)/);
    return fillLines(pieces, '', WIDTH - 3, index === 0 ? used : 0).join('\0');
  });
  return quoteForShell(parts.join('\n')).replaceAll('\0', "'\\\n'");
}

/** The redirection of a command that reads a text, with the text below it: as it is, so that it can be read. The text ends with a line break. */
export function hereDocument(text: string, word = 'END_OF_FILE'): readonly [redirection: string, below: string] {
  const lines = text.split('\n');
  let end = word;
  while (lines.includes(end)) {
    end += '_';
  }
  return [`<<'${end}'`, `${text}${end}`];
}
