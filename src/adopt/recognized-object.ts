import { EdgeError } from '../base/errors.js';
import { Declarations, type Scope } from '../cluster/scope.js';
import { MANIFEST_FORMAT, MANIFEST_FORMAT_LABEL, OWN_LABELS } from '../kubernetes/labels.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, same, valueAt } from '../base/plain-data.js';

/** Classes of this library that a program can use for an object. */
export type RecognizedClass =
  | 'HostNetworkNodePool'
  | 'RegularNodePool'
  | 'ExcludedWorkload'
  | 'HostNetworkWorkload'
  | 'EdgeSystemComponents'
  | 'PoolAdmission'
  | 'OpenYurtWebhooks';

/** How a program declares an object with a class of this library. */
export interface Recognized {
  readonly className: RecognizedClass;
  /** The properties besides the cluster and the pools. */
  readonly props: PlainMap;
  /** Names of the pools on which a workload runs. */
  readonly pools?: readonly string[];
  /** Fields that the class would add, and that the object does not have. */
  readonly without?: readonly ObjectPath[];
  /** Its objects of which a field is kept as it is in the cluster. */
  readonly kept?: readonly KeptObject[];
}

/** An object that differs in a few fields from what its declaration makes. */
export interface KeptObject {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly KeptField[];
}

/** A field as it is in the cluster. */
export interface KeptField {
  readonly path: ObjectPath;
  /** @default - the object does not have it */
  readonly value?: unknown;
  /** Whether the declaration writes another value, and not none. */
  readonly isReplaced: boolean;
}

/** An object that concerns edge pools, and how it is declared; or why only as it is. */
export interface Recognition {
  readonly recognized?: Recognized;
  /** Why it is a plain object. */
  readonly reason?: string;
}

/** One object of the program. */
export interface ImportedObject {
  /** As people have written it, with references in place of secrets. */
  readonly object: PlainMap;
  /** File and line: all lines of the file are read for it. */
  readonly place: () => string;
  /** Whether it concerns edge pools. */
  readonly isOfEdge: boolean;
  /** @default - it is declared as a plain object */
  readonly recognized?: Recognized;
  /** Why an object that concerns edge pools is a plain one. */
  readonly reason?: string;
  /** The file of patches that has it. */
  readonly patchFile?: string;
  /** Whether an API server has printed it: the defaults that it lacks are in the cluster.
   * @default false */
  readonly isStored?: boolean;
  /** Whether a declaration of several objects makes it.
   * @default false */
  readonly isInSet?: boolean;
}

/** A scope for a plan that is only compared. */
export function comparingScope(path: string, declared = new Declarations()): Scope {
  return { path, owner: {}, declared, atEnd: (produce) => produce() };
}

/** The result of a rule, or why it refuses its input. */
export function attempted<T>(rule: () => T): { readonly made: T } | { readonly refused: string } {
  try {
    return { made: rule() };
  } catch (error) {
    if (error instanceof EdgeError) {
      const [first] = error.problems;
      return { refused: `${first?.path ?? ''}: ${first?.message ?? error.message}`.replace(/^: /, '') };
    }
    throw error;
  }
}

/** Whether this library has written an object. Charts replace the label managed-by by their own. */
export function isOwn(object: PlainMap): boolean {
  return mapAt(mapAt(object, 'metadata'), 'labels')[MANIFEST_FORMAT_LABEL] === MANIFEST_FORMAT;
}

/** Whether a field may be another one than a class writes: the program then keeps it as it is. */
export type MayDiffer = (path: ObjectPath, made: unknown, there: unknown) => boolean;

/** Whether a field of the metadata is no matter of a class: what others mark an object with, and whether it has the labels of this library. */
export const isMark: MayDiffer = ([first, field, ...keys], made, there) => {
  if (first !== 'metadata' || (field !== 'labels' && field !== 'annotations')) {
    return false;
  }
  const keysOf = (value: unknown): string[] => Object.keys(isMap(value) ? value : {});
  const isOwnLabel = (key: string): boolean => key in OWN_LABELS;
  const [key] = keys.map(String);
  return key === undefined
    ? (made === undefined && keysOf(there).every(isForeign)) || (there === undefined && keysOf(made).every(isOwnLabel))
    : isOwnLabel(key) || (made === undefined && isForeign(key));
};

/** Other keys than those that this library reads: labels of Pods and policies, and the annotation of a component that a policy sees being patched. */
const isForeign = (key: string): boolean => !/^edge-nodepools|\/patched$/.test(key);

/** Fields in which an object differs from what its class makes; undefined if one of them may not. */
export function keptFields(
  made: PlainMap,
  object: PlainMap,
  mayDiffer: MayDiffer,
): Pick<Recognized, 'without' | 'kept'> | undefined {
  const fields = differences(made, object).map((path): KeptField => {
    const value = valueAt(object, path);
    return { path, isReplaced: valueAt(made, path) !== undefined, ...(value === undefined ? {} : { value }) };
  });
  if (!fields.every(({ path, value }) => mayDiffer(path, valueAt(made, path), value))) {
    return undefined;
  }
  const without = fields.filter(({ value }) => value === undefined).map(({ path }) => path);
  const kept = fields.filter(({ value }) => value !== undefined);
  const { name } = mapAt(object, 'metadata');
  return {
    ...(without.length === 0 ? {} : { without }),
    ...(kept.length === 0 ? {} : { kept: [{ kind: String(object.kind), name: String(name), fields: kept }] }),
  };
}

/** Paths at which two values differ; those of fields, not of what is in lists of different lengths. */
export function differences(a: unknown, b: unknown, path: ObjectPath = []): ObjectPath[] {
  if (same(a, b)) {
    return [];
  }
  if (isMap(a) && isMap(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => differences(a[key], b[key], [...path, key]));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item: unknown, index) => differences(item, b[index], [...path, index]));
  }
  return [path];
}
