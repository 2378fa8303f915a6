import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions } from 'yaml';
import type { ProblemList } from '../errors.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';

/**
 * Options to parse YAML as Kubernetes clients do (sigs.k8s.io/yaml): YAML 1.1 booleans and octal numbers, merge keys; dates and base-60 numbers stay
 * text.
 */
export function parseOptions(): ParseOptions & DocumentOptions & SchemaOptions {
  return {
    // eslint-disable-next-line no-restricted-syntax -- a YAML version, not a release
    version: '1.1',
    merge: true,
    intAsBigInt: true,
    // checks of the content report problems; the parser must not print warnings to the terminal
    logLevel: 'error',
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || (tag.tag !== 'tag:yaml.org,2002:timestamp' && tag.format !== 'TIME'),
      ),
  };
}

function parse(text: string): ReturnType<typeof parseAllDocuments> {
  return parseAllDocuments(text, parseOptions());
}

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

/** All objects in a YAML text, without empty documents; undefined, with a problem, if the text is invalid. */
export function objectsFromYaml(text: string, problems: ProblemList): PlainMap[] | undefined {
  const documents = parse(text);
  const list = Array.isArray(documents) ? documents : [];
  for (const document of list) {
    const error = document.errors[0];
    if (error !== undefined) {
      const place = error.linePos?.[0];
      const where = place === undefined ? '' : ` (line ${place.line}, column ${place.col})`;
      problems.add(
        'EDGE_YAML',
        `invalid YAML${where}: ${error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')}`,
        'fix the YAML at that position',
      );
      return undefined;
    }
  }
  const values = plainValues(list, problems)?.filter((value) => value !== null && value !== undefined);
  if (values === undefined) {
    return undefined;
  }
  const stray = values.findIndex((value) => !isMap(value));
  if (stray >= 0) {
    problems.add(
      'EDGE_YAML',
      `document ${stray} is not a map`,
      'write a Kubernetes object: apiVersion, kind, metadata, …',
    );
    return undefined;
  }
  return values as PlainMap[];
}

/** The documents as plain data. Refuses alias bombs, and integers that JavaScript cannot represent exactly, which would silently change. */
function plainValues(list: Document[], problems: ProblemList): unknown[] | undefined {
  const found = problems.problems.length;
  const reviver = (key: unknown, value: unknown): unknown => {
    if (typeof value !== 'bigint') {
      return value;
    }
    if (!Number.isSafeInteger(Number(value))) {
      problems.add(
        'EDGE_YAML',
        `JavaScript cannot represent the integer ${value} (at ${String(key)}) exactly`,
        'write it in quotes if Kubernetes accepts text there (quantities), or apply the YAML with kubectl',
      );
    }
    return Number(value);
  };
  try {
    const values = list.map((document): unknown => document.toJS({ reviver }));
    return problems.problems.length > found ? undefined : values;
  } catch (error) {
    problems.add('EDGE_YAML', `invalid YAML: ${(error as Error).message}`, 'write it without aliases (*name)');
    return undefined;
  }
}
