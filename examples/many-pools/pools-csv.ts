import type { EdgeProblem, NodePoolProps } from 'edge-nodepools';
import type { Taint } from 'edge-nodepools/types';

/** The columns of the file. All are required, in any order. */
export const COLUMNS = ['poolName', 'type', 'mode', 'site', 'taint', 'expectedNodes', 'contact'] as const;

export type Column = (typeof COLUMNS)[number];

/** A problem in the file: its position, and what to write. Lines and columns start at 1. */
export interface CsvProblem {
  readonly line: number;
  readonly column: number;
  /** Name of the column; undefined for a problem of the whole line. */
  readonly name?: Column;
  readonly message: string;
  readonly hint: string;
}

/** One pool of the file. */
export interface PoolRow {
  readonly line: number;
  /** Column at which each field starts. */
  readonly columns: Readonly<Record<Column, number>>;
  readonly mode: 'host-network' | 'regular';
  readonly type?: 'Edge' | 'Cloud';
  readonly props: Omit<NodePoolProps, 'cluster'>;
}

/** All problems of a file. */
export class PoolsFileError extends Error {
  public readonly problems: readonly CsvProblem[];

  constructor(file: string, problems: readonly CsvProblem[]) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    const lines = sorted.map(
      ({ line, column, name, message, hint }) =>
        `${file}:${line}:${column}: ${name === undefined ? '' : `${name}: `}${message}\n    -> ${hint}`,
    );
    super(`${file}: ${count(sorted.length, 'problem')}, nothing was written\n${lines.join('\n')}`);
    this.name = 'PoolsFileError';
    this.problems = sorted;
  }
}

interface Field {
  readonly text: string;
  readonly column: number;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** The fields of one line as in RFC 4180, except that a field cannot contain a line break. */
function fieldsOf(text: string, line: number, problems: CsvProblem[]): Field[] | undefined {
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/y;
  const fields: Field[] = [];
  for (let start = 0; start <= text.length; start = field.lastIndex + 1) {
    field.lastIndex = start;
    const match = field.exec(text);
    if (match === null) {
      const message = 'a quote is not closed, or is in the middle of a field';
      problems.push({
        line,
        column: start + 1,
        message,
        hint: 'write the whole field in quotes, and a quote in it as ""',
      });
      return undefined;
    }
    fields.push({ text: (match[1]?.replace(/""/g, '"') ?? match[2] ?? '').trim(), column: start + 1 });
  }
  return fields;
}

/** Reads the pools of a file. Names, labels and taints are checked by the pools. */
export function readPools(text: string): { rows: PoolRow[]; problems: CsvProblem[] } {
  const problems: CsvProblem[] = [];
  const rows: PoolRow[] = [];
  let header: Column[] | undefined;
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((content, index) => {
      const line = index + 1;
      const fields = content.trim() === '' ? undefined : fieldsOf(content, line, problems);
      if (fields === undefined) {
        return;
      }
      if (header === undefined) {
        header = headerOf(fields, line, problems);
        return;
      }
      const row = header.length === 0 ? undefined : rowOf(header, fields, line, content, problems);
      if (row !== undefined) {
        rows.push(row);
      }
    });
  return { rows, problems };
}

/** The column names in order; empty if one is missing or unknown, because then no line can be parsed. */
function headerOf(fields: readonly Field[], line: number, problems: CsvProblem[]): Column[] {
  const names = fields.map(({ text }) => text);
  const complete = names.length === COLUMNS.length && COLUMNS.every((name) => names.includes(name));
  if (!complete) {
    problems.push({
      line,
      column: 1,
      message: 'the first line must name the columns',
      hint: `write ${COLUMNS.join(',')}`,
    });
    return [];
  }
  return names as Column[];
}

function rowOf(
  header: readonly Column[],
  fields: readonly Field[],
  line: number,
  content: string,
  problems: CsvProblem[],
): PoolRow | undefined {
  if (fields.length !== header.length) {
    problems.push({
      line,
      column: fields[header.length]?.column ?? content.length + 1,
      message: `the line has ${count(fields.length, 'field')}, the header has ${header.length}`,
      hint: 'write one field per column: an empty one is fine, one with a comma in it needs quotes',
    });
    return undefined;
  }
  const at = (name: Column): Field => fields[header.indexOf(name)] as Field;
  const cell = (name: Column): string => at(name).text;
  const report = (name: Column, message: string, hint: string): void => {
    problems.push({ line, column: at(name).column, name, message, hint });
  };
  const mode = cell('mode');
  if (mode !== 'host-network' && mode !== 'regular') {
    report('mode', `${JSON.stringify(mode)} is not a mode`, 'write host-network or regular');
    return undefined;
  }
  const nodes = cell('expectedNodes');
  if (!/^\d*$/.test(nodes)) {
    report(
      'expectedNodes',
      `${JSON.stringify(nodes)} is not a number of nodes`,
      'write a whole number, or leave it empty',
    );
  }
  const taints = taintsOf(cell('taint'));
  return {
    line,
    columns: Object.fromEntries(COLUMNS.map((name) => [name, at(name).column])) as Record<Column, number>,
    mode,
    type: (cell('type') || undefined) as PoolRow['type'],
    props: {
      poolName: cell('poolName'),
      ...(cell('site') === '' ? {} : { labels: { 'retail.example/site': cell('site') } }),
      ...(cell('contact') === '' ? {} : { annotations: { 'retail.example/contact': cell('contact') } }),
      ...(taints.length === 0 ? {} : { taints }),
      ...(/^\d+$/.test(nodes) ? { expectedNodes: Number(nodes) } : {}),
    },
  };
}

/** `key=value:effect;key:effect`, as kubectl writes taints. */
function taintsOf(text: string): Taint[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, key = '', value, effect] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/.exec(part) ?? ['', part];
      return { key, ...(value === undefined ? {} : { value }), ...(effect === undefined ? {} : { effect }) } as Taint;
    });
}

const COLUMN_OF_PROPERTY: Readonly<Record<string, Column>> = {
  poolName: 'poolName',
  type: 'type',
  labels: 'site',
  annotations: 'contact',
  taints: 'taint',
  expectedNodes: 'expectedNodes',
};

/** A problem of a pool, with its position in the file. */
export function locate(row: PoolRow, { path, message, hint }: EdgeProblem): CsvProblem {
  const [property = ''] = /^\w+/.exec(path) ?? [];
  const name = COLUMN_OF_PROPERTY[property] ?? 'poolName';
  return { line: row.line, column: row.columns[name], name, message, hint };
}
