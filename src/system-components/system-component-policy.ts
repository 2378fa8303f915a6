import type { ComponentWorkload } from './catalog.js';
import type { PlannedObject } from '../cluster/plan.js';
import { celTexts } from '../admission/cel.js';
import { exclusionMutation, exclusionVariables } from '../admission/exclusion-mutation.js';
import { mutatingPolicy } from '../admission/policy.js';
import { compute, text } from '../validation/unknown.js';

/** Name of the policy that excludes system components. */
export const SYSTEM_COMPONENT_POLICY = 'edge-nodepools-system-components';

const RESOURCE_OF: Readonly<Record<ComponentWorkload['kind'], string>> = {
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
};

/**
 * The policy, and its binding, that adds the exclusion to the Pod templates of these workloads at every write, by any client. A write without the exclusion
 * (kubeadm, Helm, operators) is stored with it, so there is no new rollout.
 */
export function systemComponentPolicy(
  apiVersion: string,
  name: string,
  workloads: readonly ComponentWorkload[],
): PlannedObject[] {
  const names = workloads.map((workload) => text`${workload.kind} ${workload.namespace}/${workload.name}`);
  return mutatingPolicy({
    apiVersion,
    id: '',
    name,
    failurePolicy: 'Fail',
    apiGroup: 'apps',
    apiVersions: ['v1'],
    resources: [...new Set(workloads.map(({ kind }) => RESOURCE_OF[kind]))].sort(),
    operations: ['CREATE', 'UPDATE'],
    matchConditions: [
      {
        name: 'system-component',
        expression: compute(
          names,
          (known) => `(request.kind.kind + ' ' + request.namespace + '/' + request.name) in ${celTexts(known)}`,
        ),
      },
    ],
    variables: exclusionVariables('template'),
    mutations: [exclusionMutation('template')],
  });
}
