import { type EdgeWarning, joinPath } from '../base/errors.js';
import { isMisread, readAs } from '../base/misread-text.js';
import { isMap } from '../base/plain-data.js';

/**
 * Warns of text in an object that cdk8s writes without quotes or escapes although Kubernetes then reads something else: cdk8s quotes for another reader of
 * YAML 1.1 (cdk8s/lib/yaml.js) than sigs.k8s.io/yaml.
 */
export function unquotedTextWarnings(value: unknown): EdgeWarning[] {
  return isMisread(value) ? warningsBelow(value, '') : [];
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
          hint: 'write new EdgeApp() in place of new App(), which prints such an object as JSON; or another text',
        },
      ];
}
