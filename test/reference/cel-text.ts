/**
 * A parser of CEL string literals with single quotes, from the language definition (cel-spec, doc/langdef.md, "String and Bytes Values"): an
 * independent reference for the library. It does not support raw strings, triple quotes and octal escapes.
 */
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

const HEX: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** Parses one literal at a position; returns its text and its end. */
function read(source: string, start: number): { text: string; end: number } {
  if (source[start] !== "'") {
    throw new Error(`no quote at ${start}`);
  }
  let text = '';
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at] as string;
    if (character === "'") {
      return { text, end: at + 1 };
    }
    if (character === '\n' || character === '\r') {
      throw new Error(`a bare line break at ${at}`);
    }
    if (character !== '\\') {
      text += character;
      continue;
    }
    const escape = source[++at] ?? '';
    const digits = HEX[escape];
    if (digits !== undefined) {
      const code = source.slice(at + 1, at + 1 + digits);
      const point = Number.parseInt(code, 16);
      // an unpaired surrogate is not a code point, and CEL refuses its escape sequence
      if (!/^[0-9a-fA-F]+$/.test(code) || code.length < digits || (point >= 0xd800 && point <= 0xdfff)) {
        throw new Error(`\\${escape}${code} at ${at} is no code point`);
      }
      text += String.fromCodePoint(point);
      at += digits;
    } else if (ESCAPES[escape] !== undefined) {
      text += ESCAPES[escape];
    } else {
      throw new Error(`there is no escape \\${escape}`);
    }
  }
  throw new Error('the literal does not end');
}

/** The text of a literal that is the whole expression. */
export function decodeCelText(source: string): string {
  const { text, end } = read(source, 0);
  if (end !== source.length) {
    throw new Error(`the literal ends at ${end}, the expression at ${source.length}`);
  }
  return text;
}

/** The texts of a list of literals. */
export function decodeCelTexts(source: string): string[] {
  const texts: string[] = [];
  let at = 1;
  if (source[0] !== '[') {
    throw new Error('no list');
  }
  while (source[at] !== ']') {
    const { text, end } = read(source, at);
    texts.push(text);
    at = source.startsWith(', ', end) ? end + 2 : end;
  }
  if (at !== source.length - 1) {
    throw new Error('something follows the list');
  }
  return texts;
}
