import type { ProblemList } from '../errors.js';
import { nameOf } from './object.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { readWorkload } from './object-input.js';

/** Identifies an object. */
export interface ObjectReference {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A copy of a given object as plain data; undefined, with problems, if it is not the expected one. */
export function readNamedObject(input: unknown, wanted: ObjectReference, problems: ProblemList): PlainMap | undefined {
  const { kind, namespace, name } = wanted;
  const command = `kubectl --namespace ${namespace} get ${kind.toLowerCase()} ${name} --output=yaml`;
  if (input === undefined || input === null || input === '') {
    problems.add(
      'EDGE_MISSING',
      `${kind} ${namespace}/${name} is required`,
      `give the object, or the output of: ${command}`,
    );
    return undefined;
  }
  const object = readWorkload(input, problems);
  if (object === undefined) {
    return undefined;
  }
  const metadata = mapAt(object, 'metadata');
  if (object.kind !== kind || metadata.name !== name || (metadata.namespace ?? namespace) !== namespace) {
    problems.add(
      'EDGE_WRONG_OBJECT',
      `this is ${nameOf(object)}, not ${kind} ${namespace}/${name}`,
      `give the output of: ${command}`,
    );
    return undefined;
  }
  return object;
}

/** The text at `data.<key>` of a ConfigMap; undefined, with a problem, if there is none. */
export function textOfConfigMap(configMap: PlainMap, key: string, problems: ProblemList): string | undefined {
  const { data } = configMap;
  const at = problems.at('data');
  if (!isMap(data)) {
    at.add('EDGE_MISSING', `${nameOf(configMap)} has no data`, `give the ConfigMap with its key ${key}`);
    return undefined;
  }
  const text = data[key];
  if (typeof text !== 'string') {
    const keys = Object.keys(data).join(', ');
    const hint = keys === '' ? `give the ConfigMap with its key ${key}` : `its keys are ${keys}`;
    at.at(key).add('EDGE_MISSING', `${nameOf(configMap)} has no text ${key}`, hint);
    return undefined;
  }
  return text;
}

/** A partial object for server-side apply. */
export function partialOf(apiVersion: string, { kind, namespace, name }: ObjectReference, fields: PlainMap): PlainMap {
  const { metadata, ...others } = fields;
  return { apiVersion, kind, metadata: { name, namespace, ...(isMap(metadata) ? metadata : {}) }, ...others };
}
