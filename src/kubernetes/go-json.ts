import { isMap, type PlainMap } from '../validation/plain-data.js';
import { fieldsOfType, type KnownFields } from './workload-fields.js';

/**
 * An object of a type as encoding/json of Go reads it: OpenYurt, Argo and Kruise read a patched object with it, the API server and kubectl do not. A key
 * that no field has is the field with the same folded name, so `nodename` and `ſpec` are read; of several keys of one field the later ones are read into
 * what the earlier ones gave. What is patched has its keys in the order of their bytes.
 */
export function readByGo(value: unknown, type: string): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => readByGo(item, type));
  }
  if (!isMap(value)) {
    return value;
  }
  const fields = fieldsOfType(type);
  const result = new Map<string, unknown>();
  for (const key of Object.keys(value).sort()) {
    const field = fieldOf(key, fields);
    const of = fields.get(field);
    const read = of === undefined ? value[key] : readByGo(value[key], of);
    result.set(field, readInto(result.get(field), read));
  }
  return Object.fromEntries(result);
}

function readInto(earlier: unknown, later: unknown): unknown {
  return isMap(earlier) && isMap(later)
    ? Object.keys(later).reduce<PlainMap>((all, key) => ({ ...all, [key]: readInto(all[key], later[key]) }), earlier)
    : later;
}

function fieldOf(key: string, fields: KnownFields): string {
  if (fields.has(key)) {
    return key;
  }
  const name = folded(key);
  return [...fields.keys()].find((field) => folded(field) === name) ?? key;
}

/** foldName of encoding/json: Unicode has one more s and one more k. Names of fields have only letters of ASCII. */
function folded(name: string): string {
  return name
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
