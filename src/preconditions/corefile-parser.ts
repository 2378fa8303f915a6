import type { ProblemList } from '../base/errors.js';

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

/**
 * The words of a Corefile, as CoreDNS splits it (coredns/caddy caddyfile/lexer.go). Each word includes the white space and comments before it, so that all
 * words printed in order are the original text.
 */
export interface CorefileToken {
  /** White space and comments before it. */
  readonly leading: string;
  /** The word as in the text, with quotes and escapes. */
  readonly raw: string;
  /** The word as CoreDNS reads it. */
  readonly text: string;
  /** Line of its first character, from 1; 0 for a word that was added. */
  readonly line: number;
  /** Column of its first character, from 1; 0 for a word that was added. */
  readonly column: number;
}

/** A text as words. */
export interface CorefileTokens {
  readonly tokens: readonly CorefileToken[];
  /** Text after the last word. */
  readonly trailing: string;
  /** A quote without a closing one. */
  readonly openQuote?: { readonly line: number; readonly column: number };
}

// Go's unicode.IsSpace
const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Splits a text into words. It never fails; the parser finds syntax errors. */
export function tokenize(source: string): CorefileTokens {
  const tokens: CorefileToken[] = [];
  let position = source.startsWith('\ufeff') ? 1 : 0;
  let leadingStart = 0;
  let line = 1;
  let lineStart = position;
  const newLine = (): void => {
    line += 1;
    lineStart = position + 1;
  };
  for (;;) {
    let comment = false;
    for (; position < source.length; position++) {
      const character = source[position] as string;
      if (character === '\n') {
        comment = false;
        newLine();
      }
      comment ||= character === '#';
      if (!comment && !SPACE.test(character)) {
        break;
      }
    }
    const leading = source.slice(leadingStart, position);
    if (position >= source.length) {
      return { tokens, trailing: leading };
    }
    const start = { line, column: position - lineStart + 1 };
    const from = position;
    const quoted = source[position] === '"';
    let text = '';
    let closed = true;
    if (quoted) {
      closed = false;
      for (position++; position < source.length && !closed; position++) {
        const character = source[position] as string;
        if (character === '\\' && position + 1 < source.length) {
          // only a quote can be escaped; before another character, the backslash is part of the word
          position++;
          text += source[position] === '"' ? '"' : `\\${source[position]}`;
        } else if (character === '"') {
          closed = true;
        } else {
          text += character;
        }
        if (source[position] === '\n') {
          newLine();
        }
      }
    } else {
      // as in CoreDNS, a # inside of a word starts a comment that ends at the next white space
      for (let hidden = false; position < source.length; position++) {
        const character = source[position] as string;
        const isInnerReturn = character === '\r' && !SPACE.test(source[position + 1] ?? '\n');
        if (SPACE.test(character) && !isInnerReturn) {
          break;
        }
        hidden ||= character === '#';
        text += hidden || isInnerReturn ? '' : character;
      }
    }
    tokens.push({ leading, raw: source.slice(from, position), text, ...start });
    leadingStart = position;
    if (!closed) {
      return { tokens, trailing: '', openQuote: start };
    }
  }
}

/** A word that is added, with quotes if CoreDNS needs them. */
export function word(text: string, leading: string): CorefileToken {
  const needsQuotes = text === '' || text.startsWith('"') || text.includes('#') || SPACE.test(text);
  return { leading, raw: needsQuotes ? `"${text.replace(/"/g, '\\"')}"` : text, text, line: 0, column: 0 };
}

/** Whether a word is on a later line than the end of the previous one (caddyfile/dispenser.go, isNewLine). */
export function beginsLine(token: CorefileToken, before: CorefileToken | undefined): boolean {
  return before === undefined || before.line + (before.text.split('\n').length - 1) < token.line;
}

/** Index of the first directive of a plugin in a server block or snippet; -1 if there is none. */
export function indexOfPlugin(server: CorefileServer, plugin: string): number {
  return server.entries.findIndex((entry) => wordsOf(entry)[0] === plugin);
}

