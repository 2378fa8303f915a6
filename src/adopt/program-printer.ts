import { isMap } from '../base/plain-data.js';

// Prints values as TypeScript in the format of prettier with `singleQuote` and this width, so that the first run of a formatter changes nothing. Prettier itself
// is no dependency at run time: it has 8 MB, and only a promise of a result.

/** Columns of a line. */
export const LINE_WIDTH = 120;

/** An expression in place of a value, such as a variable or a call. */
export class Expression {
  constructor(public readonly text: string) {}
}

/** A call of a function with values. */
export class Call extends Expression {
  constructor(
    public readonly name: string,
    public readonly values: readonly unknown[],
  ) {
    super(name);
  }
}

/** Whether a value is read at run time, as a secret is. */
export function holdsExpression(value: unknown): boolean {
  return (
    value instanceof Expression ||
    (Array.isArray(value) ? value.some(holdsExpression) : isMap(value) && Object.values(value).some(holdsExpression))
  );
}

/** A value as TypeScript; its first line begins at a column, and the others are indented. */
export function printed(value: unknown, indent: number, column: number, after = 1): string {
  const flat = inline(value);
  if (flat !== undefined && column + flat.length + after <= LINE_WIDTH) {
    return flat;
  }
  const inner = indent + 2;
  const open = (lines: readonly string[], [begin, end]: readonly [string, string]): string =>
    [begin, ...lines.map((line) => `${' '.repeat(inner)}${line},`), `${' '.repeat(indent)}${end}`].join('\n');
  if (value instanceof Call) {
    const last = value.values.at(-1);
    const begin = [...value.values.slice(0, -1).map(inline), ''].join(', ');
    const isShort = column + value.name.length + 1 + begin.length + 1 <= LINE_WIDTH;
    // the last argument stands in the line of the call, if it alone can be broken
    return isBreakable(last) && !value.values.slice(0, -1).some(isBreakable) && isShort
      ? `${value.name}(${begin}${printed(last, indent, column + value.name.length + 1 + begin.length, after + 1)})`
      : open(
          value.values.map((item) => printed(item, inner, inner)),
          [`${value.name}(`, ')'],
        );
  }
  if (isNumbers(value)) {
    return filled(value, indent);
  }
  if (Array.isArray(value)) {
    return open(
      value.map((item) => printed(item, inner, inner)),
      ['[', ']'],
    );
  }
  if (isMap(value)) {
    return open(
      Object.entries(value).map(([key, item]) => entryText(keyText(key), item, inner)),
      ['{', '}'],
    );
  }
  return scalarText(value);
}

/** A call as a statement: `name(a, { … });`. */
export function callText(name: string, values: readonly unknown[], indent: number): string {
  return `${' '.repeat(indent)}${printed(new Call(name, values), indent, indent)};`;
}

const isBreakable = (value: unknown): boolean =>
  (Array.isArray(value) && value.length > 0) || (isMap(value) && Object.keys(value).length > 0);

/** `key: value`, at an indentation. */
function entryText(key: string, value: unknown, indent: number): string {
  if (value instanceof Expression && isShorthand(value, key)) {
    return value.text;
  }
  const text = printed(value, indent, indent + key.length + 2);
  const isLong = indent + key.length + 2 + text.length + 1 > LINE_WIDTH;
  // a long text begins on a line of its own, unless its key is hardly longer than the indentation
  return isLong && typeof value === 'string' && !text.startsWith('`') && key.length > 4
    ? `${key}:\n${' '.repeat(indent + 2)}${text}`
    : `${key}: ${text}`;
}

/** Whether a field needs no key: `cluster`, or `...pool`. */
function isShorthand(value: Expression, key: string): boolean {
  return !(value instanceof Call) && (value.text === key || value.text.startsWith('...'));
}

