import { CHAR, isBlank, isBlankOrEnd, isBreak, isWordStart, YamlReader } from './yaml-reader.js';
import { scanBlock, scanPlain, scanQuoted } from './yaml-scalar-text.js';
import type { PossibleKey, Token, TokenType } from './yaml-token.js';

const MAX_DEPTH = 10000;
const MAX_KEY_LENGTH = 1024;
const FLOW: Readonly<Record<string, TokenType>> = { '[': '[', ']': ']', '{': '{', '}': '}', ',': ',' };
const INDICATORS = '-?:,[]{}#&*!|>\'"%@`';

/** Tokens of the queue that were taken and not yet removed. */
const MOST_TAKEN = 256;

/**
 * The tokens of a YAML text, as yaml_parser_fetch_next_token of go.yaml.in/yaml/v2 (scannerc.go) finds them; sigs.k8s.io/yaml, and with it kubectl and
 * Helm, reads manifests with it. A parser of YAML 1.2 does not find the same ones: indentation of quoted text, line breaks, characters in plain text.
 */
export class YamlScanner {
  private readonly reader: YamlReader;
  /** Tokens that were found; those before `first` were taken. They are removed together: emptying a list frees its memory, which the next token needs. */
  private readonly queue: Token[] = [];
  private first = 0;
  /** Tokens that were taken before the queue. */
  private taken = 0;
  private indent = -1;
  private readonly indents: number[] = [];
  /** One for each flow level. */
  private readonly keys: (PossibleKey | undefined)[] = [undefined];
  /** Of the token that is pushed next. */
  private saved: PossibleKey | undefined;
  private isKeyAllowed = true;

  constructor(text: string) {
    this.reader = new YamlReader(text);
  }

  /** The next token; it stays the next one. */
  public peek(): Token {
    // a token that may be a key is not known before the colon is found
    let token = this.queue[this.first];
    while (token === undefined || (token.key?.isPossible === true && this.mayBecome(token.key))) {
      this.fetch();
      token = this.queue[this.first];
    }
    return token;
  }

  public next(): Token {
    const token = this.peek();
    this.first += 1;
    if (this.first === MOST_TAKEN) {
      this.taken += this.first;
      this.first = 0;
      this.queue.splice(0, MOST_TAKEN);
    }
    return token;
  }

  private get isInFlow(): boolean {
    return this.keys.length > 1;
  }

  private push(type: TokenType, start: number, column: number, value = '', end = this.reader.pos): void {
    this.queue.push({ type, start, end, value, column, key: this.saved });
    this.saved = undefined;
  }

  /** Whether a token may still become a key: on the same line, and not too long. */
  private mayBecome(key: PossibleKey): boolean {
    if (!this.isFresh(key)) {
      this.forget(key);
    }
    return key.isPossible;
  }

  private isFresh(key: PossibleKey): boolean {
    return key.line === this.reader.line && key.offset + MAX_KEY_LENGTH >= this.reader.pos;
  }

  private forget(key: PossibleKey): void {
    if (key.isRequired) {
      this.reader.fail("could not find expected ':'", key.offset);
    }
    key.isPossible = false;
  }

  private forgetKey(): void {
    const key = this.keys[this.keys.length - 1];
    if (key?.isPossible === true) {
      this.forget(key);
    }
  }

  private saveKey(): void {
    const { pos, line, column } = this.reader;
    if (this.isKeyAllowed) {
      this.forgetKey();
      const number = this.taken + this.queue.length;
      const isRequired = !this.isInFlow && this.indent === column;
      this.saved = { number, isPossible: true, offset: pos, line, column, isRequired };
      this.keys[this.keys.length - 1] = this.saved;
    }
  }

  /** Begins a block collection at a column that is deeper than the current one. */
  private roll(
    type: 'block list' | 'block map',
    { column, offset }: { column: number; offset: number },
    at?: number,
  ): void {
    if (this.isInFlow || this.indent >= column) {
      return;
    }
    this.indents.push(this.indent);
    this.indent = column;
    if (this.indents.length > MAX_DEPTH) {
      this.reader.fail(`exceeded max depth of ${MAX_DEPTH}`);
    }
    this.insert(at ?? this.queue.length, type, offset, column);
  }

