import { CHAR, isBlank, isBlankOrEnd, isBreak, isDigit, type YamlReader } from './yaml-reader.js';

// The text of scalars, as yaml_parser_scan_*_scalar of go.yaml.in/yaml/v2 (scannerc.go) reads it.

/** White space between two words of a scalar in several lines. */
class Gap {
  private blanks = '';
  private first = '';
  private more = '';
  public hasBreak = false;

  /**
   * Reads blanks and line breaks.
   *
   * @param tabsFrom column before which a line of the scalar must not have a tab
   */
  public read(reader: YamlReader, tabsFrom = 0): void {
    for (let code = reader.at(); isBlank(code) || isBreak(code); code = reader.at()) {
      if (isBlank(code)) {
        if (this.hasBreak) {
          if (code === CHAR.TAB && reader.column < tabsFrom) {
            reader.fail('found a tab character that violates indentation');
          }
        } else {
          this.blanks += String.fromCharCode(code);
        }
        reader.pos += 1;
      } else if (this.hasBreak) {
        this.more += reader.readBreak();
      } else {
        this.blanks = '';
        this.first = reader.readBreak();
        this.hasBreak = true;
      }
    }
  }

  /** What it means: one line break is a space. Empty afterwards. */
  public take(): string {
    const folded = this.first === '\n' ? (this.more === '' ? ' ' : this.more) : this.first + this.more;
    const text = this.hasBreak ? folded : this.blanks;
    this.blanks = this.first = this.more = '';
    this.hasBreak = false;
    return text;
  }

  /** After an escaped line break. */
  public escape(): void {
    this.hasBreak = true;
  }
}

/** A plain scalar; `brokeLine` tells whether the next token may be a key. */
export function scanPlain(
  reader: YamlReader,
  indent: number,
  inFlow: boolean,
): { readonly value: string; readonly end: number; readonly brokeLine: boolean } {
  const start = reader.pos;
  let end = start;
  let value = '';
  const gap = new Gap();
  while (!reader.isAtMarker() && reader.at() !== CHAR.HASH) {
    const from = reader.pos;
    reader.skipWord(inFlow);
    if (reader.pos > from) {
      value = from === start ? reader.from(from) : value + gap.take() + reader.from(from);
      end = reader.pos;
    }
    const code = reader.at();
    if (!isBlank(code) && !isBreak(code)) {
      break;
    }
    gap.read(reader, indent);
    if (!inFlow && reader.column < indent) {
      break;
    }
  }
  return { value, end, brokeLine: gap.hasBreak };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  // of JSON, which kubectl reads as JSON
  '/': '/',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A quoted scalar; its lines may be indented less than their parent. */
export function scanQuoted(reader: YamlReader): string {
  const start = reader.pos;
  const quote = reader.at();
  const isSingle = quote === CHAR.APOSTROPHE;
  reader.pos += 1;
  let value = '';
  const gap = new Gap();
  for (;;) {
    if (reader.isAtMarker()) {
      reader.fail('found unexpected document indicator', start);
    }
    if (reader.at() === 0) {
      reader.fail('found unexpected end of stream', start);
    }
    let from = reader.pos;
    for (let code = reader.at(); !isBlankOrEnd(code); code = reader.at()) {
      if (code === quote) {
        if (!isSingle || reader.at(1) !== quote) {
          break;
        }
        value += `${reader.from(from)}'`;
        reader.pos += 2;
        from = reader.pos;
      } else if (!isSingle && code === CHAR.BACKSLASH) {
        value += reader.from(from);
        reader.pos += 1;
        if (isBreak(reader.at())) {
          reader.readBreak();
          gap.escape();
          from = reader.pos;
          break;
        }
        value += scanEscape(reader, start);
        from = reader.pos;
      } else {
        reader.pos += 1;
      }
    }
    value += reader.from(from);
    if (reader.at() === quote) {
      reader.pos += 1;
      return value;
    }
    gap.read(reader);
    value += gap.take();
  }
}

function scanEscape(reader: YamlReader, start: number): string {
  const name = String.fromCharCode(reader.at());
  reader.pos += 1;
  const length = CODE_LENGTHS[name];
  if (length === undefined) {
    return ESCAPES[name] ?? reader.fail('found unknown escape character', start);
  }
  const from = reader.pos;
  reader.pos = Math.min(from + length, reader.length);
  const hex = reader.from(from);
  if (hex.length !== length || !/^[0-9A-Fa-f]+$/.test(hex)) {
    reader.fail('did not find expected hexdecimal number', start);
  }
  const code = Number.parseInt(hex, 16);
  // JSON writes characters as pairs of surrogates
  return code > 0x10ffff
    ? reader.fail('found invalid Unicode character escape code', start)
    : String.fromCodePoint(code);
}

/** A literal or folded block; `end` is the start of the line after it. */
export function scanBlock(
  reader: YamlReader,
  parentIndent: number,
  isLiteral: boolean,
): { readonly value: string; readonly end: number } {
  const start = reader.pos;
  reader.pos += 1;
  const { chomping, increment } = scanHeader(reader, start);
  let indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let end = reader.pos;
  /** Blank lines; the first line with text determines the indentation. */
  const scanBreaks = (): string => {
    let breaks = '';
    let deepest = 0;
    end = reader.pos;
    for (;;) {
      while ((indent === 0 || reader.column < indent) && reader.at() === CHAR.SPACE) {
        reader.pos += 1;
      }
      deepest = Math.max(deepest, reader.column);
      if ((indent === 0 || reader.column < indent) && reader.at() === CHAR.TAB) {
        reader.fail('found a tab character where an indentation space is expected', start);
      }
      if (!isBreak(reader.at())) {
        break;
      }
      breaks += reader.readBreak();
      end = reader.pos;
    }
    indent = indent === 0 ? Math.max(deepest, parentIndent + 1, 1) : indent;
    return breaks;
  };
  let value = '';
  let lineBreak = '';
  let wasBlank = false;
  let breaks = scanBreaks();
  while (reader.column === indent && reader.at() !== 0) {
    const startsBlank = isBlank(reader.at());
    const folds = !isLiteral && lineBreak === '\n' && !wasBlank && !startsBlank;
    value += folds ? (breaks === '' ? ' ' : '') : lineBreak;
    const from = reader.pos;
    reader.skipToBreak();
    value += breaks + reader.from(from);
    wasBlank = startsBlank;
    lineBreak = reader.at() === 0 ? '' : reader.readBreak();
    breaks = scanBreaks();
  }
  return { value: value + (chomping === '-' ? '' : lineBreak) + (chomping === '+' ? breaks : ''), end };
}

/** `|2-`: indentation and chomping in any order, then only a comment. */
function scanHeader(reader: YamlReader, start: number): { readonly chomping: string; readonly increment: number } {
  let chomping = '';
  let increment = 0;
  for (let part = 0; part < 2; part++) {
    const code = reader.at();
    if (chomping === '' && (code === CHAR.PLUS || code === CHAR.MINUS)) {
      chomping = String.fromCharCode(code);
      reader.pos += 1;
    } else if (increment === 0 && isDigit(code)) {
      increment = code - 0x30;
      if (increment === 0) {
        reader.fail('found an indentation indicator equal to 0', start);
      }
      reader.pos += 1;
    }
  }
  reader.skipBlanks();
  if (reader.at() === CHAR.HASH) {
    reader.skipToBreak();
  }
  if (isBreak(reader.at())) {
    reader.readBreak();
  } else if (reader.at() !== 0) {
    reader.fail('did not find expected comment or line break', start);
  }
  return { chomping, increment };
}
