import type { ProblemList } from '../errors.js';
import { type ObjectReference, readNamedObject, textOfConfigMap } from '../kubernetes/object-reference.js';
import { mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { refuseUnknown } from '../validation/property-table.js';
import { compute, isUnknown } from '../validation/unknown.js';

/** What plain `kubectl apply` leaves in an object. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What tells which object it is, and how it got into the cluster: it determines which resources exist. */
const IDENTITY: readonly ObjectPath[] = [
  [],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'annotations'],
];

/**
 * A copy of an object as it is in the cluster; reports one that is not the one that is meant. Which object it is must be plain, everything else may be
 * unknown.
 */
export function readDocument(input: unknown, wanted: ObjectReference, problems: ProblemList): PlainMap | undefined {
  const unknown = IDENTITY.find((path) => isUnknown(valueAt(input, path)));
  if (unknown !== undefined) {
    refuseUnknown(problems.at(...unknown));
    return undefined;
  }
  return readNamedObject(input, wanted, problems);
}

/** The text at `data.<key>` of a ConfigMap, which may be unknown; reports a ConfigMap that has none. */
export function textIn(configMap: PlainMap, key: string, problems: ProblemList): string | undefined {
  const text = reach(configMap, ['data', key]);
  return isUnknown(text) ? (text as unknown as string) : textOfConfigMap(configMap, key, problems);
}

/** The value at a path, also where it is in an unknown value. */
export function reach(root: unknown, path: ObjectPath): unknown {
  if (isUnknown(root)) {
    return path.length === 0 ? root : compute({ root, path }, (known) => valueAt(known.root, known.path));
  }
  const [step, ...rest] = path;
  return step === undefined ? root : reach(valueAt(root, [step]), rest);
}

/** Whether an object came by plain `kubectl apply`. */
export function isAppliedByKubectl(object: PlainMap | undefined): boolean {
  return mapAt(mapAt(object ?? {}, 'metadata'), 'annotations')[LAST_APPLIED] !== undefined;
}
