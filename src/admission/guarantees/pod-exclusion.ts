import type { PlannedObject } from '../../cluster/plan.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../../kubernetes/labels.js';
import { celAnnotation, celText } from '../cel.js';
import { exclusionMutation, exclusionVariables } from '../exclusion-mutation.js';
import type { PoolGuarantee } from '../guarantee.js';
import { mutatingPolicy, type Named, PODS, type PolicyRule, WORKLOADS } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';
import { NAMES_ITS_NODE, NO_MIRROR, POD_ROOT, type PodCarrier } from './pod-conditions.js';

/** Guarantees that one policy enforces together, so that a Pod is evaluated once. */
const TOGETHER: Readonly<Record<PodCarrier, readonly PoolGuarantee[]>> = {
  pod: ['annotatedPods', 'presetNodeName', 'strict'],
  template: ['annotatedTemplates', 'strict'],
};

/** The policies of `annotatedPods`, `annotatedTemplates`, `presetNodeName` and `strict`. */
export function podExclusion(maker: PolicyMaker): PlannedObject[] {
  const resources = maker.props.templates ?? ['daemonsets'];
  return [
    ...exclusionPolicies(maker, 'pod', PODS, 'pods'),
    ...exclusionPolicies(maker, 'template', { ...WORKLOADS, resources }, 'templates'),
  ];
}

function exclusionPolicies(maker: PolicyMaker, carrier: PodCarrier, rule: PolicyRule, id: string): PlannedObject[] {
  return (['Fail', 'Ignore'] as const).flatMap((failure) => {
    const guarantees = TOGETHER[carrier].filter(
      (guarantee) => maker.holds(guarantee) && maker.failurePolicyOf(guarantee) === failure,
    );
    return guarantees.length === 0
      ? []
      : mutatingPolicy({
          ...maker.namespaced(failure === 'Fail' ? id : `${id}-ignore`, guarantees),
          ...rule,
          matchConditions: [wantsExclusion(carrier, guarantees)],
          variables: exclusionVariables(carrier),
          mutations: [exclusionMutation(carrier)],
        });
  });
}

/** The Pods that one policy matches, as one condition: each condition of a policy adds to the time of every request. */
function wantsExclusion(carrier: PodCarrier, guarantees: readonly PoolGuarantee[]): Named {
  const { cel } = POD_ROOT[carrier];
  const podNetwork = `${cel}.spec.?hostNetwork.orValue(false) != true`;
  // mirror Pods are skipped: changing one does not change the static Pod
  const noMirror = carrier === 'pod' ? ` && ${NO_MIRROR}` : '';
  const conditions: Partial<Record<PoolGuarantee, string>> = {
    annotatedPods: `${celAnnotation('object.metadata', EXCLUDE_ANNOTATION)} == ${celText(TRUE)}`,
    annotatedTemplates: `${celAnnotation(`${cel}.?metadata`, EXCLUDE_ANNOTATION)} == ${celText(TRUE)}`,
    presetNodeName: `(${NAMES_ITS_NODE} && ${podNetwork}${noMirror})`,
    strict: `(${podNetwork}${noMirror})`,
  };
  // strict includes Pods with a nodeName
  const needed = guarantees.filter((guarantee) => guarantee !== 'presetNodeName' || !guarantees.includes('strict'));
  return { name: 'kept-off', expression: needed.map((guarantee) => conditions[guarantee]).join(' || ') };
}
