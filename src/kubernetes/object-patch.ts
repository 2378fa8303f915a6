import { isMap, type PlainMap } from '../base/plain-data.js';
import { fieldsOfType, type KnownFields } from './workload-fields.js';

/** One operation of a JSON patch (RFC 6902), as OpenYurt writes it; it knows no other operations. */
interface PatchOperation {
  readonly operation: 'add' | 'remove' | 'replace';
  /** JSON pointer, `/spec/template/spec/affinity`. */
  readonly path: string;
  /** @default null */
  readonly value?: unknown;
}

/** Whether a value is an operation that can be applied. */
export function isPatchOperation(value: unknown): value is PatchOperation {
  return (
    isMap(value) && typeof value.path === 'string' && ['add', 'remove', 'replace'].includes(value.operation as string)
  );
}

/** A copy of an object with an operation applied; the same object if its path leads nowhere, in which case OpenYurt applies nothing at all. */
export function patched(object: unknown, { operation, path, value = null }: PatchOperation): unknown {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
  return changed(object, steps, operation, value);
}

function changed(object: unknown, steps: readonly string[], operation: string, value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) {
    return operation === 'remove' ? null : value;
  }
  if (Array.isArray(object)) {
    return changedList(object as unknown[], step, rest, operation, value);
  }
  if (!isMap(object) || (object[step] === undefined && (rest.length > 0 || operation !== 'add'))) {
    return object;
  }
  if (rest.length === 0 && operation === 'remove') {
    return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step));
  }
  return { ...object, [step]: changed(object[step], rest, operation, value) };
}

/** A step into a list: a position, counted from the end if it is negative, or `-` for a new last item (evanphx/json-patch 4). */
function changedList(
  list: readonly unknown[],
  step: string,
  rest: readonly string[],
  operation: string,
  value: unknown,
): unknown {
  const isNew = rest.length === 0 && operation === 'add';
  const length = list.length + (isNew ? 1 : 0);
  const number = step === '-' && isNew ? list.length : /^-?\d+$/.test(step) ? Number(step) : NaN;
  const index = number < 0 ? number + length : number;
  if (!(index >= 0 && index < length)) {
    return list;
  }
  const items = isNew ? [value] : [changed(list[index], rest, operation, value)];
  const isRemoved = rest.length === 0 && operation === 'remove';
  return [...list.slice(0, index), ...(isRemoved ? [] : items), ...list.slice(isNew ? index : index + 1)];
}

/**
 * A copy of a map with a strategic merge patch applied, as far as maps are concerned: null and `$patch: delete` remove, `$patch: replace` replaces, maps
 * are merged. Lists are replaced as a whole, which is right for those of node affinity, and not for containers or volumes.
 */
export function strategicallyMerged(object: unknown, patch: PlainMap): PlainMap {
  const { $patch: directive, ...fields } = patch;
  if (directive === 'replace') {
    return fields;
  }
  if (directive === 'delete') {
    return {};
  }
  const result = new Map(Object.entries(isMap(object) ? object : {}));
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) {
      result.delete(key);
    } else {
      result.set(key, isMap(value) ? strategicallyMerged(result.get(key), value) : value);
    }
  }
  return Object.fromEntries(result);
}

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
