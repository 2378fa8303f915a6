import { isMap, type ObjectPath, type PlainMap, withoutValueAt, withValueAt } from '../base/plain-data.js';

/** A patch of an object, without which cdk8s would write another one. */
export interface LossPatch {
  /** JSON pointer. */
  readonly pointer: string;
  readonly value: unknown;
  readonly isReplaced: boolean;
}

/** A path as a JSON pointer. */
export function pointerOf(path: ObjectPath): string {
  return path.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/**
 * What an ApiObject of cdk8s leaves out: null, empty maps and lists of metadata (cdk8s/lib/metadata.js, toJson), and it refuses a map with a field named
 * `constructor` (cdk8s/lib/_util.js, sanitizeValue). Patches add them again.
 *
 * @returns the object that can be given, and the patches
 */
export function cdk8sLosses(object: PlainMap): { readonly given: PlainMap; readonly patches: readonly LossPatch[] } {
  const patches: LossPatch[] = [];
  let given: unknown = object;
  const visit = (value: unknown, path: ObjectPath): void => {
    const isInMetadata = path[0] === 'metadata';
    if (value === null) {
      const isReplaced = typeof path.at(-1) === 'number';
      patches.push({ pointer: pointerOf(path), value: null, isReplaced });
      given = isReplaced ? withValueAt(given, path, '') : withoutValueAt(given, path);
    } else if (path.at(-1) === 'constructor') {
      patches.push({ pointer: pointerOf(path), value, isReplaced: false });
      given = withoutValueAt(given, path);
    } else if (Array.isArray(value) || isMap(value)) {
      const entries = Object.entries(value);
      const isKept = entries.some(([key, item]) => item !== null && key !== 'constructor');
      if (isInMetadata && !isKept && path.length > 1) {
        patches.push({ pointer: pointerOf(path), value, isReplaced: false });
        given = withoutValueAt(given, path);
        return;
      }
      entries.forEach(([key, item]) => visit(item, [...path, Array.isArray(value) ? Number(key) : key]));
    }
  };
  visit(object, []);
  return { given: given as PlainMap, patches };
}
