/** YAML text that Kubernetes clients refuse, with the offset at which they do. */
export class YamlSyntaxError extends Error {
  constructor(
    message: string,
    public readonly offset: number,
  ) {
    super(message);
  }
}

export const CHAR = {
  TAB: 0x09,
  SPACE: 0x20,
  QUOTE: 0x22,
  HASH: 0x23,
  PERCENT: 0x25,
  APOSTROPHE: 0x27,
  PLUS: 0x2b,
  COMMA: 0x2c,
  MINUS: 0x2d,
  DOT: 0x2e,
  COLON: 0x3a,
  QUESTION: 0x3f,
  BACKSLASH: 0x5c,
} as const;

/** YAML 1.1 has more line breaks than YAML 1.2: a lone CR, NEL, LS and PS. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBlank(code: number): boolean {
  return code === CHAR.SPACE || code === CHAR.TAB;
}

/** A blank, a line break, or the end of the text. */
export function isBlankOrEnd(code: number): boolean {
  return code <= CHAR.SPACE
    ? code === CHAR.SPACE || code === 0x0a || code === 0 || code === CHAR.TAB || code === 0x0d
    : code >= 0x85 && isBreak(code);
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A letter or a digit of ASCII, with which only a plain scalar begins. */
export function isWordStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code);
}

const REFUSED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** `,?[]{}` */
function endsWordInFlow(code: number): boolean {
  return code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}

/** A place in a text. */
export class YamlReader {
  public pos: number;
  public line = 0;
  private lineStart: number;
  private readonly text: string;
  /** Length without the character that marks the end. */
  public readonly length: number;

  constructor(text: string) {
    const refused = REFUSED.exec(text);
    if (refused !== null) {
      throw new YamlSyntaxError('control characters are not allowed', refused.index);
    }
    this.text = `${text}\0`;
    this.length = text.length;
    // a byte order mark
    this.pos = text.startsWith('\ufeff') ? 1 : 0;
    this.lineStart = this.pos;
  }

  public get column(): number {
    return this.pos - this.lineStart;
  }

  /** The code of the character at an offset from here; 0 is the end. */
  public at(offset = 0): number {
    return this.text.charCodeAt(this.pos + offset);
  }

  public from(start: number): string {
    return this.text.slice(start, this.pos);
  }

  public skipBlanks(): void {
    while (isBlank(this.at())) {
      this.pos += 1;
    }
  }

  /** Skips what cannot end a word of a plain scalar. Most characters of a manifest are read here. */
  public skipWord(inFlow: boolean): void {
    const { text } = this;
    let { pos } = this;
    for (let code = text.charCodeAt(pos); !isBlankOrEnd(code); code = text.charCodeAt(++pos)) {
      if ((code === CHAR.COLON && isBlankOrEnd(text.charCodeAt(pos + 1))) || (inFlow && endsWordInFlow(code))) {
        break;
      }
    }
    this.pos = pos;
  }

  public skipToBreak(): void {
    for (let code = this.at(); code !== 0 && !isBreak(code); code = this.at()) {
      this.pos += 1;
    }
  }

  /** Reads one line break; LS and PS stay what they are. */
  public readBreak(): string {
    const code = this.at();
    this.pos += code === 0x0d && this.at(1) === 0x0a ? 2 : 1;
    this.line += 1;
    this.lineStart = this.pos;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** Whether `---` or `...` begins a line here. */
  public isAtMarker(): boolean {
    const code = this.at();
    return (
      (code === CHAR.MINUS || code === CHAR.DOT) &&
      this.pos === this.lineStart &&
      this.at(1) === code &&
      this.at(2) === code &&
      isBlankOrEnd(this.at(3))
    );
  }

  public fail(message: string, offset = this.pos): never {
    throw new YamlSyntaxError(message, offset);
  }
}
