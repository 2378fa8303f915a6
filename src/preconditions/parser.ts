import type { ProblemList } from '../base/errors.js';
import { beginsLine, type CorefileToken, tokenize } from './token.js';
import type { CorefileBlock, CorefileEntry, CorefileImport, CorefileServer, CorefileTree } from './tree.js';

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