/** The snippets of a file by name, without the parentheses. */
function snippetsOf(tree: CorefileTree): Map<string, CorefileServer> {
  return new Map(
    tree.items.flatMap((item): [string, CorefileServer][] =>
      item.kind === 'snippet' ? [[(item.keys[0]?.text ?? '').slice(1, -1), item]] : [],
    ),
  );
}

/** Whether a server block imports a snippet of the same file with a plugin. The content of imported files is unknown. */
function isImported(tree: CorefileTree, server: CorefileServer, plugin: string, seen: readonly string[] = []): boolean {
  const snippets = snippetsOf(tree);
  return server.entries.map(wordsOf).some(([name, from = '']) => {
    const snippet = name === 'import' && !seen.includes(from) ? snippets.get(from) : undefined;
    return (
      snippet !== undefined &&
      (indexOfPlugin(snippet, plugin) >= 0 || isImported(tree, snippet, plugin, [...seen, from]))
    );
  });
}

/** Checks that a server block does not import a plugin that is to be added. */
export function checkNotImported(
  tree: CorefileTree,
  server: CorefileServer,
  plugin: string,
  problems: ProblemList,
): boolean {
  const found = isImported(tree, server, plugin);
  if (found) {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(server)} imports a snippet that already has the plugin ${plugin}`,
      'edit the snippet by hand, or write its plugins into the server block',
    );
  }
  return found;
}

/** The first syntax error. Parsing ends here, because later errors would be consequences of it. */
class Unreadable extends Error {
  constructor(
    public readonly place: { readonly line: number; readonly column: number },
    public readonly what: string,
    public readonly hint: string,
  ) {
    super(what);
  }
}

/**
 * Parses a Corefile with the grammar of CoreDNS (coredns/caddy caddyfile/parse.go): server blocks with and without braces, snippets, imports, quotes,
 * comments, environment variables (which are not replaced). Names and arguments of plugins are not checked. It is stricter in two cases: CoreDNS reads a
 * surplus closing brace as an address, and ignores a block without an address.
 */
export function parseCorefile(source: string, problems: ProblemList): CorefileTree | undefined {
  try {
    return new Parser(source).parse();
  } catch (error) {
    if (!(error instanceof Unreadable)) {
      throw error;
    }
    const { line, column } = error.place;
    problems.add('EDGE_COREFILE', `line ${line}, column ${column}: ${error.what}`, error.hint);
    return undefined;
  }
}

/** No plugin has more levels of blocks than two or three; without a bound the stack overflows. */
const MAX_DEPTH = 100;

class Parser {
  private readonly tokens: readonly CorefileToken[];
  private readonly trailing: string;
  private readonly snippets = new Set<string>();
  private position = 0;
  /** Blocks in one another, where it reads. */
  private depth = 0;

  constructor(source: string) {
    const { tokens, trailing, openQuote } = tokenize(source);
    if (openQuote !== undefined) {
      throw new Unreadable(openQuote, 'this quote is not closed', 'write the closing "');
    }
    this.tokens = tokens;
    this.trailing = trailing;
  }

  public parse(): CorefileTree {
    const items: (CorefileServer | CorefileImport)[] = [];
    while (this.next !== undefined) {
      items.push(this.next.text === 'import' ? { kind: 'import', entry: this.entry('line') } : this.server());
    }
    return { items, trailing: this.trailing };
  }

  private get next(): CorefileToken | undefined {
    return this.tokens[this.position];
  }

  private take(): CorefileToken {
    return this.tokens[this.position++] as CorefileToken;
  }

  private nextBeginsLine(): boolean {
    return this.next !== undefined && beginsLine(this.next, this.tokens[this.position - 1]);
  }

  private server(): CorefileServer {
    const keys = this.addresses();
    const [first] = keys as [CorefileToken];
    const name = keys.length === 1 ? /^\((.*)\)$/s.exec(first.text)?.[1] : undefined;
    const kind = name === undefined ? 'server' : 'snippet';
    if (this.next?.text !== '{') {
      if (name !== undefined) {
        throw new Unreadable(first, `the snippet ${first.text} has no braces`, `write ${first.text} { … }`);
      }
      return { kind, keys, entries: this.entries('server', undefined) };
    }
    if (name !== undefined && this.snippets.has(name)) {
      throw new Unreadable(first, `there is already a snippet ${first.text}`, 'give each snippet a unique name');
    }
    this.snippets.add(name ?? '');
    const open = this.take();
    const entries = this.entries(kind, open);
    return { kind, keys, open, entries, close: this.take() };
  }

  /** The addresses of a server block: all words of the line, and of the next line after a comma. */
  private addresses(): CorefileToken[] {
    const keys: CorefileToken[] = [];
    for (let another = true; this.next !== undefined && (another || !this.nextBeginsLine());) {
      const token = this.next;
      if (token.text === '{' || token.text === '}') {
        if (keys.length === 0) {
          const what = token.text === '{' ? 'this block has no address' : 'this brace closes no block';
          throw new Unreadable(token, what, token.text === '{' ? "write '.:53 {'" : 'remove it');
        }
        if (another && token.text === '{') {
          throw new Unreadable(token, 'there is no address after the comma', 'remove the comma, or write the address');
        }
        break;
      }
      refuseGluedBrace(token);
      keys.push(this.take());
      another = token.text.endsWith(',');
    }
    const last = keys[keys.length - 1] as CorefileToken;
    if (this.next === undefined && last.text.endsWith(',')) {
      throw new Unreadable(last, 'there is no address after the comma', 'remove the comma, or write the address');
    }
    return keys;
  }

  /** Entries up to the closing brace; without an opening brace, up to the end of the file. */
  private entries(where: 'server' | 'snippet' | 'block', open: CorefileToken | undefined): CorefileEntry[] {
    const entries: CorefileEntry[] = [];
    for (;;) {
      const token = this.next;
      if (token === undefined) {
        if (open !== undefined) {
          throw new Unreadable(open, 'this brace is not closed', "write the closing '}'");
        }
        return entries;
      }
      if (token.text === '}') {
        if (open === undefined) {
          throw new Unreadable(token, 'this brace closes no block', 'remove it');
        }
        return entries;
      }
      if (token.text === '{' && where === 'server') {
        throw new Unreadable(token, 'there is no plugin before this block', "write the plugin before '{'");
      }
      entries.push(this.entry(where === 'server' ? 'line' : 'block'));
    }
  }

  /** A directive: the words of its line, and blocks. The opening brace of a block can be on the next line. */
  private entry(where: 'line' | 'block'): CorefileEntry {
    const parts: (CorefileToken | CorefileBlock)[] = [];
    const begin = this.position;
    const atLineStart = this.nextBeginsLine();
    while (this.next !== undefined) {
      if (this.next.text === '{') {
        parts.push(this.block());
        continue;
      }
      if (this.position > begin && this.nextBeginsLine()) {
        break;
      }
      if (this.next.text === '}') {
        if (where === 'line') {
          throw new Unreadable(
            this.next,
            'this brace closes no block',
            'write the closing brace of the server block on its own line',
          );
        }
        break;
      }
      if (this.position === begin) {
        refuseGluedBrace(this.next);
      }
      parts.push(this.take());
    }
    const [name, ...others] = parts;
    if (atLineStart && name !== undefined && 'text' in name && name.text === 'import' && others.length !== 1) {
      throw new Unreadable(name, `import needs one file or snippet, this has ${others.length}`, "write 'import name'");
    }
    return { parts };
  }

  private block(): CorefileBlock {
    const open = this.take();
    if (this.depth === MAX_DEPTH) {
      throw new Unreadable(open, `more than ${MAX_DEPTH} blocks are nested in one another`, 'remove the inner blocks');
    }
    this.depth += 1;
    const entries = this.entries('block', open);
    this.depth -= 1;
    return { open, entries, close: this.take() };
  }
}

/** `.:53{` is one word to CoreDNS, not the start of a block. `{$PORT}` and `{%PORT%}` are environment variables. */
function refuseGluedBrace(token: CorefileToken): void {
  if (token.raw.length > 1 && !token.raw.startsWith('"') && token.text.endsWith('{')) {
    const name = token.text.slice(0, -1);
    throw new Unreadable(token, `${token.text} is read as one word`, `write a space before the brace: ${name} {`);
  }
}
