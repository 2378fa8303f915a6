import type { ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isNamespaced } from '../kubernetes/group-kind.js';
import { type DeliveryEngine } from './delivery-engine.js';

/** What becomes of such an object. kubectl and Pulumi put it into the namespace `default`; engines have none by default. */
const OTHERWISE: Readonly<Record<DeliveryEngine['engine'], string>> = {
  // controller/state.go: "Namespace for collector apps/v1, Kind=DaemonSet is missing."
  'argo-cd': 'Argo CD syncs nothing of the site then (Namespace for … is missing)',
  // the path of the request has none: kustomize-controller fails the whole Kustomization
  flux: 'Flux applies nothing of the layer then (namespace not specified)',
};

/** Whether an object needs a namespace, and has none. */
export function lacksNamespace(object: KubernetesObject): boolean {
  return isNamespaced(object) && (object.metadata?.namespace ?? '') === '';
}

/** Reports the objects of a site that lack a namespace, in one problem. */
export function reportMissingNamespaces(
  objects: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  if (objects.length > 0) {
    problems.add(
      'EDGE_MISSING',
      `${namesOf(objects)} ${objects.length === 1 ? 'has' : 'have'} no namespace: ${OTHERWISE[engine]}`,
      "write metadata.namespace; or with cdk8s give all objects of the chart one: new Chart(app, 'lab', { namespace: 'tills' })",
    );
  }
}

/** The first of some objects by name, and how many there are besides. */
export function namesOf(objects: readonly KubernetesObject[]): string {
  const names = objects.slice(0, 4).map(nameOf);
  const more = objects.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ').replace(/ and (?=.* and )/g, ', ');
}
