import type { ComponentWorkload } from './catalog.js';
import type { PlannedObject } from '../cluster/plan.js';
import { celAnnotation, celText, celTexts } from '../admission/cel.js';
import { exclusionMutation, exclusionVariables } from '../admission/exclusion-mutation.js';
import { mutatingPolicy } from '../admission/policy.js';
import { FIELD_MANAGER, type HostNetworkLabel } from '../kubernetes/labels.js';
import { compute, text } from '../base/unknown.js';

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
  /** The label of host-network nodes. */
  readonly label: HostNetworkLabel;
  readonly workloads: readonly ComponentWorkload[];
  /** Field manager of the patches that some of the workloads also have, with {@link markOf} the policy.
   * @default - there are no patches */
  readonly patchedBy?: string;
}

/**
 * The annotation by which the policy sees that its patch is withdrawn: a write by a field manager of patches that removes it, which a server-side apply of
 * nothing does. Otherwise the policy would add the exclusion again in the very write that removes it, and nobody would own it. A tool that writes the whole
 * object, such as kubeadm, removes the annotation too, but is not such a field manager.
 */
export function markOf(policyName: string): string {
  return `${policyName}/patched`;
}

/** The Kubernetes provider of Pulumi makes a field manager for each patch, with this prefix (`fieldManagerName` in its pkg/provider/provider.go). */
const PULUMI_PREFIX = 'pulumi-kubernetes-';

/** Whether a request is not the withdrawal of a patch. */
function isNoWithdrawal({ name, patchedBy }: { readonly name: string; readonly patchedBy: string }): string {
  const [before, now] = ['oldObject', 'object'].map((one) => celAnnotation(`${one}.metadata`, markOf(name)));
  const managers = celTexts([...new Set([FIELD_MANAGER, patchedBy])]);
  return (
    `!(request.operation == 'UPDATE' && ${before} == 'true' && ${now} == '' && ` +
    `[request.?options.?fieldManager.orValue('')].exists(by, by in ${managers} || by.startsWith(${celText(PULUMI_PREFIX)})))`
  );
}

/**
 * The policy, and its binding, that adds the exclusion to the Pod templates of these workloads at every write, by any other client. A write without the
 * exclusion (kubeadm, Helm, operators) is stored with it, so there is no new rollout.
 */
export function systemComponentPolicy({
  apiVersion,
  name,
  label,
  workloads,
  patchedBy,
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
      ...(patchedBy === undefined
        ? []
        : [{ name: 'patch-not-withdrawn', expression: compute({ name, patchedBy }, isNoWithdrawal) }]),
    ],
    variables: exclusionVariables('template', label),
    mutations: [exclusionMutation('template', label)],
  });
}
