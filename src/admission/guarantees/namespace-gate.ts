import type { PlannedObject } from '../../cluster/plan.js';
import { TRUE } from '../../kubernetes/labels.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { compute } from '../../validation/unknown.js';
import { celText } from '../cel.js';
import { type Named, PODS, validatingPolicy } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';
import { NAMESPACE_GATE_LABEL } from '../pool-admission-props.js';
import { HOST_NETWORK_NODES } from './host-network-nodes.js';
import { NO_MIRROR } from './pod-conditions.js';

/** One of the two ways in which a Pod gets its node, and where the request names the node. */
interface WayToNode {
  readonly node: string;
  readonly condition: Named;
}

/** A binding to this node. A binding contains Pod name, node name and namespace, and nothing else of the Pod or the node. */
const BINDS_TO_NODE: WayToNode = {
  node: 'object.target.name',
  condition: { name: 'binds-to-this-node', expression: `params != null && params.metadata.name == object.target.name` },
};

/** A Pod whose `nodeName` is this node at creation: no binding is created for it. */
const NAMES_NODE: WayToNode = {
  node: 'object.spec.nodeName',
  condition: {
    name: 'names-this-node',
    expression: `params != null && params.metadata.name == object.spec.?nodeName.orValue('') && ${NO_MIRROR}`,
  },
};

const WAYS: readonly [id: string, way: WayToNode, resources: readonly string[]][] = [
  // the second is the older path of the same write
  ['namespace-gate', BINDS_TO_NODE, ['pods/binding', 'bindings']],
  ['namespace-gate-pods', NAMES_NODE, ['pods']],
];

/** The policies of `namespaceGate`. */
export function namespaceGate(maker: PolicyMaker): PlannedObject[] {
  return maker.holds('namespaceGate')
    ? WAYS.flatMap(([id, way, resources]) =>
        validatingPolicy({
          ...maker.namespaced(id, ['namespaceGate']),
          ...PODS,
          resources,
          matchConditions: [way.condition],
          parameters: HOST_NETWORK_NODES,
          validations: namespaceGateRules(maker.props.namespaceGateLabel, way),
          validationActions: maker.actionsOf('namespaceGate'),
        }),
      )
    : [];
}

/** Refuses a Pod if its namespace does not have the label. */
function namespaceGateRules(label: string | undefined, { node }: WayToNode): PlainMap[] {
  return [
    {
      expression: compute(
        label,
        (key = NAMESPACE_GATE_LABEL) =>
          `namespaceObject.metadata.?labels[?${celText(key)}].orValue('') == ${celText(TRUE)}`,
      ),
      messageExpression: compute(
        label,
        (key = NAMESPACE_GATE_LABEL) =>
          `'node ' + ${node} + ' is in a host-network pool, and namespace ' + namespaceObject.metadata.name + ${celText(` has no label ${key}=${TRUE}`)}`,
      ),
      reason: 'Forbidden',
    },
  ];
}
