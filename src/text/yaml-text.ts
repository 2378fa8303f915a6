import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions } from 'yaml';
import type { ProblemList } from '../errors.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';

/**
 * Reads YAML as Kubernetes clients do (sigs.k8s.io/yaml): YAML 1.1 booleans and octal numbers, merge keys, but neither dates nor base-60
 * numbers, which stay text.
 */
export function parseOptions(): ParseOptions & DocumentOptions & SchemaOptions {
  return {
    // eslint-disable-next-line no-restricted-syntax -- a YAML version, not a release
    version: '1.1',
    merge: true,
    intAsBigInt: true,
    // what is odd about a document is said by checks of its content, not by the parser on the terminal of the user
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

/** The one object in a YAML text; reports text that is broken, empty, or holds several objects. */
export function objectFromYaml(text: string, problems: ProblemList): PlainMap | undefined {
  const documents = objectsFromYaml(text, problems);
  if (documents === undefined) {
    return undefined;
  }
  const [first, ...others] = documents;
  if (first === undefined) {
    problems.add('EDGE_YAML', 'the text holds no object', 'write one Kubernetes object as YAML');
    return undefined;
  }
  if (others.length > 0) {
    problems.add(
      'EDGE_YAML',
      `the text holds ${documents.length} objects`,
      'give one object each; or load the file with Include (cdk8s) or ConfigGroup (Pulumi), and exclude what is in it',
    );
    return undefined;
  }
  return first;
}

/** All objects in a YAML text, empty documents left out; undefined (and a problem) when the text can not be read. */
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
        `the YAML can not be read${where}: ${error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')}`,
        'mend the YAML at that place',
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

/** The documents as plain data. Refuses alias bombs, and integers that JavaScript can not hold exactly, which would silently become others. */
function plainValues(list: Document[], problems: ProblemList): unknown[] | undefined {
  const found = problems.problems.length;
  const reviver = (key: unknown, value: unknown): unknown => {
    if (typeof value !== 'bigint') {
      return value;
    }
    if (!Number.isSafeInteger(Number(value))) {
      problems.add(
        'EDGE_YAML',
        `JavaScript can not hold the integer ${value} (at ${String(key)}) exactly`,
        'write it in quotes where Kubernetes takes text (quantities), or give the object as YAML to kubectl itself',
      );
    }
    return Number(value);
  };
  try {
    const values = list.map((document): unknown => document.toJS({ reviver }));
    return problems.problems.length > found ? undefined : values;
  } catch (error) {
    problems.add(
      'EDGE_YAML',
      `the YAML can not be read: ${(error as Error).message}`,
      'write it without aliases (*name)',
    );
    return undefined;
  }
}
