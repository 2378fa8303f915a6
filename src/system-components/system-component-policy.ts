import type { ComponentWorkload } from './catalog.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { celTexts } from '../admission/cel.js';
import { exclusionMutation, exclusionVariables } from '../admission/exclusion-mutation.js';
import { mutatingPolicy } from '../admission/policy.js';

/** Name of the policy that keeps system components off. */
export const SYSTEM_COMPONENT_POLICY = 'edge-nodepools-system-components';

const RESOURCE_OF: Readonly<Record<ComponentWorkload['kind'], string>> = {
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
};

/**
 * The policy, and its binding, that puts the exclusion into the templates of these workloads at every write, whoever writes. What is written
 * without it (kubeadm, Helm, operators) is stored with it, so nothing rolls out anew.
 */
export function systemComponentPolicy(
  apiVersion: string,
  name: string,
  workloads: readonly ComponentWorkload[],
): KubernetesObject[] {
  const known = workloads.map((workload) => `${workload.kind} ${workload.namespace}/${workload.name}`);
  return mutatingPolicy({
    apiVersion,
    name,
    failurePolicy: 'Fail',
    apiGroup: 'apps',
    apiVersions: ['v1'],
    resources: [...new Set(workloads.map(({ kind }) => RESOURCE_OF[kind]))].sort(),
    operations: ['CREATE', 'UPDATE'],
    breakGlassGroups: [],
    excludedNamespaces: [],
    matchConditions: [
      {
        name: 'system-component',
        expression: `(request.kind.kind + ' ' + request.namespace + '/' + request.name) in ${celTexts(known)}`,
      },
    ],
    variables: exclusionVariables('template'),
    mutations: [exclusionMutation('template')],
  });
}
