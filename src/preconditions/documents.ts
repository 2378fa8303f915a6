import type { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type ObjectReference, readNamedObject, textOfConfigMap } from '../kubernetes/object-input.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';
import { refuseUnknown } from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';

/** Annotation of client-side `kubectl apply`. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that identify an object and show how it was created. They determine which resources exist, so they must be plain. */
const IDENTITY: readonly ObjectPath[] = [
  [],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'annotations'],
];

/**
 * A copy of an object of the cluster; another object than the wanted one is a problem. The fields that identify it must be plain, all others may be
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

/** The text at `data.<key>` of a ConfigMap, which may be unknown. A ConfigMap without it is a problem. */
export function textIn(configMap: PlainMap, key: string, problems: ProblemList): string | undefined {
  const text = reach(configMap, ['data', key]);
  return isUnknown(text) ? (text as unknown as string) : textOfConfigMap(configMap, key, problems);
}

/** The value at a path, also inside of an unknown value. */
export function reach(root: unknown, path: ObjectPath): unknown {
  if (isUnknown(root)) {
    return path.length === 0 ? root : compute({ root, path }, (known) => valueAt(known.root, known.path));
  }
  const [step, ...rest] = path;
  return step === undefined ? root : reach(valueAt(root, [step]), rest);
}

/** Whether an object was created by client-side `kubectl apply`. */
export function isAppliedByKubectl(object: PlainMap | undefined): boolean {
  return mapAt(mapAt(object ?? {}, 'metadata'), 'annotations')[LAST_APPLIED] !== undefined;
}

const SERVER_FIELDS = ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'];

/** A setting with an object that was read from a cluster, if it was. */
export function given<Name extends string>(
  name: Name,
  object: PlainMap | undefined,
): { readonly [key in Name]?: KubernetesObject } {
  return (object === undefined ? {} : { [name]: withoutServerFields(object) }) as { [key in Name]?: KubernetesObject };
}

/** An object without the fields that the API server adds. */
export function withoutServerFields(object: PlainMap): PlainMap {
  const { apiVersion, kind, metadata } = object;
  const own = Object.entries(isMap(metadata) ? metadata : {}).filter(([field]) => !SERVER_FIELDS.includes(field));
  const named = ['apiVersion', 'kind', 'metadata', 'status'];
  const fields = Object.entries(object).filter(([field]) => !named.includes(field));
  return { apiVersion, kind, metadata: Object.fromEntries(own), ...Object.fromEntries(fields) };
}
