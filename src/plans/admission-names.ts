import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../manifests/edge-cluster.js';
import type { KubernetesObject } from '../manifests/kubernetes-object.js';
import type { Declaration } from './fleet.js';

/** Notes the names of admission objects, and refuses one that another declaration makes for the same cluster. */
export function claimAdmissionNames(
  { path, fleets }: Declaration,
  cluster: EdgeCluster,
  objects: readonly KubernetesObject[],
  property: string,
  problems: ProblemList,
): void {
  if (problems.problems.length > 0) {
    return;
  }
  const { admission } = fleets.of(cluster);
  for (const name of objects.map(admissionName)) {
    const earlier = admission.get(name);
    if (earlier !== undefined) {
      problems
        .at(property)
        .add('EDGE_DUPLICATE', `${earlier} already makes the ${name}`, `give one of them another ${property}`);
      return;
    }
  }
  objects.forEach((object) => admission.set(admissionName(object), path));
}

/** Kind and name of an object of which a cluster has one. */
export function admissionName({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${String(metadata?.name)}`;
}
