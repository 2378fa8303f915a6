import { isMap } from './plain-data.js';

/** Characters that the package `yaml` writes in double quotes with escapes (yaml/dist/stringify/stringifyString.js). */

const CONTROL = /[\0-\x08\v-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u;
/** A single line that cannot be plain: an indicator at its start, `: ` or ` #` in it, a blank or colon at its end (plainString, same file). */
const NOT_PLAIN = /^[\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][\t ]|:[\t ]|[\t ]#|[\t :]$/;
const DOCUMENT_MARKER = /^(?:%|---|\.\.\.)/m;
/** Text that begins as a value of YAML 1.1 does that is not text. */
const MAY_BE_VALUE = /^[-+.\d~YyNnTtFfOoEe]/;
/** The tests of the tags of yaml's schema yaml-1.1 (yaml/dist/schema/yaml-1.1). */
const VALUES = [
  /^(?:~|null|Null|NULL|Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON|N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
  /^[-+]?(?:0b[01_]+|0[0-7_]+|0x[\dA-Fa-f_]+)$/,
  /^[-+]?\d[\d_]*(?:(?::[0-5]?\d)+(?:\.[\d_]*)?)?$/,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
  /^[-+]?(?:\d[\d_]*)?\.[\d_]*$/,
  /^[-+]?(?:\d[\d_]*)?(?:\.[\d_]*)?[eE][-+]?\d+$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[\t ]+)\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:[\t ]*(?:Z|[-+][012]?\d(?::\d{2})?))?)?$/,
];
/** yaml writes longer keys in another form. */
const LONGEST_KEY = 1000;

/** Thrown, and caught, where the text of yaml is not surely known. */
class NotSimple extends Error {}

/**
 * The text of an object, with the same bytes as cdk8s writes: those of `stringify` of the package `yaml` with `version: '1.1'` and `lineWidth: 0`
 * (cdk8s/lib/yaml.js), in a fifth of the time. What is rare in manifests, such as control characters, aliases and class instances, is not written here.
 *
 * @returns undefined if it is not surely the same
 */
export function writeYaml(object: unknown): string | undefined {
  if (!isMap(object)) {
    return undefined;
  }
  try {
    return `${mapText(object, '', new Set<unknown>([object]))}\n`;
  } catch (error) {
    if (error instanceof NotSimple || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** Whether yaml writes a single line in quotes, so that no reader of YAML 1.1 takes it for a number or another value; undefined for other text. */
export function isQuoted(text: string): boolean | undefined {
  if (text === '<<' || text.includes('\n') || CONTROL.test(text)) {
    return undefined;
  }
  return text === '' || NOT_PLAIN.test(text) || isValue(text);
}

function isValue(text: string): boolean {
  return MAY_BE_VALUE.test(text) && VALUES.some((value) => value.test(text));
}

/** The lines of a map without the indent of the first, as each is written behind a key, a dash or nothing. */
function mapText(map: Record<string, unknown>, indent: string, seen: Set<unknown>): string {
  const keys = Object.keys(map);
  if (keys.length === 0) {
    return '{}';
  }
  const inner = `${indent}  `;
  let text = '';
  for (const key of keys) {
    const value = map[key];
    const start = text === '' ? '' : `\n${indent}`;
    const isBlock = typeof value === 'object' && value !== null && !isEmpty(value);
    text += `${start}${keyText(key, indent)}:${isBlock ? `\n${inner}` : ' '}${nodeText(value, inner, seen)}`;
  }
  return text;
}

function nodeText(value: unknown, indent: string, seen: Set<unknown>): string {
  if (typeof value === 'string') {
    return scalarText(value, indent);
  }
  if (typeof value === 'object' && value !== null) {
    // yaml writes the second of two references as an alias
    if (seen.has(value)) {
      throw new NotSimple();
    }
    seen.add(value);
    return Array.isArray(value)
      ? listText(value, indent, seen)
      : isMap(value)
        ? mapText(value, indent, seen)
        : notSimple();
  }
  if (value === null || typeof value === 'boolean') {
    return String(value);
  }
  return typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)
    ? JSON.stringify(value)
    : notSimple();
}

function listText(list: readonly unknown[], indent: string, seen: Set<unknown>): string {
  const inner = `${indent}  `;
  let text = '';
  for (const item of list) {
    text += `${text === '' ? '- ' : `\n${indent}- `}${nodeText(item, inner, seen)}`;
  }
  return text === '' ? '[]' : text;
}

function isEmpty(value: object): boolean {
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
}

function keyText(key: string, indent: string): string {
  if (key === '<<' || key.length > LONGEST_KEY || key.includes('\n') || (indent === '' && DOCUMENT_MARKER.test(key))) {
    throw new NotSimple();
  }
  return lineText(key);
}

function scalarText(text: string, indent: string): string {
  return text.includes('\n') ? blockText(text, indent) : text === '<<' ? notSimple() : lineText(text);
}

function lineText(text: string): string {
  const quoted = CONTROL.test(text) ? notSimple() : text === '' || NOT_PLAIN.test(text) || isValue(text);
  if (!quoted) {
    return text;
  }
  return text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text);
}

/** A literal block (blockString in yaml/dist/stringify/stringifyString.js). */
function blockText(text: string, indent: string): string {
  if (/\n[\t ]+$/.test(text) || CONTROL.test(text)) {
    throw new NotSimple();
  }
  const body = text.trimEnd();
  const isPlainEnd = text === body || text === `${body}\n`;
  if (body === '' || !isPlainEnd || /^[\s\ufeff]/.test(text)) {
    throw new NotSimple();
  }
  const lines = body.replace(/\n+/g, `$&${indent}`);
  return `|${text === body ? '-' : ''}\n${indent}${lines}`;
}

function notSimple(): never {
  throw new NotSimple();
}
