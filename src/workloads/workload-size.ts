import { joinPath } from '../errors.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { type PlainMap, type ObjectPath, valueAt } from '../validation/plain-data.js';

/** Number of Pods of a workload that run at the same time. */
export type Demand = number | 'every node';

export function numberAt(object: PlainMap, path: ObjectPath): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 1;
}

/** Number of Pods of an object: one per node for DaemonSets, replicas or parallelism otherwise; for a YurtAppSet, in each of its pools. */
export function demandOf(object: PlainMap): Demand {
  const counts = podCounts(object);
  if (counts.includes('every node')) {
    return 'every node';
  }
  const pods = (counts as (readonly ObjectPath[])[]).map((factors) =>
    factors.reduce((product, path) => product * numberAt(object, path), 1),
  );
  const sum = pods.reduce((total, count) => total + count, 0);
  return counts.length === 0 || String(object.kind).startsWith('YurtApp') ? Math.max(1, sum) : sum;
}

/** Path of the number that determines how many Pods an object has. */
export function replicasPath(object: PlainMap): string {
  const [path = ['spec', 'replicas']] = podCounts(object).flatMap((count) => (count === 'every node' ? [] : count));
  return path.reduce<string>(joinPath, '');
}