  /** Inserts a token without text in front of another one. */
  private insert(at: number, type: TokenType, offset: number, column: number): void {
    const { queue } = this;
    const token: Token = { type, start: offset, end: offset, value: '', column, key: undefined };
    // splice makes a list of what it removes; there are one or two tokens after it
    queue.push(token);
    for (let index = queue.length - 1; index > at; index--) {
      queue[index] = queue[index - 1] as Token;
    }
    queue[at] = token;
  }

  private unroll(column: number): void {
    while (!this.isInFlow && this.indent > column) {
      this.push('block end', this.reader.pos, this.reader.column);
      this.indent = this.indents.pop() as number;
    }
  }

  private skipToToken(): void {
    const { reader } = this;
    for (;;) {
      let code = reader.at();
      while (code === CHAR.SPACE || (code === CHAR.TAB && (this.isInFlow || !this.isKeyAllowed))) {
        reader.pos += 1;
        code = reader.at();
      }
      if (code === CHAR.HASH) {
        reader.skipToBreak();
        code = reader.at();
      }
      if (!isBreak(code)) {
        return;
      }
      reader.readBreak();
      this.isKeyAllowed ||= !this.isInFlow;
    }
  }

  private fetch(): void {
    const { reader } = this;
    this.skipToToken();
    this.unroll(reader.column);
    const code = reader.at();
    if (isWordStart(code)) {
      // most tokens
      this.fetchPlain();
      return;
    }
    const { pos, column } = reader;
    const character = String.fromCharCode(code);
    const isBeforeBlank = isBlankOrEnd(reader.at(1));
    if (code === 0) {
      this.fetchLine('stream end');
    } else if (column === 0 && code === CHAR.PERCENT) {
      this.fetchLine('directive');
    } else if (reader.isAtMarker()) {
      this.fetchLine(code === CHAR.MINUS ? 'document start' : 'document end');
    } else if (FLOW[character] !== undefined) {
      this.fetchFlow(FLOW[character]);
    } else if (code === CHAR.MINUS && isBeforeBlank) {
      this.fetchEntry();
    } else if (code === CHAR.QUESTION && (this.isInFlow || isBeforeBlank)) {
      this.fetchKey();
    } else if (code === CHAR.COLON && (this.isInFlow || isBeforeBlank)) {
      this.fetchValue();
    } else if (character === '*' || character === '&') {
      this.fetchName(character === '*' ? 'alias' : 'anchor');
    } else if (character === '!') {
      this.saveKey();
      this.isKeyAllowed = false;
      this.push('tag', pos, column, this.scanTag());
    } else if ((character === '|' || character === '>') && !this.isInFlow) {
      this.forgetKey();
      this.isKeyAllowed = true;
      const { value, end } = scanBlock(reader, this.indent, character === '|');
      this.push('block', pos, column, value, end);
    } else if (code === CHAR.APOSTROPHE || code === CHAR.QUOTE) {
      this.saveKey();
      this.isKeyAllowed = false;
      const value = scanQuoted(reader);
      this.push('quoted', pos, column, value);
    } else if (
      (!INDICATORS.includes(character) && !isBlank(code)) ||
      (code === CHAR.MINUS && !isBlank(reader.at(1))) ||
      (!this.isInFlow && (code === CHAR.QUESTION || code === CHAR.COLON) && !isBeforeBlank)
    ) {
      this.fetchPlain();
    } else {
      reader.fail('found character that cannot start any token');
    }
  }

  private fetchPlain(): void {
    const { reader } = this;
    const { pos, column } = reader;
    this.saveKey();
    const { value, end, brokeLine } = scanPlain(reader, this.indent + 1, this.isInFlow);
    this.isKeyAllowed = brokeLine;
    this.push('plain', pos, column, value, end);
  }

