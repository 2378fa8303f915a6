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