/** A value on one line; undefined if it has to have several. */
function inline(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return isList(value) ? undefined : joined(value.map(inline), '[', ']');
  }
  if (isMap(value)) {
    const entries = Object.entries(value);
    return entries.length === 0
      ? '{}'
      : entries.length > 4
        ? undefined
        : joined(
            entries.map(([key, item]) => {
              const text = inline(item);
              return text === undefined
                ? undefined
                : item instanceof Expression && isShorthand(item, key)
                  ? text
                  : `${keyText(key)}: ${text}`;
            }),
            '{ ',
            ' }',
          );
  }
  if (value instanceof Call) {
    return joined(value.values.map(inline), `${value.name}(`, ')');
  }
  const text = scalarText(value);
  return text.includes('\n') ? undefined : text;
}

function joined(parts: readonly (string | undefined)[], begin: string, end: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${begin}${parts.join(', ')}${end}`;
}

/** Lists that prettier never puts on one line: of several maps with several fields, or of several lists with several items. */
function isList(items: readonly unknown[]): boolean {
  const isLong = (item: unknown): boolean =>
    Array.isArray(item) ? item.length > 1 : isMap(item) && Object.keys(item).length > 1;
  const kinds = new Set(items.map((item) => (Array.isArray(item) ? 'list' : isMap(item) ? 'map' : 'scalar')));
  return items.length > 1 && kinds.size === 1 && !kinds.has('scalar') && items.every(isLong);
}

function isNumbers(items: unknown): items is readonly number[] {
  return Array.isArray(items) && items.length > 1 && items.every((item) => typeof item === 'number');
}

/** A list of numbers, with as many on each line as it can have. */
function filled(items: readonly number[], indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    const text = `${scalarText(item)},`;
    if (line !== '' && indent + 2 + line.length + 1 + text.length > LINE_WIDTH) {
      lines.push(line);
      line = text;
    } else {
      line = line === '' ? text : `${line} ${text}`;
    }
  }
  const pad = ' '.repeat(indent + 2);
  return ['[', ...[...lines, line].map((each) => pad + each), `${' '.repeat(indent)}]`].join('\n');
}

function keyText(key: string): string {
  // as a plain key it would set the prototype
  return key === '__proto__' ? "['__proto__']" : NAME.test(key) && !ASTRAL.test(key) ? key : quotedText(key);
}

/** Names of ECMAScript 5, which prettier writes without quotes, but for characters that nobody sees. */
const NAME = /^[$_\p{L}\p{Nl}][$\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u;
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

function scalarText(value: unknown): string {
  if (typeof value === 'string') {
    return /\n[^]/.test(value) ? templateText(value) : quotedText(value);
  }
  if (value instanceof Expression) {
    return value.text;
  }
  return Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e');
}

/** What an editor does not show, or a file in UTF-8 cannot hold. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufeff]/gu;

function escapedText(text: string): string {
  return text.replace(UNSHOWN, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A text in quotes: single ones, unless it has more of them than of double ones. */
export function quotedText(text: string): string {
  const count = (quote: string): number => text.split(quote).length - 1;
  const quote = count("'") > count('"') ? '"' : "'";
  const inside = text
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .split(quote)
    .join(`\\${quote}`);
  return `${quote}${escapedText(inside)}${quote}`;
}

/** A text with several lines, as it is. */
function templateText(text: string): string {
  const lines = text.replace(/[\\`]|\$(?=\{)/g, '\\$&').split('\n');
  return `\`${lines.map((line) => escapedText(line.replace(/\t/g, '\\t').replace(/\r/g, '\\r'))).join('\n')}\``;
}

/** An import of names, on one line if they fit. */
export function importText(names: readonly string[], from: string, isType = false): string {
  const begin = `import ${isType ? 'type ' : ''}{`;
  const keyOf = (name: string): string => name.replace(/^type /, '').toLowerCase();
  const sorted = [...names].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const flat = `${begin} ${sorted.join(', ')} } from ${quotedText(from)};`;
  // one name stays in its line
  return flat.length <= LINE_WIDTH || sorted.length === 1
    ? flat
    : [begin, ...sorted.map((name) => `  ${name},`), `} from ${quotedText(from)};`].join('\n');
}
