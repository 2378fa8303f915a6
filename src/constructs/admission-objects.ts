import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../manifests/edge-cluster.js';
import type { KubernetesObject } from '../manifests/kubernetes-object.js';
import { withoutNamespace } from './cluster-scoped.js';
import { fleetOf } from './fleet-registry.js';

/** Notes the names of admission objects, and refuses one that another construct of the tree makes for the same cluster. */
export function claimAdmissionNames(
  construct: Construct,
  cluster: EdgeCluster,
  objects: readonly KubernetesObject[],
  property: string,
  problems: ProblemList,
): void {
  if (problems.problems.length > 0) {
    return;
  }
  const { admission } = fleetOf(construct, cluster);
  for (const name of objects.map(nameOf)) {
    const earlier = admission.get(name);
    if (earlier !== undefined) {
      problems
        .at(property)
        .add('EDGE_DUPLICATE', `${earlier} already makes the ${name}`, `give one of them another ${property}`);
      return;
    }
  }
  objects.forEach((object) => admission.set(nameOf(object), construct.node.path));
}

/** Adds the objects in their order, each after the one before: a binding never comes before its policy. */
export function addAdmissionObjects(construct: Construct, objects: readonly KubernetesObject[]): ApiObject[] {
  const made = objects.map((object) => {
    const resource = new ApiObject(construct, nameOf(object).replace(' ', '-'), object);
    if (object.metadata?.namespace === undefined) {
      withoutNamespace(resource);
    }
    return resource;
  });
  made.slice(1).forEach((resource, index) => resource.addDependency(made[index] as ApiObject));
  return made;
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${String(metadata?.name)}`;
}
