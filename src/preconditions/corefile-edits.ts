import {
  type CorefileEntry,
  type CorefileServer,
  type CorefileToken,
  type CorefileTree,
  checkNotImported,
  firstToken,
  indexOfPlugin,
  isBlock,
  lineOf,
  linesOf,
  placeOf,
  word,
  wordsOf,
} from './corefile-parser.js';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { type Check, type PropertyTable, checkProperties } from '../base/property-table.js';
import { showValue } from '../base/properties.js';

/** Edits of entries that preserve comments, blank lines and indentation. */

/** A line to add: its words, and the lines in its block. */
export interface NewEntry {
  readonly words: readonly string[];
  readonly lines?: readonly (readonly string[])[];
}

const FOUR_SPACES = '    ';

/** `head` is the text on the line of the previous word, `rest` starts with the line break. */
function splitAtLineBreak(leading: string): { readonly head: string; readonly rest: string } | undefined {
  const at = leading.search(/\r?\n/);
  return at < 0 ? undefined : { head: leading.slice(0, at), rest: leading.slice(at) };
}

/** Indentation of a word; undefined if it is not the first word of its line. */
function indentOf(token: CorefileToken): string | undefined {
  const { leading } = token;
  const at = leading.lastIndexOf('\n');
  return at < 0 ? undefined : leading.slice(at + 1);
}

function lineBreakOf(leading: string): string {
  return leading.includes('\r\n') ? '\r\n' : '\n';
}

/** Additional indentation of the lines of a block in this file. */
function stepOf(entries: readonly CorefileEntry[], indent: string): string {
  for (const entry of entries) {
    const [line] = linesOf(entry);
    const inner = line === undefined ? undefined : indentOf(firstToken(line));
    if (inner !== undefined && inner.startsWith(indent) && inner.length > indent.length) {
      return inner.slice(indent.length);
    }
  }
  return FOUR_SPACES;
}

function makeEntry({ words, lines = [] }: NewEntry, leading: string, indent: string, step: string): CorefileEntry {
  const lineBreak = lineBreakOf(leading);
  const line = (texts: readonly string[], before: string): CorefileToken[] =>
    texts.map((text, index) => word(text, index === 0 ? before : ' '));
  const tokens = line(words, leading);
  if (lines.length === 0) {
    return { parts: tokens };
  }
  return {
    parts: [
      ...tokens,
      {
        open: word('{', ' '),
        entries: lines.map((texts) => ({ parts: line(texts, `${lineBreak}${indent}${step}`) })),
        close: word('}', `${lineBreak}${indent}`),
      },
    ],
  };
}

/** A copy of an entry or closing brace with other white space before it. */
function withLeading<T extends CorefileEntry>(entry: T, leading: string): T {
  const [first, ...others] = entry.parts;
  const part = first as CorefileToken;
  const changed = isBlock(part) ? { ...part, open: { ...part.open, leading } } : { ...part, leading };
  return { ...entry, parts: [changed, ...others] };
}

/** The server with a new entry at `index`. */
export function withEntry(server: CorefileServer, index: number, added: NewEntry): CorefileServer {
  const { entries, close } = server;
  const at = entries[index];
  const following = at === undefined ? close : firstToken(at);
  const neighbour = at ?? entries[entries.length - 1];
  const known = neighbour === undefined ? undefined : indentOf(firstToken(neighbour));
  const indent = known ?? `${indentOf(server.keys[0] as CorefileToken) ?? ''}${FOUR_SPACES}`;
  const step = stepOf(entries, indent);
  const { head, rest } = splitAtLineBreak(following?.leading ?? '\n') ?? { head: '', rest: `\n${indent}` };
  const entry = makeEntry(added, `${head}${lineBreakOf(rest)}${indent}`, indent, step);
  const before = entries.slice(0, index);
  if (at === undefined) {
    return {
      ...server,
      entries: [...before, entry],
      ...(close === undefined ? {} : { close: { ...close, leading: rest } }),
    };
  }
  return { ...server, entries: [...before, entry, withLeading(at, rest), ...entries.slice(index + 1)] };
}

