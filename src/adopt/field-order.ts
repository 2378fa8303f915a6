import { isMap, type PlainMap } from '../base/plain-data.js';

/** Fields in the order in which people write them; all others follow by name. */
const FIRST = new Map(
  [
    'apiVersion',
    'kind',
    'metadata',
    'type',
    'name',
    'namespace',
    'labels',
    'annotations',
    'key',
    'operator',
    'value',
    'values',
    'effect',
    'image',
    'command',
    'args',
    'replicas',
    'selector',
    'matchLabels',
  ].map((field, index) => [field, index]),
);

const rankOf = (field: string): number => FIRST.get(field) ?? FIRST.size;

/**
 * An object with its fields in the order of a person. A dump has the order of the API server, the files of cdk8s that of the alphabet: only with an order of
 * its own does each of them become the same program.
 */
export function inFieldOrder(object: PlainMap): PlainMap {
  return ordered(object) as PlainMap;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  if (!isMap(value)) {
    return value;
  }
  const entries = Object.entries(value).sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  // fromEntries, because a field may be called __proto__
  return Object.fromEntries(entries.map(([field, item]) => [field, ordered(item)]));
}
