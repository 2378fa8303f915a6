import type { PlannedObject } from '../cluster/plan.js';
import { EXCLUDE_ANNOTATION, EXCLUDED_LABEL, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { text } from '../base/unknown.js';
import { celAnnotation, celText } from './cel.js';
import { exclusionMutation, exclusionVariables, lacksExclusion, termsOf } from './exclusion-mutation.js';
import type { PoolGuarantee } from './guarantee.js';
import { checkedPolicy, mutatingPolicy, type Named, PODS, VALIDATING, validatingPolicy, WORKLOADS } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { MUTATION_IS_NEW, whileServed } from './while-served.js';
import { NAMES_ITS_NODE, NO_MIRROR, POD_ROOT, type PodCarrier } from './pod-conditions.js';

/** Guarantees that one policy enforces together, so that a Pod is evaluated once. */
const TOGETHER: Readonly<Record<PodCarrier, readonly PoolGuarantee[]>> = {
  pod: ['annotatedPods', 'presetNodeName', 'strict'],
  template: ['annotatedTemplates', 'strict'],
};

/**
 * The policies of `annotatedPods`, `annotatedTemplates`, `presetNodeName` and `strict`. With `strict` those of the Pods have other names: switched on or off, new
 * objects are created and the former ones are deleted. A policy that changed in place could be in effect in its new form beside the check in the former one, and every
 * Pod would be refused for about a second.
 */
export function podExclusion(maker: PolicyMaker): PlannedObject[] {
  return (['Fail', 'Ignore'] as const).flatMap((failure) => {
    const of = (carrier: PodCarrier): PoolGuarantee[] =>
      TOGETHER[carrier].filter((guarantee) => maker.holds(guarantee) && maker.failurePolicyOf(guarantee) === failure);
    const end = failure === 'Fail' ? '' : '-ignore';
    const pods = of('pod');
    return [
      ...ofPods(maker, pods, `${pods.includes('strict') ? '-strict' : ''}${end}`),
      ...ofTemplates(maker, of('template'), end),
    ];
  });
}

/**
 * The condition of the Pods is a match condition, because almost every Pod fails it, and a mutation costs time even if it changes nothing. The API server
 * does not judge a Pod again that failed it, if a later webhook or policy adds the annotation or `nodeName`. So a validating policy, which sees the
 * final Pod and costs less, refuses what got past the first.
 */
function ofPods(maker: PolicyMaker, guarantees: readonly PoolGuarantee[], end: string): PlannedObject[] {
  if (guarantees.length === 0) {
    return [];
  }
  const { hostNetworkLabel } = maker.props.cluster;
  // refusePresetNodeName must see the nodeName
  const unpins = !maker.holds('refusePresetNodeName');
  const { keptOff, escaped, variables, mutations } = excludedPodRules(guarantees, unpins, hostNetworkLabel);
  const mutation = maker.namespaced(`pods${end}`, guarantees);
  const selected = maker.props.cluster.labelsExcludedPods ? { objectLabel: EXCLUDED_LABEL } : {};
  const changed = {
    ...mutation,
    ...PODS,
    ...selected,
    matchConditions: [{ name: 'kept-off', expression: keptOff }],
    variables,
    mutations,
  };
  if (maker.props.checkPods === false) {
    return mutatingPolicy(changed);
  }
  return [
    ...checkedPolicy(changed),
    ...validatingPolicy({
      ...maker.namespaced(`pods${end}-check`, guarantees),
      ...PODS,
      ...selected,
      ...whileServed(maker, mutation.name),
      apiVersion: VALIDATING,
      // all of it is a match condition, because a Pod that passes one costs more
      matchConditions: [{ name: 'escaped', expression: escaped }],
      validations: [
        {
          expression: MUTATION_IS_NEW,
          message: text`this Pod must stay off host-network nodes, but did not pass the policy ${mutation.name}: if another webhook or policy adds the annotation ${EXCLUDE_ANNOTATION} or nodeName, write them into the manifest; if the policy is missing, apply it`,
          reason: 'Forbidden',
        },
      ],
      validationActions: maker.props.validationActions ?? ['Deny', 'Audit'],
    }),
  ];
}

/** The CEL of the policies for Pods, by which they are also recognized among manifests. */
export function excludedPodRules(
  guarantees: readonly PoolGuarantee[],
  unpins: boolean,
  label: HostNetworkLabel,
): {
  readonly keptOff: string;
  readonly escaped: string;
  readonly variables: readonly Named[];
  readonly mutations: readonly PlainMap[];
} {
  const form = { unpins, annotates: guarantees.includes('annotatedPods') };
  const wanted = wantsExclusion('pod', guarantees);
  const pinned = unpins ? [`(${NAMES_ITS_NODE} && ${NO_MIRROR})`] : [];
  // a Pod that has the affinity already, as ExcludedWorkload writes it, is not patched, which costs most; with nodeName it is
  const lacks = [`(${termsOf('object')} != null && ${lacksExclusion('pod', label, 'pod')})`, ...pinned].join(' || ');
  return {
    keptOff: `(${wanted}) && (${lacks})`,
    escaped: `(${wanted}) && (${[lacksExclusion('pod', label), ...pinned].join(' || ')})`,
    variables: exclusionVariables('pod', label, form),
    mutations: [exclusionMutation('pod', label, form)],
  };
}

/** Templates are written so seldom that their condition can be judged again after every later mutation. */
function ofTemplates(maker: PolicyMaker, guarantees: readonly PoolGuarantee[], end: string): PlannedObject[] {
  const { templates: resources = ['daemonsets'], cluster } = maker.props;
  const { hostNetworkLabel } = cluster;
  return guarantees.length === 0
    ? []
    : mutatingPolicy({
        ...maker.templates(`templates${end}`, guarantees),
        ...WORKLOADS,
        resources,
        variables: exclusionVariables('template', hostNetworkLabel),
        mutations: [exclusionMutation('template', hostNetworkLabel, { when: wantsExclusion('template', guarantees) })],
      });
}

/** The condition of `strict` in a policy for templates, by which it is recognized in a cluster. */
export const STRICT_TEMPLATES = wantsExclusion('template', ['strict']);

/** The Pods that one policy changes, as one condition: each condition of a policy adds to the time of every request. */
function wantsExclusion(carrier: PodCarrier, guarantees: readonly PoolGuarantee[]): string {
  const { cel } = POD_ROOT[carrier];
  const podNetwork = `${cel}.spec.?hostNetwork.orValue(false) != true`;
  // mirror Pods are skipped: changing one does not change the static Pod
  const noMirror = carrier === 'pod' ? ` && ${NO_MIRROR}` : '';
  const conditions: Partial<Record<PoolGuarantee, string>> = {
    annotatedPods: `(${celAnnotation('object.metadata', EXCLUDE_ANNOTATION)} == ${celText(TRUE)}${noMirror})`,
    annotatedTemplates: `${celAnnotation(`${cel}.?metadata`, EXCLUDE_ANNOTATION)} == ${celText(TRUE)}`,
    presetNodeName: `(${NAMES_ITS_NODE} && ${podNetwork}${noMirror})`,
    strict: `(${podNetwork}${noMirror})`,
  };
  // strict includes Pods with a nodeName
  const needed = guarantees.filter((guarantee) => guarantee !== 'presetNodeName' || !guarantees.includes('strict'));
  return needed.map((guarantee) => conditions[guarantee]).join(' || ');
}
