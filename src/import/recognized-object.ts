import { EdgeError } from '../errors.js';
import { Declarations, type Scope } from '../cluster/scope.js';
import { isMap, type ObjectPath, type PlainMap, same } from '../validation/plain-data.js';

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
  /** Of a declaration of several objects: those of which a field is kept as it is in the cluster. */
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