/** The server without the entry at `index`. Comments above it are not removed. */
export function withoutEntry(server: CorefileServer, index: number): CorefileServer {
  const { entries, close } = server;
  const removed = firstToken(entries[index] as CorefileEntry);
  const following = entries[index + 1];
  const next = following === undefined ? close : firstToken(following);
  const before = entries.slice(0, index);
  // the comment lines above the removed entry, without the indentation of its line
  const kept = removed.leading.replace(/\r?\n[^\n]*$/, '');
  const rest = splitAtLineBreak(next?.leading ?? '')?.rest ?? next?.leading ?? '';
  if (following !== undefined) {
    return { ...server, entries: [...before, withLeading(following, kept + rest), ...entries.slice(index + 2)] };
  }
  return { ...server, entries: before, ...(close === undefined ? {} : { close: { ...close, leading: kept + rest } }) };
}

/** The server with other arguments of one directive. Its comments and blocks do not change. */
export function withArguments(server: CorefileServer, index: number, args: readonly string[]): CorefileServer {
  const { parts } = server.entries[index] as CorefileEntry;
  const [name, ...others] = parts;
  const words = args.map((text) => word(text, ' '));
  const entry = { parts: [name as CorefileToken, ...words, ...others.filter(isBlock)] };
  return { ...server, entries: server.entries.map((each, position) => (position === index ? entry : each)) };
}

/** The server with one line in the block of a directive replaced, or added if no line starts with its first word. */
export function withLineReplaced(server: CorefileServer, index: number, line: readonly string[]): CorefileServer {
  const entry = server.entries[index] as CorefileEntry;
  if (!linesOf(entry).some((each) => wordsOf(each)[0] === line[0])) {
    return withLine(server, index, line);
  }
  const replaced = (each: CorefileEntry): CorefileEntry => {
    const [name, ...others] = each.parts;
    return wordsOf(each)[0] === line[0]
      ? { parts: [name as CorefileToken, ...line.slice(1).map((text) => word(text, ' ')), ...others.filter(isBlock)] }
      : each;
  };
  const parts = entry.parts.map((part) => (isBlock(part) ? { ...part, entries: part.entries.map(replaced) } : part));
  return { ...server, entries: server.entries.map((each, position) => (position === index ? { parts } : each)) };
}

/** The entry with one more line in its first block; without a block, one is added. */
export function withLine(server: CorefileServer, index: number, line: readonly string[]): CorefileServer {
  const entry = server.entries[index] as CorefileEntry;
  const indent = indentOf(firstToken(entry)) ?? FOUR_SPACES;
  const step = stepOf(server.entries, indent);
  const lineBreak = lineBreakOf(firstToken(entry).leading);
  const leading = `${lineBreak}${indent}${step}`;
  const added: CorefileEntry = { parts: line.map((text, position) => word(text, position === 0 ? leading : ' ')) };
  const place = entry.parts.findIndex(isBlock);
  const parts =
    place < 0
      ? [...entry.parts, { open: word('{', ' '), entries: [added], close: word('}', `${lineBreak}${indent}`) }]
      : entry.parts.map((part, position) => {
          if (position !== place || !isBlock(part)) {
            return part;
          }
          const { head, rest } = splitAtLineBreak(part.close.leading) ?? { head: '', rest: `${lineBreak}${indent}` };
          const words = added.parts.map((token, at) =>
            at === 0 && !isBlock(token) ? { ...token, leading: head + token.leading } : token,
          );
          return { ...part, entries: [...part.entries, { parts: words }], close: { ...part.close, leading: rest } };
        });
  return {
    ...server,
    entries: server.entries.map((each, position) => (position === index ? { parts } : each)),
  };
}

/** A new server block at the end of a file. */
export function makeServer(keys: readonly string[], entries: readonly NewEntry[], first: boolean): CorefileServer {
  return {
    kind: 'server',
    keys: keys.map((key, index) => word(key, index === 0 ? (first ? '' : '\n') : ' ')),
    open: word('{', ' '),
    entries: entries.map((entry) => makeEntry(entry, `\n${FOUR_SPACES}`, FOUR_SPACES, FOUR_SPACES)),
    close: word('}', '\n'),
  };
}

/**
 * A hosts file that CoreDNS reads.
 *
 * @category Prepare the cluster
 */
