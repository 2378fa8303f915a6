import { Yaml } from 'cdk8s';
import { type EdgeWarning, joinPath } from '../errors.js';
import { resolveScalar } from '../text/yaml-scalars.js';
import { isQuoted } from '../text/yaml-writer.js';
import { isMap } from '../validation/plain-data.js';

/** Line breaks of YAML 1.1: cdk8s does not escape them, and Kubernetes reads a blank in their place, or cannot read the file. */
const BREAKS = /[\u0085\u2028\u2029]/;

/** What Kubernetes reads in place of a text; undefined if cdk8s prints the text so that it is read as it is. */
function readAs(text: string): string | undefined {
  if (BREAKS.test(text)) {
    return 'something else in place of its line break (U+0085, U+2028 or U+2029)';
  }
  const value = resolveScalar(text)?.value;
  if (value === undefined || (isQuoted(text) ?? Yaml.stringify(text).trimEnd() !== text)) {
    return undefined;
  }
  return String(value);
}

/**
 * Warns of text in an object that cdk8s writes without quotes or escapes although Kubernetes then reads something else: cdk8s quotes for another reader of
 * YAML 1.1 (cdk8s/lib/yaml.js) than sigs.k8s.io/yaml.
 */
export function unquotedTextWarnings(value: unknown): EdgeWarning[] {
  return isReadOtherwise(value) ? warningsBelow(value, '') : [];
}

/** Without paths, which hardly any object needs. */
function isReadOtherwise(value: unknown): boolean {
  if (typeof value === 'string') {
    return readAs(value) !== undefined;
  }
  if (Array.isArray(value)) {
    return value.some(isReadOtherwise);
  }
  return isMap(value) && Object.keys(value).some((key) => readAs(key) !== undefined || isReadOtherwise(value[key]));
}

function warningsBelow(value: unknown, path: string): EdgeWarning[] {
  if (typeof value === 'string') {
    return warningsOf(value, path);
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => warningsBelow(item, joinPath(path, index)));
  }
  return !isMap(value)
    ? []
    : Object.entries(value).flatMap(([key, item]) => {
        const at = joinPath(path, key);
        return [...warningsOf(key, at), ...warningsBelow(item, at)];
      });
}

function warningsOf(text: string, path: string): EdgeWarning[] {
  const read = readAs(text);
  return read === undefined
    ? []
    : [
        {
          code: 'EDGE_YAML',
          path,
          message: `cdk8s prints the text ${JSON.stringify(text)} so that Kubernetes reads ${read}`,
          hint: "write another text; or apply JSON, { apiVersion: 'v1', kind: 'List', items: manifestsOf(app) }",
        },
      ];
}
