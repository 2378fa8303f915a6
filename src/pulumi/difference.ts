import { isMap, type ObjectPath, type PlainMap } from '../validation/plain-data.js';

/**
 * Where two values differ: the deepest places that both have. A map with other keys, or a list of another length, differs as a whole.
 *
 * @param report called with the path of each place
 */
export function differences(a: unknown, b: unknown, report: (path: ObjectPath) => void, path: ObjectPath = []): void {
  if (Object.is(a, b)) {
    return;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    a.forEach((item, index) => differences(item, b[index], report, [...path, index]));
  } else if (isMap(a) && isMap(b) && haveSameKeys(a, b)) {
    Object.keys(a).forEach((key) => differences(a[key], b[key], report, [...path, key]));
  } else {
    report(path);
  }
}

function haveSameKeys(a: PlainMap, b: PlainMap): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b);
}

/** A copy of a value in which `replace` may put something else at any place; maps and lists are copied, everything else is taken over. */
export function copyWith(
  value: unknown,
  replace: (path: ObjectPath) => { readonly value: unknown } | undefined,
  path: ObjectPath = [],
): unknown {
  const replaced = replace(path);
  if (replaced !== undefined) {
    return replaced.value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => copyWith(item, replace, [...path, index]));
  }
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, copyWith(item, replace, [...path, key])]),
    );
  }
  return value;
}
