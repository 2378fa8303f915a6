import type { ComponentWorkload } from './catalog.js';
import type { PlannedObject } from '../cluster/plan.js';
import { celAnnotation, celTexts } from '../admission/cel.js';
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

/** What a policy for system components is made of. */
export interface SystemComponentPolicy {
  /** `admissionregistration.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly name: string;
  readonly workloads: readonly ComponentWorkload[];
  /** Whether some of the workloads also have a patch, with {@link markOf} the policy. */
  readonly withPatches: boolean;
}

/**
 * The annotation by which the policy sees that its patch is withdrawn: a patch that removes it (what a server-side apply of nothing does) is not changed.
 * Otherwise the policy would add the exclusion again in the very write that removes it, and nobody would own it. A tool that writes the whole object, such
 * as kubeadm, does not patch, and other tools do not own the annotation.
 */
export function markOf(policyName: string): string {
  return `${policyName}/patched`;
}

/**
 * The policy, and its binding, that adds the exclusion to the Pod templates of these workloads at every write, by any other client. A write without the
 * exclusion (kubeadm, Helm, operators) is stored with it, so there is no new rollout.
 */
export function systemComponentPolicy({
  apiVersion,
  name,
  workloads,
  withPatches,
}: SystemComponentPolicy): PlannedObject[] {
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
      ...(withPatches
        ? [
            {
              name: 'patch-not-withdrawn',
              expression: compute(name, (known) => {
                const [before, now] = ['oldObject', 'object'].map((one) =>
                  celAnnotation(`${one}.metadata`, markOf(known)),
                );
                return `!(request.operation == 'UPDATE' && request.?options.?kind.orValue('') == 'PatchOptions' && ${before} == 'true' && ${now} == '')`;
              }),
            },
          ]
        : []),
    ],
    variables: exclusionVariables('template'),
    mutations: [exclusionMutation('template')],
  });
}
