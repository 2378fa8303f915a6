import { isMap } from './plain-data.js';
import { escaped, resolveScalar } from './yaml-scalars.js';

// Prints values into given YAML, so that parsers of YAML 1.1, YAML 1.2 and JSON read them alike.

/** How maps and lists in braces are written. */
export interface FlowStyle {
  /** Every text in double quotes. */
  readonly isJson: boolean;
  /** No space after `:` and `,`. */
  readonly isCompact: boolean;
  /** One more step of indentation, if each field has its own line. */
  readonly step?: string;
}

// begins with a letter or like a flag: what else may be a number somewhere, and e2 is one for some parsers
const PLAIN = /^(?!-?e\d)-{0,2}[A-Za-z][A-Za-z0-9_./-]*$/i;
const PLAIN_IN_BLOCK = /^(?!-?e\d)-{0,2}[A-Za-z][A-Za-z0-9_./=,*+-]*$/i;
const WORDS = /^-?(?:y|n|yes|no|on|off|true|false|null|nan|inf|infinity)$/i;

/** Text in double quotes, valid in JSON too. */
function quotedText(text: string): string {
  return escaped(JSON.stringify(text));
}

/** A scalar; text without quotes if no parser reads it as anything else. */
function scalarText(value: unknown, isJson: boolean, plain = PLAIN): string {
  if (typeof value === 'string') {
    const isPlain = !isJson && plain.test(value) && !WORDS.test(value) && resolveScalar(value) === undefined;
    return isPlain ? value : quotedText(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  }
  const isScalar = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isScalar ? String(value) : 'null';
}

/** A key and its colon. */
function keyText(key: string, isJson: boolean): string {
  return `${scalarText(key, isJson)}:`;
}

/** Fields with braces around them, or items in brackets; the lines after the first begin with `indent`. */
export function flowText(value: unknown, style: FlowStyle, indent = ''): string {
  if (!Array.isArray(value) && !isMap(value)) {
    return scalarText(value, style.isJson);
  }
  const inner = indent + (style.step ?? '');
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => flowText(item, style, inner))]
    : ['{', '}', fieldTexts(value, style, inner)];
  return (
    open + joinFlow(parts, style, inner) + (style.step === undefined || parts.length === 0 ? '' : `\n${indent}`) + close
  );
}

/** `key: value` for each field of a map. */
export function fieldTexts(map: Readonly<Record<string, unknown>>, style: FlowStyle, indent: string): string[] {
  return Object.entries(map).map(
    ([key, value]) => keyText(key, style.isJson) + (style.isCompact ? '' : ' ') + flowText(value, style, indent),
  );
}

/** Parts with commas between them, each on its own line if there is a step. */
export function joinFlow(parts: readonly string[], { isCompact, step }: FlowStyle, indent: string): string {
  return step === undefined ? parts.join(isCompact ? ',' : ', ') : parts.map((part) => `\n${indent}${part}`).join(',');
}

const INLINE: FlowStyle = { isJson: false, isCompact: false };

/** Lines of a map or a list from a column on; `isFlat` lists are not indented. */
export function blockLines(value: unknown, isFlat: boolean, column: number): string[] {
  const lines: string[] = [];
  const indent = ' '.repeat(column);
  addLines(value, isFlat, indent, indent, lines);
  return lines;
}

/** @param first begins the first line, `indent` the others */
function addLines(value: unknown, isFlat: boolean, first: string, indent: string, lines: string[]): void {
  let lead = first;
  if (Array.isArray(value) && value.length > 0) {
    for (const item of value) {
      addLines(item, isFlat, `${lead}- `, `${indent}  `, lines);
      lead = indent;
    }
  } else if (isMap(value) && Object.keys(value).length > 0) {
    for (const key of Object.keys(value)) {
      const field = value[key];
      const isList = Array.isArray(field) && field.length > 0;
      if (isList || (isMap(field) && Object.keys(field).length > 0)) {
        lines.push(lead + keyText(key, false));
        const inner = isList && isFlat ? indent : `${indent}  `;
        addLines(field, isFlat, inner, inner, lines);
      } else {
        addLines(field, isFlat, `${lead}${keyText(key, false)} `, '', lines);
      }
      lead = indent;
    }
  } else {
    lines.push(lead + (typeof value === 'string' ? scalarText(value, false, PLAIN_IN_BLOCK) : flowText(value, INLINE)));
  }
}
