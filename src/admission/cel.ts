import type { ProblemList } from '../base/errors.js';
import { showValue } from '../base/properties.js';

// characters that JSON does not escape, and that YAML parsers refuse (YAML 1.2, c-printable) or read as a byte order mark
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Text as a CEL string literal. No text can end the literal: quotes, backslashes and control characters are escaped (cel-spec, "String and Bytes
 * Values": CEL supports every escape sequence of JSON).
 */
export function celText(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\"/g, '"')
    .replace(/'/g, "\\'")
    .replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${inner}'`;
}

/** A list of texts as a CEL list. */
export function celTexts(texts: readonly string[]): string {
  return `[${texts.map(celText).join(', ')}]`;
}

/** The value of a label as CEL, or `otherwise` if the object does not have the label. `object` is an expression: `object`, `oldObject`, `params`. */
export function celLabel(object: string, key: string, otherwise = ''): string {
  return `${object}.metadata.?labels[?${celText(key)}].orValue(${celText(otherwise)})`;
}

/** The value of an annotation as CEL, `''` if there is none. `metadata` is an expression for the metadata. */
export function celAnnotation(metadata: string, key: string): string {
  return `${metadata}.?annotations[?${celText(key)}].orValue('')`;
}

// an unpaired surrogate: not a character, and CEL has no escape sequence for it
const HALF_CHARACTER = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Checks that text can be written as a CEL string. */
export function checkCelText(text: unknown, what: string, problems: ProblemList): void {
  if (typeof text !== 'string' || text === '') {
    problems.add('EDGE_TYPE', `${what} must be text, this is ${showValue(text) || 'empty'}`, `write ${what} as text`);
  } else if (HALF_CHARACTER.test(text)) {
    problems.add('EDGE_VALUE', `${what} contains an unpaired surrogate`, 'write it in valid Unicode');
  }
}