  private fetchLine(type: 'directive' | 'document start' | 'document end' | 'stream end'): void {
    const { reader } = this;
    this.unroll(-1);
    this.forgetKey();
    this.isKeyAllowed = false;
    const { pos } = reader;
    if (type === 'directive') {
      reader.skipToBreak();
      if (!/^%(YAML|TAG)[ \t]/.test(reader.from(pos))) {
        reader.fail('found unknown directive name', pos);
      }
    } else if (type === 'stream end') {
      // no key continues here
      reader.line += 1;
    } else {
      reader.pos += 3;
    }
    this.push(type, pos, 0, reader.from(pos));
  }

  private fetchFlow(type: TokenType): void {
    const { pos, column } = this.reader;
    if (type === '[' || type === '{') {
      this.saveKey();
      this.keys.push(undefined);
      if (this.keys.length > MAX_DEPTH) {
        this.reader.fail(`exceeded max depth of ${MAX_DEPTH}`);
      }
      this.isKeyAllowed = true;
    } else {
      this.forgetKey();
      this.isKeyAllowed = type === ',';
      if (type !== ',' && this.isInFlow) {
        this.keys.pop();
      }
    }
    this.reader.pos += 1;
    this.push(type, pos, column);
  }

  private fetchEntry(): void {
    const { pos, column } = this.reader;
    if (!this.isInFlow && !this.isKeyAllowed) {
      this.reader.fail('block sequence entries are not allowed in this context');
    }
    this.roll('block list', { column, offset: pos });
    this.forgetKey();
    this.isKeyAllowed = true;
    this.reader.pos += 1;
    this.push('-', pos, column);
  }

  private fetchKey(): void {
    const { pos, column } = this.reader;
    if (!this.isInFlow && !this.isKeyAllowed) {
      this.reader.fail('mapping keys are not allowed in this context');
    }
    this.roll('block map', { column, offset: pos });
    this.forgetKey();
    this.isKeyAllowed = !this.isInFlow;
    this.reader.pos += 1;
    this.push('key', pos, column);
  }

  private fetchValue(): void {
    const { pos, column } = this.reader;
    const key = this.keys[this.keys.length - 1];
    if (key?.isPossible === true && !this.isFresh(key)) {
      this.forget(key);
    }
    if (key?.isPossible === true) {
      const at = key.number - this.taken;
      const { offset, column: keyColumn } = key;
      this.insert(at, 'key', offset, keyColumn);
      this.roll('block map', key, at);
      key.isPossible = false;
      this.isKeyAllowed = false;
    } else {
      if (!this.isInFlow && !this.isKeyAllowed) {
        this.reader.fail('mapping values are not allowed in this context');
      }
      this.roll('block map', { column, offset: pos });
      this.isKeyAllowed = !this.isInFlow;
    }
    this.reader.pos += 1;
    this.push('value', pos, column);
  }

  private fetchName(type: 'alias' | 'anchor'): void {
    const { reader } = this;
    const { pos, column } = reader;
    this.saveKey();
    this.isKeyAllowed = false;
    reader.pos += 1;
    while (/[\w-]/.test(String.fromCharCode(reader.at()))) {
      reader.pos += 1;
    }
    const name = reader.from(pos + 1);
    if (name === '' || !(isBlankOrEnd(reader.at()) || '?:,]}%@`'.includes(String.fromCharCode(reader.at())))) {
      reader.fail('did not find expected alphabetic or numeric character', pos);
    }
    this.push(type, pos, column, name);
  }

  /** The tag as it is written, `!`, `!!str`, `!<tag:yaml.org,2002:str>`. */
  private scanTag(): string {
    const { reader } = this;
    const { pos } = reader;
    while (!isBlankOrEnd(reader.at())) {
      reader.pos += 1;
    }
    const tag = reader.from(pos);
    const uri = String.raw`[\w\-;/?:@&=+$,.!~*'()[\]]|%[0-9A-Fa-f]{2}`;
    if (!new RegExp(`^!(?:<(?:${uri})+>|(?:${uri})*)$`).test(tag) || tag === '!!') {
      reader.fail('did not find expected tag', pos);
    }
    return tag;
  }
}