export interface CorefileHosts {
  /** Path of the file in the container of CoreDNS, for example `/etc/edge/tunnel-nodes`. */
  readonly file: string;
  /** How often CoreDNS checks the file for changes, as a Go duration.
   * @default 300ms */
  readonly reload?: string;
}

/** A Go duration that is not negative, for example `300ms` or `1m30s`. */
const DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;

const PROPERTIES: PropertyTable<CorefileHosts> = {
  file: (file, problems) => {
    if (file === undefined) {
      problems.add('EDGE_MISSING', 'file is required', "write file: '/etc/edge/tunnel-nodes'");
    } else if (typeof file !== 'string' || !/^\/[^\s"{}#]+$/.test(file)) {
      const hint = "write an absolute path without spaces and braces, '/etc/edge/tunnel-nodes'";
      problems.add('EDGE_VALUE', `${showValue(file)} is not a path in the container`, hint);
    }
  },
  reload: (reload, problems) => {
    if (reload !== undefined && (typeof reload !== 'string' || !DURATION.test(reload))) {
      problems.add('EDGE_VALUE', `${showValue(reload)} is not a duration`, "write '300ms' or '1s'");
    }
  },
};

export const checkHosts: Check = (hosts, problems) => checkProperties(isMap(hosts) ? hosts : {}, PROPERTIES, problems);

/** Adds the hosts plugin before every `kubernetes` plugin. */
export function withHosts(tree: CorefileTree, hosts: CorefileHosts, problems: ProblemList): CorefileTree {
  const { file, reload = '300ms' } = hosts;
  let found = 0;
  const items = tree.items.map((item) => {
    if (item.kind !== 'server' || indexOfPlugin(item, 'kubernetes') < 0) {
      return item;
    }
    found += 1;
    if (checkNotImported(tree, item, 'hosts', problems)) {
      return item;
    }
    const present = indexOfPlugin(item, 'hosts');
    if (present < 0) {
      const lines = [['reload', reload], ['fallthrough']];
      return withEntry(item, indexOfPlugin(item, 'kubernetes'), { words: ['hosts', file], lines });
    }
    const entry = item.entries[present] as (typeof item.entries)[number];
    if (wordsOf(entry)[1] !== file) {
      const other = wordsOf(entry)[1] ?? 'inline names';
      problems.add(
        'EDGE_COREFILE',
        `line ${lineOf(item, present)}: the server block ${placeOf(item)} already has a hosts plugin with ${other}, and CoreDNS allows one per block`,
        `add the names to ${other}, or use withForwarder to add a separate server block`,
      );
      return item;
    }
    // with zones after the file, names of nodes in other zones are not answered
    const whole = isOfAllZones(wordsOf(entry).slice(2)) ? item : withArguments(item, present, [file]);
    // without fallthrough, no other name is answered, not even those of Services; with zones after it, only those fall through
    const falls = linesOf(entry)
      .map(wordsOf)
      .some(([name, ...zones]) => name === 'fallthrough' && isOfAllZones(zones));
    return falls ? whole : withLineReplaced(whole, present, ['fallthrough']);
  });
  if (found === 0) {
    problems.add(
      'EDGE_COREFILE',
      'no server block has the kubernetes plugin: this is not the Corefile of a cluster, or the plugin is imported',
      'write the Corefile that contains the kubernetes plugin',
    );
  }
  return { ...tree, items };
}

const isOfAllZones = (zones: readonly string[]): boolean => zones.length === 0 || zones.includes('.');

/** Options of the hosts plugin. Other lines in its block are names. */
const OWN_LINES = ['reload', 'fallthrough', 'ttl', 'no_reverse'];

/** The Corefile without the hosts plugin with a file. A plugin that also contains names is not removed. */
export function withoutHosts(tree: CorefileTree, file: string): CorefileTree {
  const items = tree.items.map((item) => {
    if (item.kind !== 'server') {
      return item;
    }
    const index = item.entries.findIndex((entry) => {
      const [name, first] = wordsOf(entry);
      const isOwn = linesOf(entry).every((line) => OWN_LINES.includes(wordsOf(line)[0] ?? ''));
      return name === 'hosts' && first === file && isOwn;
    });
    return index < 0 ? item : withoutEntry(item, index);
  });
  return { ...tree, items };
}
