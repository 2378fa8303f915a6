import { joinPath } from '../base/errors.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';

/** Number of Pods of a workload that run at the same time. */
export type Demand = number | 'every node';

export function numberAt(object: PlainMap, path: ObjectPath): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 1;
}

/**
 * Whether its controller makes no Pods of an object until somebody changes `spec.suspend` (batch/v1, JobSpec and CronJobSpec). Jobs that a CronJob has made
 * already go on.
 */
export function isSuspended(object: PlainMap): boolean {
  return (object.kind === 'Job' || object.kind === 'CronJob') && valueAt(object, ['spec', 'suspend']) === true;
}

/** Number of Pods of an object: one per node for DaemonSets, replicas or parallelism otherwise; for a YurtAppSet, in each of its pools. */
export function demandOf(object: PlainMap): Demand {
  if (isSuspended(object)) {
    return 0;
  }
  const counts = podCounts(object);
  if (counts.includes('every node')) {
    return 'every node';
  }
  const sum = writtenDemand(object);
  return counts.length === 0 || String(object.kind).startsWith('YurtApp') ? Math.max(1, sum) : sum;
}

/** The number of Pods that is written in an object. The template of a YurtAppSet can have none, and tweaks of it some. */
export function writtenDemand(object: PlainMap): number {
  return podCounts(object)
    .filter((factors) => factors !== 'every node')
    .map((factors) => factors.reduce((product, path) => product * numberAt(object, path), 1))
    .reduce((total, count) => total + count, 0);
}

/** Path of the number that determines how many Pods an object has. */
export function replicasPath(object: PlainMap): string {
  const [path = ['spec', 'replicas']] = podCounts(object).flatMap((count) => (count === 'every node' ? [] : count));
  return path.reduce<string>(joinPath, '');
}
