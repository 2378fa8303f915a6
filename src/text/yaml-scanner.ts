import { CHAR, isBlank, isBlankOrEnd, isBreak, YamlReader } from './yaml-reader.js';
import { scanBlock, scanPlain, scanQuoted } from './yaml-scalar-text.js';
import type { PossibleKey, Token, TokenType } from './yaml-token.js';

const MAX_DEPTH = 10000;
const MAX_KEY_LENGTH = 1024;
const FLOW: Readonly<Record<string, TokenType>> = { '[': '[', ']': ']', '{': '{', '}': '}', ',': ',' };
const INDICATORS = '-?:,[]{}#&*!|>\'"%@`';

/**
 * The tokens of a YAML text, as yaml_parser_fetch_next_token of go.yaml.in/yaml/v2 (scannerc.go) finds them; sigs.k8s.io/yaml, and with it kubectl and
 * Helm, reads manifests with it. A parser of YAML 1.2 does not find the same ones: indentation of quoted text, line breaks, characters in plain text.
 */
export class YamlScanner {
  private readonly reader: YamlReader;
  private readonly queue: Token[] = [];
  /** Tokens that were taken. */
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
    while (this.queue.length === 0 || this.mayBeKey()) {
      this.fetch();
    }
    return this.queue[0] as Token;
  }

  public next(): Token {
    const token = this.peek();
    this.queue.shift();
    this.taken += 1;
    return token;
  }

  private get isInFlow(): boolean {
    return this.keys.length > 1;
  }

  private push(type: TokenType, start: number, column: number, value = '', end = this.reader.pos): void {
    this.queue.push({ type, start, end, value, column, key: this.saved });
    this.saved = undefined;
  }

  /** Whether the next token may still become a key: on the same line, and not too long. */
  private mayBeKey(): boolean {
    const key = this.queue[0]?.key;
    if (key?.isPossible === true && !this.isFresh(key)) {
      this.forget(key);
    }
    return key?.isPossible === true;
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
    this.queue.splice(at ?? this.queue.length, 0, {
      type,
      start: offset,
      end: offset,
      value: '',
      column,
      key: undefined,
    });
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
      while (reader.at() === CHAR.SPACE || (reader.at() === CHAR.TAB && (this.isInFlow || !this.isKeyAllowed))) {
        reader.pos += 1;
      }
      if (reader.at() === CHAR.HASH) {
        reader.skipToBreak();
      }
      if (!isBreak(reader.at())) {
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
    const { pos, column } = reader;
    const code = reader.at();
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
      this.saveKey();
      const { value, end, brokeLine } = scanPlain(reader, this.indent + 1, this.isInFlow);
      this.isKeyAllowed = brokeLine;
      this.push('plain', pos, column, value, end);
    } else {
      reader.fail('found character that cannot start any token');
    }
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
      this.queue.splice(at, 0, {
        type: 'key',
        start: offset,
        end: offset,
        value: '',
        column: keyColumn,
        key: undefined,
      });
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
