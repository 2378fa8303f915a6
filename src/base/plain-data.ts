import { holdsOutput, OUTPUT_IN_TEXT, ProblemList } from './errors.js';

/** A plain map. */
export type PlainMap = Record<string, unknown>;

export function isMap(value: unknown): value is PlainMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // of another realm, such as a test's, the name is the same
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (prototype as { constructor?: { name?: string } }).constructor?.name === 'Object'
  );
}

/** The map at a field, or an empty map when the field is absent. For reading only: nothing written to it reaches the object. */
export function mapAt(map: PlainMap, field: string): PlainMap {
  const value = map[field];
  return isMap(value) ? value : {};
}

/**
 * A deep copy of maps and lists. Everything else (scalars, and instances such as cdk8s tokens or unknown values) is kept by reference.
 */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => copyOf(item)) as T;
  }
  if (isMap(value)) {
    const copy: PlainMap = {};
    for (const key of Object.keys(value)) {
      setEntry(copy, key, copyOf((value as PlainMap)[key]));
    }
    return copy as T;
  }
  return value;
}

/** Sets an entry of a map, `__proto__` too. */
function setEntry(map: PlainMap, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[key] = value;
  }
}

/** Reports values that a manifest cannot hold: functions, dates, NaN and infinity, cycles. */
export function checkPlain(value: unknown, problems: ProblemList, above = new Set<unknown>()): void {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    problems.add(
      'EDGE_TYPE',
      `a manifest cannot hold a ${typeof value}`,
      'write a string, number, boolean, list or map',
    );
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    problems.add('EDGE_TYPE', `a manifest cannot hold ${value}`, 'write a finite number, or a string');
  } else if (value instanceof Date) {
    problems.add('EDGE_TYPE', 'a manifest cannot hold a Date', 'write it as text: date.toISOString()');
  } else if (value instanceof Map || value instanceof Set || value instanceof Uint8Array) {
    problems.add(
      'EDGE_TYPE',
      `a manifest cannot hold a ${value.constructor.name}`,
      'write a plain map or list, and bytes as base64 text',
    );
  } else if (Array.isArray(value) || isMap(value)) {
    if (above.has(value)) {
      problems.add('EDGE_TYPE', 'the object contains itself', 'write a tree, in which no map or list contains itself');
      return;
    }
    above.add(value);
    for (const [key, item] of Object.entries(value)) {
      // most of what a manifest holds needs no place for a problem
      if (typeof item !== 'string' && typeof item !== 'boolean' && item !== null && item !== undefined) {
        checkPlain(item, problems.at(Array.isArray(value) ? Number(key) : key), above);
      }
    }
    above.delete(value);
  }
}

/**
 * Throws if a map or list contains itself, or if a text was made of an Output. Everything that is given is walked, so this comes first.
 *
 * @param subject what the value belongs to
 * @throws {@link EdgeError} with EDGE_TYPE, or EDGE_KNOWN_LATER
 */
export function requireTree(value: unknown, subject: string): void {
  const above = new Set<unknown>();
  const path: (string | number)[] = [];
  const found = new ProblemList();
  const requireText = (text: unknown): void => {
    if (typeof text === 'string' && holdsOutput(text)) {
      found.at(...path).add('EDGE_KNOWN_LATER', OUTPUT_IN_TEXT.message, OUTPUT_IN_TEXT.hint);
    }
  };
  const walk = (at: unknown): void => {
    if (!Array.isArray(at) && !isMap(at)) {
      requireText(at);
      return;
    }
    if (above.has(at)) {
      const problems = new ProblemList();
      problems
        .at(...path.slice(0, 20))
        .add('EDGE_TYPE', 'the object contains itself', 'write a tree, in which no map or list contains itself');
      problems.throwIfAny(subject);
    }
    above.add(at);
    for (const [key, item] of Object.entries(at)) {
      requireText(key);
      path.push(Array.isArray(at) ? Number(key) : key);
      walk(item);
      path.pop();
    }
    above.delete(at);
  };
  walk(value);
  found.throwIfAny(subject);
}

/** A new map with one field set; an existing field keeps its position. */
export function withField(map: PlainMap, field: string, value: unknown): PlainMap {
  return { ...map, [field]: value };
}

/** The entry of a table for a name that a user gives: `constructor` is in no table. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A path in an object: names of fields, and positions in lists. */
export type ObjectPath = readonly (string | number)[];

/** A copy of `root` in which the value at `path` is replaced by `change(value)`. Missing maps are created. */
export function withChangeAt(root: PlainMap, path: ObjectPath, change: (value: PlainMap) => PlainMap): PlainMap {
  return changed(root, path, 0, change) as PlainMap;
}

function changed(value: unknown, path: ObjectPath, depth: number, change: (value: PlainMap) => unknown): unknown {
  const step = path[depth];
  if (typeof step === 'number') {
    const items = [...(value as unknown[])];
    if (step < items.length) {
      items[step] = changed(items[step], path, depth + 1, change);
    }
    return items;
  }
  const map = isMap(value) ? value : {};
  return step === undefined ? change(map) : withField(map, step, changed(map[step], path, depth + 1, change));
}

/** The value at a path; undefined where a step is missing. */
export function valueAt(root: unknown, path: ObjectPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof step === 'number') {
      return Array.isArray(value) ? (value as unknown[])[step] : undefined;
    }
    return isMap(value) ? value[step] : undefined;
  }, root);
}

/** A copy of `root` with another value at `path`. Missing maps are created. */
export function withValueAt(root: unknown, path: ObjectPath, value: unknown): unknown {
  return changed(root, path, 0, () => value);
}

/** A copy of `root` without the field or item at `path`; `root` itself if there is none. */
export function withoutValueAt(root: unknown, path: ObjectPath): unknown {
  const parentPath = path.slice(0, -1);
  const name = path[path.length - 1] ?? '';
  const parent = valueAt(root, parentPath);
  if (Array.isArray(parent)) {
    return withValueAt(
      root,
      parentPath,
      parent.filter((_, index) => index !== name),
    );
  }
  return isMap(parent) && Object.hasOwn(parent, name)
    ? withValueAt(root, parentPath, Object.fromEntries(Object.entries(parent).filter(([key]) => key !== name)))
    : root;
}

/** Whether two plain values are equal; the order of fields does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
  }
  return false;
}
