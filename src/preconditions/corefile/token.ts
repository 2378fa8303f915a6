/**
 * The words of a Corefile, taken apart as CoreDNS does it (coredns/caddy caddyfile/lexer.go). Nothing is lost: what stands before a word
 * (white space, comments) is kept with it, so that the words printed one after the other are the text again.
 */
export interface CorefileToken {
  /** White space and comments before it. */
  readonly leading: string;
  /** As it stands in the text, with quotes and escapes. */
  readonly raw: string;
  /** What CoreDNS reads. */
  readonly text: string;
  /** Line of its first character, from 1; 0 for a word that was added. */
  readonly line: number;
  /** Column of its first character, from 1; 0 for a word that was added. */
  readonly column: number;
}

/** A text as words. */
export interface CorefileTokens {
  readonly tokens: readonly CorefileToken[];
  /** What stands after the last word. */
  readonly trailing: string;
  /** A quote that is never closed. */
  readonly openQuote?: { readonly line: number; readonly column: number };
}

// Go's unicode.IsSpace
const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Takes a text apart. Never fails: what CoreDNS cannot read is found by the parser. */
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
          // only a quote can be escaped; another character keeps its backslash
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
      // a # inside of a word begins a comment that ends at the next white space, whatever follows there: so CoreDNS reads it
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

/** A word that is added: quoted where CoreDNS would read it differently. */
export function word(text: string, leading: string): CorefileToken {
  const needsQuotes = text === '' || text.startsWith('"') || text.includes('#') || SPACE.test(text);
  return { leading, raw: needsQuotes ? `"${text.replace(/"/g, '\\"')}"` : text, text, line: 0, column: 0 };
}

/** Whether a word stands on a later line than the one before it ends (caddyfile/dispenser.go, isNewLine). */
export function beginsLine(token: CorefileToken, before: CorefileToken | undefined): boolean {
  return before === undefined || before.line + (before.text.split('\n').length - 1) < token.line;
}
