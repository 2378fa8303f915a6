import type { ProblemList } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { withChangeAt } from '../validation/plain-data.js';
import type { KarmadaEngine } from './delivery-engine.js';

/** Namespaces of Karmada itself (pkg/util/names, IsReservedNamespace). */
const RESERVED = /^karmada-(system|cluster|es-.*)$/;

/** Otherwise a Namespace in the control plane is created in all of its clusters (pkg/controllers/namespace). */
const SKIP_LABEL = 'namespace.karmada.io/skip-auto-propagation';

/** An object as the control plane of Karmada can have it, or what is in the way of it. */
export function forKarmada(
  object: KubernetesObject,
  { propagatesKubeNamespaces = false }: KarmadaEngine,
  problems: ProblemList,
): KubernetesObject {
  const namespace = object.metadata?.namespace ?? '';
  if (RESERVED.test(namespace)) {
    problems.add(
      'EDGE_STRATEGY',
      `Karmada propagates nothing in ${namespace}, which is its own`,
      'write another namespace',
    );
  } else if (namespace.startsWith('kube-') && !propagatesKubeNamespaces) {
    problems.add(
      'EDGE_STRATEGY',
      `Karmada passes over ${namespace}: by default it propagates nothing in namespaces that begin with kube-`,
      'write another namespace; or start karmada-controller-manager with --skipped-propagating-namespaces=none, and write karmada({ propagatesKubeNamespaces: true })',
    );
  }
  if (/\.karmada\.io$/.test(groupKindOf(object))) {
    problems.add(
      'EDGE_STRATEGY',
      `Karmada propagates none of its own kinds, and ${nameOf(object)} would act on its control plane`,
      'apply it there yourself, and leave it out of the charts of the site',
    );
  }
  if (/^(Mutating|Validating)WebhookConfiguration\.admissionregistration\.k8s\.io$/.test(groupKindOf(object))) {
    problems.add(
      'EDGE_STRATEGY',
      `the API server of Karmada would call the webhooks of ${nameOf(object)} itself, and there is nothing that answers`,
      'use the policies of PoolAdmission, from Kubernetes 1.30 on; or apply it in each site, and leave it out of the charts',
    );
  }
  return groupKindOf(object) === 'Namespace'
    ? (withChangeAt(object, ['metadata', 'labels'], (labels) => ({
        ...labels,
        [SKIP_LABEL]: 'true',
      })) as unknown as KubernetesObject)
    : object;
}
