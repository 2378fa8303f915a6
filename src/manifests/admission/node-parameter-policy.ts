import type { PlainMap } from '../kubernetes-object.js';
import { HOST_NETWORK_LABEL, TRUE } from '../labels.js';
import { celText } from './cel.js';
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

/** A binding to this very node. Of a binding the API server shows Pod name, node name and namespace, nothing else of Pod or node. */
export const BINDS_TO_NODE: Named = {
  name: 'binds-to-this-node',
  expression: `params != null && params.metadata.name == object.target.name`,
};

/** Refuses a binding from a namespace without the label. */
export function namespaceGateRules(label: string): PlainMap[] {
  return [
    {
      expression: `namespaceObject.metadata.?labels[?${celText(label)}].orValue('') == ${celText(TRUE)}`,
      messageExpression: `'node ' + object.target.name + ' is in a host-network pool, and namespace ' + namespaceObject.metadata.name + ${celText(` has no label ${label}=${TRUE}`)}`,
      reason: 'Forbidden',
    },
  ];
}
