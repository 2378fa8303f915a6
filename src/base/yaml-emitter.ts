// Prints YAML that YAML 1.1 parsers (PyYAML in cloud-init) and YAML 1.2 parsers read alike: every text is in double quotes or a literal block, so that
// yes, 0644 and 22:22 stay text and no value can end early.

import { fillLines } from './fill-lines.js';

/** Plain data. */
export type YamlValue = string | number | boolean | readonly YamlValue[] | { readonly [key: string]: YamlValue };

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

// words that YAML 1.1 reads as booleans or null
const WORDS = /^(y|n|yes|no|on|off|true|false|null)$/i;

// printable characters of YAML 1.1, without line breaks of YAML 1.1 only (U+0085, U+2028, U+2029) and without the byte order mark
const CHARACTERS = String.raw`\t\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}`;
const PRINTABLE = new RegExp(`^[${CHARACTERS}]*$`, 'u');
const ESCAPED = new RegExp(String.raw`["\\\t]|[^${CHARACTERS}]`, 'gu');
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** How it is printed. */
export interface YamlStyle {
  /** Blanks before each line of a literal block, besides those of what it is in.
   * @default 2 */
  readonly blockIndentation?: 1 | 2;
  /** Whether a text that is a long list with commas takes several lines, for a screen.
   * @default false */
  readonly foldsLists?: boolean;
}

/** A text as YAML, with a line break at its end. */
export function yamlOf(value: YamlValue, style: YamlStyle = {}): string {
  return `${linesOf(value, style).join('\n')}\n`;
}

function linesOf(value: YamlValue, style: YamlStyle): string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? ['[]'] : (value as YamlValue[]).flatMap((item) => afterDash(item, style));
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value as { readonly [key: string]: YamlValue });
    return entries.length === 0 ? ['{}'] : entries.flatMap(([key, item]) => afterKey(quotedKey(key), item, style));
  }
  return typeof value !== 'string' ? [String(value)] : style.foldsLists === true ? folded(value) : [quoted(value)];
}

// of 120, with key, quotes and indentation of a value of kubeletExtraArgs in a cloud-config
const LIST_WIDTH = 102;

/** A long list with commas as several lines: a backslash at the end of a line joins it with the next one (YAML 1.1, 5.5.3). */
function folded(text: string): string[] {
  if (text.length <= LIST_WIDTH || !/^[\w.,:/=@%+-]+$/.test(text)) {
    return [quoted(text)];
  }
  return quoted(fillLines(text.split(/(?=,)/), '', LIST_WIDTH).join('\n'))
    .split('\\n')
    .map((line, index, all) => (index < all.length - 1 ? `${line}\\` : line));
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function indented(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));
}

function afterKey(key: string, value: YamlValue, style: YamlStyle): string[] {
  if (typeof value === 'string' && isBlock(value)) {
    return [`${key}: ${headerOf(value)}`, ...indented(blockLines(value), style.blockIndentation ?? 2)];
  }
  const [first = '', ...rest] = linesOf(value, style);
  return typeof value === 'object' && !isEmpty(value)
    ? [`${key}:`, ...indented([first, ...rest], 2)]
    : [`${key}: ${first}`, ...indented(rest, 2)];
}

function afterDash(value: YamlValue, style: YamlStyle): string[] {
  if (typeof value === 'string' && isBlock(value)) {
    return [`- ${headerOf(value)}`, ...indented(blockLines(value), style.blockIndentation ?? 2)];
  }
  const [first = '', ...rest] = linesOf(value, style);
  return [`- ${first}`, ...indented(rest, 2)];
}

function quotedKey(key: string): string {
  return PLAIN_KEY.test(key) && !WORDS.test(key) ? key : quoted(key);
}

/** Whether text can be a literal block. Text that begins with white space or ends with blank lines is quoted: it would need an indentation indicator. */
function isBlock(text: string): boolean {
  const lines = text.split('\n');
  return (
    lines.length > 1 && /^[^\s]/.test(text) && /[^\s]\n?$/.test(text) && lines.every((line) => PRINTABLE.test(line))
  );
}

function headerOf(text: string): string {
  return text.endsWith('\n') ? '|' : '|-';
}

function blockLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Text in double quotes; characters that are not printable in YAML 1.1 and 1.2 are escaped by code point. */
export function quoted(text: string): string {
  return `"${text.replace(ESCAPED, escaped)}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return ESCAPES[character] ?? (code > 0xff ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`);
}
