import type { PlainMap } from '../base/plain-data.js';
import { EXCLUDE_ANNOTATION, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { exclusionOf } from '../workloads/exclusion-affinity.js';
import { celText, celTexts } from './cel.js';
import { NAMES_ITS_NODE, NO_MIRROR, POD_ROOT, type PodCarrier } from './pod-conditions.js';
import type { Named } from './policy.js';

/**
 * Whether a requirement already excludes host-network nodes. For Pods: the condition of OpenYurt's webhook, so that both write the same affinity and
 * do not add it twice (pkg/yurtmanager/webhook/pod/v1alpha1/pod_default.go). For templates: the condition of ExcludedWorkload, so that what it wrote is
 * not changed.
 */
const ALREADY: Readonly<Record<PodCarrier, (value: string) => string>> = {
  pod: (value) => `e.operator == 'NotIn' && e.?values.orValue([]) == [${celText(value)}]`,
  // a requirement with more values is not searched, but gets another one beside it
  template: (value) =>
    `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && size(e.?values.orValue([])) <= ${MOST_VALUES} && ${celText(value)} in e.?values.orValue([]))`,
};

/** The most values of a requirement that are searched. */
const MOST_VALUES = 10;

/** How a Pod or template is excluded. */
export interface ExclusionForm {
  /** Whether the object is changed, as CEL. Inside of the mutation it is judged again after later mutations; see {@link MutatingPolicy}.
   * @default - every object that the policy matches */
  readonly when?: string;
  /** Whether a Pod with `nodeName` is handed to the scheduler, which puts it on this node or on none. The kubelet of a host-network node would reject the
   * Pod instead, and a ReplicaSet replaces a rejected Pod at once, without end.
   * @default false */
  readonly unpins?: boolean;
  /** Whether such a Pod gets the annotation of excluded Pods: without `nodeName` nothing else tells that it must stay off, if a later webhook or policy
   * replaces its affinity.
   * @default false */
  readonly annotates?: boolean;
}

/** The node selector terms of a Pod: null in `nodeSelectorTerms: null`, which the API server refuses later. */
export function termsOf(root: string): string {
  return `${root}.spec.?${[...REQUIRED_PATH, 'nodeSelectorTerms'].join('.?')}.orValue([])`;
}

export const IS_EMPTY_TERM = 'size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) == 0';

/**
 * Whether a Pod or template can still be scheduled to host-network nodes, as CEL: it has no terms, one that does not exclude them, or too many to judge.
 *
 * @param form which requirements count
 */
export function lacksExclusion(carrier: PodCarrier, label: HostNetworkLabel, form: PodCarrier = 'template'): string {
  const terms = termsOf(POD_ROOT[carrier].cel);
  return `(size(${terms}) == 0 || ${hasTooMany(terms, label)} || !${terms}.all(t, ${IS_EMPTY_TERM} || ${excludes(form, label)}))`;
}

/**
 * The most items of a list of a Pod that CEL walks: an object with more is refused, or left as it is. CEL walks each item, and the patches of thousands take
 * seconds and hundreds of MiB of the API server. Real ones have a handful.
 */
export const MOST = 100;

/** Tolerations that the API server and the policies add: of not-ready and unreachable nodes, of the taints of a named node, of host-network nodes; and one more. */
const ADDED_TOLERATIONS = 4;

/** Whether a Pod has more tolerations than are judged, as CEL. Those of the API server may have been added before. */
export function hasTooManyTolerations(podSpec: string): string {
  return `size(${podSpec}.?tolerations.orValue([])) > ${MOST + ADDED_TOLERATIONS}`;
}

/** Whether the toleration `t` is of everything with this key, as CEL. */
export function isToleration(key: string): string {
  return `t.?key.orValue('') == ${key} && t.?operator.orValue('') == 'Exists' && t.?effect.orValue('') == 'NoSchedule'`;
}

/** Whether a Pod has such a toleration, as CEL. A Pod with too many was refused when it was created, and is not searched; a stored one has those that were added. */
export function tolerates(object: string, key: string): string {
  const tolerations = `${object}.spec.?tolerations.orValue([])`;
  return `(size(${tolerations}) <= ${MOST + 2 * ADDED_TOLERATIONS} && ${tolerations}.exists(t, ${isToleration(key)}))`;
}

/** The refusal of a Pod with more. */
export const TOO_MANY_TOLERATIONS = `at most ${MOST} tolerations`;

/** The most requirements of all terms together. The cost limit of CEL allows ten times as many, and they take almost a second. */
const MOST_REQUIREMENTS = 1000;

/** Whether a Pod has more terms or requirements than are judged, as CEL. A requirement that the mutation itself has added to each term is one more. */
export function hasTooMany(terms: string, label: HostNetworkLabel): string {
  const count = `${terms}.map(t, size(t.?matchExpressions.orValue([]))).sum()`;
  const isOurs = `${count} <= ${MOST_REQUIREMENTS + MOST} && ${terms}.all(t, ${IS_EMPTY_TERM} || ${excludes('pod', label)})`;
  return `(size(${terms}) > ${MOST} || ${count} > ${MOST_REQUIREMENTS} && !(${isOurs}))`;
}

/** Whether the term `t` excludes host-network nodes. */
export function excludes(form: PodCarrier, label: HostNetworkLabel, term = 't'): string {
  return `${term}.?matchExpressions.orValue([]).exists(e, ${isExclusion(form, label)})`;
}

/** Whether the requirement `e` excludes host-network nodes. */
export function isExclusion(form: PodCarrier, { key, value }: HostNetworkLabel): string {
  return `e.key == ${celText(key)} && ${ALREADY[form](value)}`;
}

/** A requirement of a node selector term as CEL. Values of a map literal must have one type, hence dyn(). */
export function exclusionRequirement({ key, operator, values }: ReturnType<typeof exclusionOf>): string {
  return `{'key': dyn(${celText(key)}), 'operator': dyn(${celText(operator)}), 'values': dyn(${celTexts(values)})}`;
}

/** Variables of {@link exclusionMutation}. */
export function exclusionVariables(
  carrier: PodCarrier,
  label: HostNetworkLabel,
  { unpins = false }: ExclusionForm = {},
): Named[] {
  return [
    { name: 'terms', expression: termsOf(POD_ROOT[carrier].cel) },
    { name: 'tooMany', expression: `variables.terms != null && ${hasTooMany('variables.terms', label)}` },
    { name: 'requirement', expression: exclusionRequirement(exclusionOf(label)) },
    { name: 'base', expression: celText(`${POD_ROOT[carrier].pointer}/spec/${REQUIRED_PATH.join('/')}`) },
    ...(unpins
      ? [
          // the API server refuses nodeName together with scheduling gates, so it must stay
          {
            name: 'pinned',
            expression: `${NAMES_ITS_NODE} && ${NO_MIRROR} && size(object.spec.?schedulingGates.orValue([])) == 0`,
          },
          {
            name: 'node',
            expression: `{'key': dyn('metadata.name'), 'operator': dyn('In'), 'values': dyn([object.spec.?nodeName.orValue('')])}`,
          },
        ]
      : []),
  ];
}

/**
 * Appends the requirement to every non-empty term. A replaced list of requirements is refused by Kubernetes 1.37, and one of `Object{}` literals makes
 * the API server's request handler panic in earlier minors (kubernetes/kubernetes#142181). An empty term matches no node and is not changed. OpenYurt's
 * webhook adds the requirement to it, and then it matches every other node. `nodeSelectorTerms: null` is not changed, so that the API server says what is
 * wrong.
 */
export function exclusionMutation(
  carrier: PodCarrier,
  label: HostNetworkLabel,
  { when, unpins = false, annotates = false }: ExclusionForm = {},
): PlainMap {
  const { cel, pointer } = POD_ROOT[carrier];
  const term = `"matchExpressions": [variables.requirement]`;
  const fresh = unpins
    ? `{"nodeSelectorTerms": [variables.pinned ? {${term}, "matchFields": [variables.node]} : {${term}}]}`
    : `{"nodeSelectorTerms": [{${term}}]}`;
  const [affinity, nodeAffinity, required] = REQUIRED_PATH;
  const add = (path: string, value: string): string => `[JSONPatch{op: "add", path: ${path}, value: ${value}}]`;
  const toTerms = (list: string, value: string, which: string): string[] => [
    `variables.terms.transformList(i, t, ${which}, JSONPatch{`,
    `  op: "add",`,
    `  path: variables.base + "/nodeSelectorTerms/" + string(i) + "/${list}" + (size(t.?${list}.orValue([])) > 0 ? "/-" : ""),`,
    `  value: size(t.?${list}.orValue([])) > 0 ? dyn(${value}) : dyn([${value}])`,
    `})`,
  ];
  const toNode = toTerms('matchFields', 'variables.node', `!(${IS_EMPTY_TERM})`);
  return {
    patchType: 'JSONPatch',
    jsonPatch: {
      expression: [
        ...(when === undefined ? [] : [`!(${when}) ? [] :`]),
        `variables.terms == null ? [] :`,
        `variables.tooMany ? ${carrier === 'pod' ? refusal(TOO_MANY) : `(${HAS_SAME_TEMPLATE} ? [] : ${refusal(TOO_MANY)})`} :`,
        ...(unpins
          ? [
              `variables.pinned && ${hasTooManyTolerations('object.spec')} ? ${refusal(TOO_MANY_TOLERATIONS)} :`,
              '(!variables.pinned ? [] :',
              ...unpinned(annotates),
              ') +',
            ]
          : []),
        `(size(variables.terms) > 0`,
        `? ${toTerms('matchExpressions', 'variables.requirement', `!(${IS_EMPTY_TERM}) && !${excludes(carrier, label)}`).join('\n')}`,
        ...(unpins ? [`+ (!variables.pinned ? [] : ${toNode.join('\n')})`] : []),
        `: !has(${cel}.spec.${affinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}`), `{"${nodeAffinity}": {"${required}": ${fresh}}}`)}`,
        `: !has(${cel}.spec.${affinity}.${nodeAffinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}/${nodeAffinity}`), `{"${required}": ${fresh}}`)}`,
        // an empty list, which the API server refuses later
        `: has(${cel}.spec.${REQUIRED_PATH.join('.')}) ? []`,
        `: ${add('variables.base', fresh)})`,
      ].join('\n'),
    },
  };
}

