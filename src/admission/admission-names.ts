import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Declaration } from '../cluster/fleet.js';

/** Where a name comes from, and what to do when it is taken. */
export interface NameSource {
  /** Path of the property that gives the name. */
  readonly path: readonly string[];
  /** What to do when another declaration makes the same object. */
  readonly hint: string;
}

/** Notes the names of admission objects, and refuses one that another declaration makes for the same cluster. */
export function claimAdmissionNames(
  { path, fleets }: Declaration,
  cluster: EdgeCluster,
  objects: readonly KubernetesObject[],
  { path: source, hint }: NameSource,
  problems: ProblemList,
): void {
  if (problems.problems.length > 0) {
    return;
  }
  const { admission } = fleets.of(cluster);
  for (const name of objects.map(admissionName)) {
    const earlier = admission.get(name);
    if (earlier !== undefined) {
      problems.at(...source).add('EDGE_DUPLICATE', `${earlier} already makes the ${name}`, hint);
      return;
    }
  }
  objects.forEach((object) => admission.set(admissionName(object), path));
}

/** Kind and name of an object of which a cluster has one. */
export function admissionName({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${String(metadata?.name)}`;
}
