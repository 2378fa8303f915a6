import type { PlainMap } from '../validation/plain-data.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { exclusionOf, REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { celText, celTexts } from './cel.js';
import { NAMES_ITS_NODE, NO_MIRROR, POD_ROOT, type PodCarrier } from './guarantees/pod-conditions.js';
import type { Named } from './policy.js';

/**
 * Whether a requirement already excludes host-network nodes. For Pods: the condition of OpenYurt's webhook, so that both write the same affinity and
 * do not add it twice (pkg/yurtmanager/webhook/pod/v1alpha1/pod_default.go). For templates: the condition of ExcludedWorkload, so that what it wrote is
 * not changed.
 */
const ALREADY: Readonly<Record<PodCarrier, (value: string) => string>> = {
  pod: (value) => `e.operator == 'NotIn' && e.?values.orValue([]) == [${celText(value)}]`,
  template: (value) =>
    `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && ${celText(value)} in e.?values.orValue([]))`,
};

/** How a Pod or template is excluded. */
export interface ExclusionForm {
  /** Whether the object is changed, as CEL. Inside of the mutation it is judged again after later mutations; see {@link MutatingPolicy}.
   * @default - every object that the policy matches */
  readonly when?: string;
  /** Whether a Pod with `nodeName` is handed to the scheduler, which puts it on this node or on none. The kubelet of a host-network node would reject the
   * Pod instead, and a ReplicaSet replaces a rejected Pod at once, without end.
   * @default false */
  readonly unpins?: boolean;
}

/** The node selector terms of a Pod: null in `nodeSelectorTerms: null`, which the API server refuses later. */
function termsOf(carrier: PodCarrier): string {
  return `${POD_ROOT[carrier].cel}.spec.?${[...REQUIRED_PATH, 'nodeSelectorTerms'].join('.?')}.orValue([])`;
}

const IS_EMPTY_TERM = 'size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) == 0';

/** Whether a Pod or template can still be scheduled to host-network nodes, as CEL: it has no terms, or one that does not exclude them. */
export function lacksExclusion(carrier: PodCarrier, label: HostNetworkLabel): string {
  const terms = termsOf(carrier);
  return `(size(${terms}) == 0 || !${terms}.all(t, ${IS_EMPTY_TERM} || ${excludes('template', label)}))`;
}

function excludes(form: PodCarrier, { key, value }: HostNetworkLabel): string {
  return `t.?matchExpressions.orValue([]).exists(e, e.key == ${celText(key)} && ${ALREADY[form](value)})`;
}

/** Variables of {@link exclusionMutation}. Values of a map literal must have one type, hence dyn(). */
export function exclusionVariables(
  carrier: PodCarrier,
  label: HostNetworkLabel,
  { unpins = false }: ExclusionForm = {},
): Named[] {
  const { key, operator, values } = exclusionOf(label);
  const requirement = `{'key': dyn(${celText(key)}), 'operator': dyn(${celText(operator)}), 'values': dyn(${celTexts(values)})}`;
  return [
    { name: 'terms', expression: termsOf(carrier) },
    { name: 'requirement', expression: requirement },
    { name: 'base', expression: celText(`${POD_ROOT[carrier].pointer}/spec/${REQUIRED_PATH.join('/')}`) },
    ...(unpins
      ? [
          { name: 'pinned', expression: `${NAMES_ITS_NODE} && ${NO_MIRROR}` },
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
  { when, unpins = false }: ExclusionForm = {},
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
        ...(unpins ? ['(!variables.pinned ? [] :', ...unpinned(), ') +'] : []),
        `(size(variables.terms) > 0`,
        `? ${toTerms('matchExpressions', 'variables.requirement', `!(${IS_EMPTY_TERM}) && !${excludes(carrier, label)}`).join('\n')}`,
        ...(unpins ? [`+ (!variables.pinned ? [] : ${toNode.join('\n')})`] : []),
        `: !has(${cel}.spec.${affinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}`), `{"${nodeAffinity}": {"${required}": ${fresh}}}`)}`,
        `: !has(${cel}.spec.${affinity}.${nodeAffinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}/${nodeAffinity}`), `{"${required}": ${fresh}}`)}`,
        `: ${add('variables.base', fresh)})`,
      ].join('\n'),
    },
  };
}

/**
 * Removes `nodeName`. It bypasses taints with the effect NoSchedule (the kubelet does not check them), and so does the toleration. `tolerations` is an
 * atomic list, to which only a JSON patch can append.
 */
function unpinned(): string[] {
  return [
    `[JSONPatch{op: "remove", path: "/spec/nodeName"}]`,
    `+ (has(object.spec.tolerations) ? [] : [JSONPatch{op: "add", path: "/spec/tolerations", value: []}])`,
    `+ [JSONPatch{op: "add", path: "/spec/tolerations/-", value: {"operator": "Exists", "effect": "NoSchedule"}}]`,
  ];
}
