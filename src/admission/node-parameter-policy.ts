import type { PlainMap } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { celText } from './cel.js';
import { NAMES_ITS_NODE, NO_MIRROR } from './exclusion-mutation.js';
import type { Named, PolicyParameters } from './policy.js';

/**
 * The host-network nodes as parameters. The API server evaluates the policy once per node and request, whatever the match conditions say, so the
 * cost of every request grows with them.
 */
export const HOST_NETWORK_NODES: PolicyParameters = {
  kind: { apiVersion: 'v1', kind: 'Node' },
  ref: { selector: { matchLabels: { [HOST_NETWORK_LABEL]: TRUE } }, parameterNotFoundAction: 'Allow' },
};

/** Refuses a pod-network Pod that names a host-network node. */
export const PRESET_NODE_RULES: readonly PlainMap[] = [
  {
    expression: `params == null || params.metadata.name != object.spec.nodeName || object.spec.?hostNetwork.orValue(false) == true`,
    messageExpression: `'node ' + object.spec.nodeName + ' is in a host-network pool: set hostNetwork: true, or remove nodeName'`,
    reason: 'Forbidden',
  },
];

/** Pods that name their node themselves. The mirror of a static Pod is left alone: its Pod runs already, and admission is not asked. */
export const PRESET_NODE: Named = { name: 'names-its-node', expression: `${NAMES_ITS_NODE} && ${NO_MIRROR}` };

/** One of the two ways in which a Pod comes to a node, and where the request names the node. */
interface WayToNode {
  readonly node: string;
  readonly condition: Named;
}

/** A binding to this very node. Of a binding the API server shows Pod name, node name and namespace, nothing else of Pod or node. */
export const BINDS_TO_NODE: WayToNode = {
  node: 'object.target.name',
  condition: { name: 'binds-to-this-node', expression: `params != null && params.metadata.name == object.target.name` },
};

/** A Pod that names this very node when it is created: it is never bound. */
export const NAMES_NODE: WayToNode = {
  node: 'object.spec.nodeName',
  condition: {
    name: 'names-this-node',
    expression: `params != null && params.metadata.name == object.spec.?nodeName.orValue('') && ${NO_MIRROR}`,
  },
};

/** Refuses a Pod of a namespace without the label. */
export function namespaceGateRules(label: string, { node }: WayToNode): PlainMap[] {
  return [
    {
      expression: `namespaceObject.metadata.?labels[?${celText(label)}].orValue('') == ${celText(TRUE)}`,
      messageExpression: `'node ' + ${node} + ' is in a host-network pool, and namespace ' + namespaceObject.metadata.name + ${celText(` has no label ${label}=${TRUE}`)}`,
      reason: 'Forbidden',
    },
  ];
}
