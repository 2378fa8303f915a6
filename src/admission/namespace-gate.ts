import type { PlannedObject } from '../cluster/plan.js';
import { TRUE } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute } from '../base/unknown.js';
import { celText } from './cel.js';
import { exclusionMutation, exclusionVariables } from './exclusion-mutation.js';
import { checkedPolicy, mutatingPolicy, PODS, validatingPolicy, WORKLOADS } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { NAMESPACE_GATE_LABEL } from './pool-admission-props.js';
import { hostNetworkNodes } from './host-network-nodes.js';
import { NAMES_ITS_NODE, NO_MIRROR, POD_ROOT, type PodCarrier } from './pod-conditions.js';
import { MUTATION_IS_NEW, whileServed } from './while-served.js';

/** The namespace of the cluster's own agents. */
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * Agents of the cluster, for example raven-agent: Pods of kube-system with `hostNetwork`. They run on every node, whatever label the namespace has.
 * EdgeSystemComponents keeps single ones off.
 */
const isAgent = (carrier: PodCarrier): string =>
  `request.namespace == ${celText(SYSTEM_NAMESPACE)} && ${POD_ROOT[carrier].cel}.spec.?hostNetwork.orValue(false) == true`;

/**
 * The policies of `namespaceGate`. Pods of closed namespaces get the affinity, so that the scheduler never considers host-network nodes for them. Without
 * mutating policies nothing but the refusal of bindings is left: the scheduler tries again and again, and preempts Pods for a Pod that it cannot bind.
 */
export function namespaceGate(maker: PolicyMaker): PlannedObject[] {
  if (!maker.holds('namespaceGate')) {
    return [];
  }
  const apiVersion = maker.mutatingApiVersion();
  return apiVersion === undefined
    ? [...refusedBindings(maker, false), ...refusedNodeNames(maker)]
    : [...excludedPods(maker, apiVersion), ...refusedBindings(maker, true)];
}

/** Every Pod of a closed namespace gets the affinity, and so do templates of which a controller reads only the template. */
function excludedPods(maker: PolicyMaker, apiVersion: string): PlannedObject[] {
  const closed = (id: string): ReturnType<PolicyMaker['namespaced']> & { openNamespaceLabel: string } => ({
    ...maker.namespaced(id, ['namespaceGate']),
    openNamespaceLabel: labelOf(maker),
  });
  const { hostNetworkLabel } = maker.props.cluster;
  const form = { when: `${NO_MIRROR} && !(${isAgent('pod')})`, unpins: true };
  const mutation = closed('namespace-gate-pods');
  return [
    ...checkedPolicy({
      ...mutation,
      apiVersion,
      ...PODS,
      variables: exclusionVariables('pod', hostNetworkLabel, form),
      mutations: [exclusionMutation('pod', hostNetworkLabel, form)],
    }),
    ...mutatingPolicy({
      ...maker.templates('namespace-gate-templates', ['namespaceGate']),
      openNamespaceLabel: labelOf(maker),
      apiVersion,
      ...WORKLOADS,
      resources: maker.props.templates ?? ['daemonsets'],
      variables: exclusionVariables('template', hostNetworkLabel),
      mutations: [exclusionMutation('template', hostNetworkLabel, { when: `!(${isAgent('template')})` })],
    }),
    // no binding is created for a Pod whose nodeName another webhook or policy adds later
    ...validatingPolicy({
      ...closed('namespace-gate-check'),
      ...PODS,
      ...whileServed(maker, mutation.name),
      matchConditions: [{ name: 'names-its-node', expression: `${NAMES_ITS_NODE} && ${form.when}` }],
      validations: [
        {
          expression: MUTATION_IS_NEW,
          message: compute(
            labelOf(maker),
            (label) =>
              `a webhook or policy added nodeName to a Pod of a namespace without label ${label}=${TRUE}: add the label, or leave nodeName out`,
          ),
          reason: 'Forbidden',
        },
      ],
      validationActions: maker.actionsOf('namespaceGate'),
    }),
  ];
}

/**
 * Refuses bindings to host-network nodes from closed namespaces. A binding contains Pod name, node name and namespace, and nothing else of the Pod or the
 * node. So the agents of kube-system cannot be told apart here, and the namespace is left out where the affinity tells them apart.
 */
function refusedBindings(maker: PolicyMaker, hasAffinity: boolean): PlannedObject[] {
  const common = maker.namespaced('namespace-gate', ['namespaceGate']);
  const { excludedNamespaces } = common;
  return validatingPolicy({
    ...common,
    ...(hasAffinity
      ? {
          excludedNamespaces: compute(excludedNamespaces, (names = []) => [...new Set([...names, SYSTEM_NAMESPACE])]),
        }
      : {}),
    ...PODS,
    // the second is the older path of the same write
    resources: ['pods/binding', 'bindings'],
    matchConditions: [
      { name: 'binds-to-this-node', expression: `params != null && params.metadata.name == object.target.name` },
    ],
    parameters: hostNetworkNodes(maker.props.cluster),
    validations: namespaceGateRules(labelOf(maker), 'object.target.name'),
    validationActions: maker.actionsOf('namespaceGate'),
  });
}

/** Refuses Pods of closed namespaces whose `nodeName` is a host-network node at creation: no binding is created for them. */
function refusedNodeNames(maker: PolicyMaker): PlannedObject[] {
  return validatingPolicy({
    ...maker.namespaced('namespace-gate-pods', ['namespaceGate']),
    ...PODS,
    matchConditions: [
      {
        name: 'names-this-node',
        expression: `params != null && params.metadata.name == object.spec.?nodeName.orValue('') && ${NO_MIRROR}`,
      },
    ],
    parameters: hostNetworkNodes(maker.props.cluster),
    validations: namespaceGateRules(labelOf(maker), 'object.spec.nodeName'),
    validationActions: maker.actionsOf('namespaceGate'),
  });
}

function labelOf({ props }: PolicyMaker): string {
  return compute(props.namespaceGateLabel, (label) => label ?? NAMESPACE_GATE_LABEL);
}

/** Refuses a Pod if its namespace does not have the label. */
function namespaceGateRules(label: string, node: string): PlainMap[] {
  return [
    {
      expression: compute(
        label,
        (key) => `namespaceObject.metadata.?labels[?${celText(key)}].orValue('') == ${celText(TRUE)}`,
      ),
      messageExpression: compute(
        label,
        (key) =>
          `'node ' + ${node} + ' is in a host-network pool, and namespace ' + namespaceObject.metadata.name + ${celText(` has no label ${key}=${TRUE}`)}`,
      ),
      reason: 'Forbidden',
    },
  ];
}
