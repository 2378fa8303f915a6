// Prints YAML that YAML 1.1 parsers (PyYAML in cloud-init) and YAML 1.2 parsers read alike: every text is in double quotes or a literal block, so that
// yes, 0644 and 22:22 stay text and no value can end early.

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

/**
 * A text as YAML, with a line break at its end.
 *
 * @param blockIndentation blanks before each line of a literal block, besides those of what it is in
 */
export function yamlOf(value: YamlValue, blockIndentation: 1 | 2 = 2): string {
  return `${linesOf(value, blockIndentation).join('\n')}\n`;
}

function linesOf(value: YamlValue, by: 1 | 2): string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? ['[]'] : (value as YamlValue[]).flatMap((item) => afterDash(item, by));
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value as { readonly [key: string]: YamlValue });
    return entries.length === 0 ? ['{}'] : entries.flatMap(([key, item]) => afterKey(quotedKey(key), item, by));
  }
  return [typeof value === 'string' ? quoted(value) : String(value)];
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function indented(lines: readonly string[], by: 1 | 2): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));
}

function afterKey(key: string, value: YamlValue, by: 1 | 2): string[] {
  if (typeof value === 'string' && isBlock(value)) {
    return [`${key}: ${headerOf(value)}`, ...indented(blockLines(value), by)];
  }
  return typeof value === 'object' && !isEmpty(value)
    ? [`${key}:`, ...indented(linesOf(value, by), 2)]
    : [`${key}: ${linesOf(value, by)[0]}`];
}

function afterDash(value: YamlValue, by: 1 | 2): string[] {
  if (typeof value === 'string' && isBlock(value)) {
    return [`- ${headerOf(value)}`, ...indented(blockLines(value), by)];
  }
  const [first = '', ...rest] = linesOf(value, by);
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
