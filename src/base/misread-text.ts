import { isMap } from './plain-data.js';
import { resolveScalar } from './yaml-scalars.js';
import { isQuoted } from './yaml-writer.js';

/** Line breaks of YAML 1.1, and characters that it does not have: cdk8s does not escape them, and Kubernetes reads a
 * blank in their place, or cannot read the file. */
const BREAKS = /[\u007f-\u009f\u2028\u2029]/;
/** Blanks and line breaks: cdk8s prints a block of which Kubernetes reads no blank, or which it refuses for a tab. */
const isBlank = (text: string): boolean => /^\s+$/.test(text) && /[ \t]/.test(text) && text.includes('\n');
/** A text of several lines that begins with a tab: cdk8s prints a block without its indentation, which go-yaml refuses (yaml_parser_scan_block_scalar_breaks). */
const TAB_FIRST = /^\n*\t[^\n]*\n|^\n+\t/;

/** What Kubernetes reads in place of a text; undefined if cdk8s prints the text so that it is read as it is. */
export function readAs(text: string): string | undefined {
  if (BREAKS.test(text)) {
    return 'something else in place of a character that YAML 1.1 does not have, or has as a line break (U+007F to U+009F, U+2028, U+2029)';
  }
  if (isBlank(text)) {
    return 'fewer blanks, or an error';
  }
  if (TAB_FIRST.test(text)) {
    return 'an error in place of the tab at its beginning';
  }
  const value = resolveScalar(text)?.value;
  return value === undefined || isQuoted(text) !== false ? undefined : String(value);
}

/** Whether an object has a text that cdk8s prints so that Kubernetes reads something else. */
export function isMisread(value: unknown): boolean {
  if (typeof value === 'string') {
    return readAs(value) !== undefined;
  }
  if (Array.isArray(value)) {
    return value.some(isMisread);
  }
  return isMap(value) && Object.keys(value).some((key) => readAs(key) !== undefined || isMisread(value[key]));
}

// JSON may have these as they are, YAML 1.1 not
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/** An object as JSON, which every reader of YAML reads as it is. */
export function jsonDocument(object: unknown): string {
  const text = JSON.stringify(object, undefined, 2).replace(
    NOT_IN_YAML,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}

/** Joins documents. kubectl takes a file that begins with `{` for JSON as a whole, so `---` is before such a document if others follow. */
export function* joinedDocuments(texts: Iterable<string>, count: number): Generator<string> {
  let index = 0;
  for (const text of texts) {
    yield index++ === 0 && !(count > 1 && text.startsWith('{')) ? text : `---\n${text}`;
  }
}
