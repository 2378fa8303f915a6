import type { PlannedObject } from '../cluster/plan.js';
import type { PlainMap } from '../base/plain-data.js';
import { type Named, PODS, validatingPolicy } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { hostNetworkNodes } from './host-network-nodes.js';
import { NAMES_ITS_NODE, NO_MIRROR } from './pod-conditions.js';

/** The policy of `refusePresetNodeName`. */
export function refusePresetNodeName(maker: PolicyMaker): PlannedObject[] {
  return maker.holds('refusePresetNodeName')
    ? validatingPolicy({
        ...maker.namespaced('preset-node-name', ['refusePresetNodeName']),
        ...PODS,
        matchConditions: [PRESET_NODE],
        parameters: hostNetworkNodes(maker.props.cluster),
        validations: PRESET_NODE_RULES,
        validationActions: maker.actionsOf('refusePresetNodeName'),
      })
    : [];
}

/** Refuses a Pod without `hostNetwork` whose `nodeName` is a host-network node. */
const PRESET_NODE_RULES: readonly PlainMap[] = [
  {
    expression: `params == null || params.metadata.name != object.spec.nodeName || object.spec.?hostNetwork.orValue(false) == true`,
    messageExpression: `'node ' + object.spec.nodeName + ' is in a host-network pool: set hostNetwork: true, or remove nodeName'`,
    reason: 'Forbidden',
  },
];

/** Pods with a `nodeName`. Mirror Pods are skipped: the static Pod runs already, and admission does not affect it. */
const PRESET_NODE: Named = { name: 'names-its-node', expression: `${NAMES_ITS_NODE} && ${NO_MIRROR}` };
