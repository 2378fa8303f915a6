import type { CorefileToken } from './token.js';

/** The content of two braces. */
export interface CorefileBlock {
  readonly open: CorefileToken;
  readonly entries: readonly CorefileEntry[];
  readonly close: CorefileToken;
}

/** A directive, or a line inside of one: words and blocks. */
export interface CorefileEntry {
  readonly parts: readonly (CorefileToken | CorefileBlock)[];
}

/** A server block, or a snippet. Without braces it extends to the end of the file. */
export interface CorefileServer {
  readonly kind: 'server' | 'snippet';
  readonly keys: readonly CorefileToken[];
  readonly open?: CorefileToken;
  readonly entries: readonly CorefileEntry[];
  readonly close?: CorefileToken;
}

/** An `import` outside of any block. */
export interface CorefileImport {
  readonly kind: 'import';
  readonly entry: CorefileEntry;
}

/** A whole Corefile. */
export interface CorefileTree {
  readonly items: readonly (CorefileServer | CorefileImport)[];
  /** Text after the last word. */
  readonly trailing: string;
}

export function isBlock(part: CorefileToken | CorefileBlock): part is CorefileBlock {
  return 'entries' in part;
}

/** The words of an entry outside of its blocks; the first is its name. */
export function wordsOf(entry: CorefileEntry): string[] {
  return entry.parts.flatMap((part) => (isBlock(part) ? [] : [part.text]));
}

/** The lines in the blocks of an entry. */
export function linesOf(entry: CorefileEntry): readonly CorefileEntry[] {
  return entry.parts.flatMap((part) => (isBlock(part) ? part.entries : []));
}

/** The first word of an entry; every entry has one. */
export function firstToken(entry: CorefileEntry): CorefileToken {
  const [first] = entry.parts;
  return isBlock(first as CorefileToken) ? (first as unknown as CorefileBlock).open : (first as CorefileToken);
}

/** The text of a Corefile. For a tree that was parsed and not changed, it has the same bytes. */
export function printTree({ items, trailing }: CorefileTree): string {
  return items.map(printItem).join('') + trailing;
}

function printItem(item: CorefileServer | CorefileImport): string {
  if (item.kind === 'import') {
    return printEntry(item.entry);
  }
  const ends = (token: CorefileToken | undefined): string => (token === undefined ? '' : printToken(token));
  return [...item.keys.map(printToken), ends(item.open), ...item.entries.map(printEntry), ends(item.close)].join('');
}

function printEntry(entry: CorefileEntry): string {
  return entry.parts
    .map((part) =>
      isBlock(part)
        ? [printToken(part.open), ...part.entries.map(printEntry), printToken(part.close)].join('')
        : printToken(part),
    )
    .join('');
}

function printToken({ leading, raw }: CorefileToken): string {
  return leading + raw;
}

/** Addresses and line of a server block, for messages. */
export function placeOf(server: CorefileServer): string {
  const line = server.keys[0]?.line ?? 0;
  const name = server.keys.map(({ text }) => text).join(' ');
  return line === 0 ? name : `${name} (line ${line})`;
}

export function lineOf(server: CorefileServer, index: number): number {
  const entry = server.entries[index];
  return entry === undefined ? 0 : firstToken(entry).line;
}
