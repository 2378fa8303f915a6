import { joinPath, type ProblemList } from './errors.js';
import { isMap, type PlainMap } from './plain-data.js';
import { parseNodes } from './yaml-nodes.js';
import { YamlSyntaxError } from './yaml-reader.js';
import { escaped } from './yaml-scalars.js';
import { splitStream } from './yaml-stream.js';
import type { YamlNode } from './yaml-tree.js';
import { valueOf } from './yaml-values.js';

/** The object in a YAML text; undefined, with a problem, if the text is invalid, empty, or has several objects. */
export function objectFromYaml(text: string, problems: ProblemList): PlainMap | undefined {
  const documents = objectsFromYaml(text, problems);
  if (documents === undefined) {
    return undefined;
  }
  const [first, ...others] = documents;
  if (first === undefined) {
    problems.add('EDGE_YAML', 'the text has no object', 'write one Kubernetes object as YAML');
    return undefined;
  }
  if (others.length > 0) {
    problems.add(
      'EDGE_YAML',
      `the text has ${documents.length} objects`,
      'give one object each; or load the file with Include (cdk8s) or ConfigGroup (Pulumi), and exclude its workloads',
    );
    return undefined;
  }
  return first;
}

/**
 * All objects in a YAML text, without empty documents; undefined, with a problem, if the text is invalid.
 *
 * @param integers `exact` refuses those that JavaScript cannot represent; `rounded`, for objects that are judged and never written, takes the nearest number;
 * `kept` gives them as bigint
 * @param onRoots gets the nodes of each document, and where it begins in the text
 */
export function objectsFromYaml(
  text: string,
  problems: ProblemList,
  integers: 'exact' | 'rounded' | 'kept' = 'exact',
  onRoots?: (roots: readonly YamlNode[], offset: number) => void,
): PlainMap[] | undefined {
  const found = problems.problems.length;
  const values: unknown[] = [];
  let offset = 0;
  for (const { marker, body } of splitStream(text)) {
    try {
      const { roots } = parseNodes(marker + yamlOf(body));
      const read = roots.map((root) => valueOf(root));
      const refusing = integers === 'exact' ? problems : undefined;
      values.push(...(integers === 'kept' ? read : read.map((value) => withoutBigints(value, [], refusing))));
      onRoots?.(roots, offset);
    } catch (error) {
      addSyntaxProblem(error, text, offset, problems);
      return undefined;
    }
    offset += marker.length + body.length;
  }
  if (problems.problems.length > found) {
    return undefined;
  }
  const stray = values.findIndex((value) => value !== null && !isMap(value));
  if (stray >= 0) {
    problems.add(
      'EDGE_YAML',
      `document ${stray + 1} of the text is not a YAML mapping`,
      hintForText(text) ?? 'write a Kubernetes object: apiVersion, kind, metadata, …',
    );
    return undefined;
  }
  const objects = values.filter((value) => value !== null) as PlainMap[];
  if (objects.some(isCutOff)) {
    problems.add(
      'EDGE_YAML',
      'it is cut off: kubectl writes the kind of a list behind its items, and there is none',
      'write the file again, and look at the exit code of kubectl',
    );
    return undefined;
  }
  return objects;
}

/** Whether a text ends before the kind of a list, or in it. Files of other programs have no kind either, but neither items. */
function isCutOff(object: PlainMap): boolean {
  const { apiVersion, kind } = object;
  return (
    apiVersion !== undefined && ('items' in object ? !String(kind).endsWith('List') : Object.keys(object).length === 1)
  );
}

/** What to give in place of text that is a table of kubectl, or a program; undefined for any other. */
function hintForText(text: string): string | undefined {
  if (/^(?:NAME|NAMESPACE) {2,}|^NAME +STATUS /.test(text)) {
    return 'write the output of kubectl get with --output=yaml';
  }
  return /^(?:\s*\/[/*].*\n)*\s*(?:import|export|const) /.test(text)
    ? 'this is a program: run it, for example with npm run synth, and give the folder that it writes'
    : undefined;
}

/** What to write for invalid YAML. */
function hintForSyntax(message: string, text: string, line: string): string {
  if (line.includes('{{') && line.includes('}}')) {
    return 'this is a template of Helm: give what helm template writes';
  }
  if (/^ *\t/.test(line)) {
    return 'write blanks in place of the tab';
  }
  return (
    hintForText(text) ??
    (/alias|anchor/.test(message) ? 'write it without aliases (*name)' : 'fix the YAML at that position')
  );
}

/** `kubectl get -o json` prints characters that no YAML may contain, and kubectl reads them: JSON is not YAML for it. */
function yamlOf(body: string): string {
  const yaml = body.trimStart().startsWith('{') ? escaped(body) : body;
  return yaml === body || isJson(body) ? yaml : body;
}

/**
 * Refuses what begins as JSON, is YAML and not JSON, such as a comma at the end or single quotes: kubectl takes it for JSON.
 *
 * @param objects what was read of it; for what cannot be read at all there is a problem already
 * @returns whether it is accepted
 */
export function checkJson(text: string, objects: readonly unknown[], problems: ProblemList): boolean {
  if (objects.length === 0 || !text.trimStart().startsWith('{')) {
    return true;
  }
  try {
    JSON.parse(splitStream(text)[0]?.body ?? '');
    return true;
  } catch (error) {
    const message = (error as SyntaxError).message;
    // several objects, one after the other
    if (/after JSON/.test(message)) {
      return true;
    }
    const [, offset] = /position (\d+)/.exec(message) ?? [];
    const before = text.slice(0, Number(offset ?? text.length)).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    const hint = 'write keys and texts in double quotes, and no comma behind the last item; or YAML without the braces';
    problems.add(
      'EDGE_YAML',
      `invalid JSON (${place}), for which kubectl takes it: ${message.replace(/ (?:at|in JSON at) position.*/, '')}`,
      hint,
    );
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Tells where in a text Kubernetes clients fail. @param offset of the document in the text */
export function addSyntaxProblem(error: unknown, text: string, offset: number, problems: ProblemList): void {
  if (error instanceof YamlSyntaxError) {
    const before = text.slice(0, offset + error.offset).split('\n');
    const column = (before[before.length - 1] ?? '').length + 1;
    problems.add(
      'EDGE_YAML',
      `invalid YAML (line ${before.length}, column ${column}): ${error.message}`,
      hintForSyntax(error.message, text, text.split('\n')[before.length - 1] ?? ''),
    );
  } else if (error instanceof RangeError) {
    problems.add('EDGE_YAML', 'the YAML is nested too deeply', 'write less than a thousand levels');
  } else {
    throw error;
  }
}

/**
 * Rounds integers that JavaScript cannot represent exactly, and adds a problem for each: they would silently change.
 *
 * @param path the steps to the value, which are only read for a problem
 */
export function withoutBigints(value: unknown, path: (string | number)[], problems?: ProblemList): unknown {
  if (typeof value === 'bigint') {
    problems?.add(
      'EDGE_YAML',
      `JavaScript cannot represent the integer ${value} (at ${path.reduce<string>(joinPath, '')}) exactly`,
      'write it in quotes if Kubernetes accepts text there (quantities), or apply the YAML with kubectl',
    );
    return Number(value);
  }
  if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    const fields = value as Record<string, unknown>;
    for (const [name, item] of Object.entries(fields)) {
      if (typeof item === 'bigint' || typeof item === 'object') {
        path.push(isList ? Number(name) : name);
        fields[name] = withoutBigints(item, path, problems);
        path.pop();
      }
    }
  }
  return value;
}