/** Whether a workload is written with the template that it has, for example to delete or to scale it, as CEL. */
export const HAS_SAME_TEMPLATE = 'oldObject != null && object.spec.template == oldObject.spec.template';

const TOO_MANY = `at most ${MOST} node selector terms, with at most ${MOST_REQUIREMENTS} matchExpressions together`;

/** Refuses the object: a patch that cannot be applied is the only way of a mutating policy, and the answer contains its path. */
export function refusal(message: string): string {
  return `[JSONPatch{op: "remove", path: ${celText(`/${message}`)}}]`;
}

/**
 * Removes `nodeName`, and the name of a scheduler that may not exist, which `nodeName` bypasses, too. It bypasses taints with the effect NoSchedule (the
 * kubelet does not check them), and so does the toleration. `tolerations` is an atomic list, to which only a JSON patch can append.
 */
function unpinned(annotates: boolean): string[] {
  const annotation = EXCLUDE_ANNOTATION.replace('/', '~1');
  return [
    ...(annotates
      ? [
          `(has(object.metadata.annotations) ? [] : [JSONPatch{op: "add", path: "/metadata/annotations", value: {}}]) +`,
          `[JSONPatch{op: "add", path: "/metadata/annotations/${annotation}", value: "${TRUE}"}] +`,
        ]
      : []),
    `[JSONPatch{op: "remove", path: "/spec/nodeName"}]`,
    `+ (has(object.spec.tolerations) ? [] : [JSONPatch{op: "add", path: "/spec/tolerations", value: []}])`,
    `+ (${tolerates('object', "''")} ? [] : [JSONPatch{op: "add", path: "/spec/tolerations/-", value: {"operator": "Exists", "effect": "NoSchedule"}}])`,
    `+ [JSONPatch{op: "add", path: "/spec/schedulerName", value: "default-scheduler"}]`,
  ];
}
