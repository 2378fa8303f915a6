import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import { canLeavePool } from '../../cluster/openyurt-capabilities.js';
import type { PlannedObject } from '../../cluster/plan.js';
import { DESIRED_NODE_POOL_LABEL, HOST_NETWORK_LABEL, TRUE } from '../../kubernetes/labels.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { celLabel, celText } from '../cel.js';
import { type Named, NODES, validatingPolicy } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';

/** The policy of `frozenNodeLabels`. */
export function frozenNodeLabels(maker: PolicyMaker): PlannedObject[] {
  return maker.holds('frozenNodeLabels')
    ? validatingPolicy({
        ...maker.base('frozen-node-labels', ['frozenNodeLabels']),
        ...NODES,
        ...frozenLabelRules(maker.props.cluster),
        // a write of the status can change labels, too (pkg/registry/core/node/strategy.go); OpenYurt's webhook does not match it
        resources: ['nodes', 'nodes/status'],
        operations: ['UPDATE'],
        validationActions: maker.actionsOf('frozenNodeLabels'),
      })
    : [];
}

/** Whether the request writes the status of the object. */
const WRITES_STATUS = `request.?subResource.orValue('') == 'status'`;

/** The labels by which a node names its pool. */
function membershipLabels(cluster: EdgeCluster): string[] {
  return [cluster.nodePoolLabel, ...(cluster.hasOpenYurt() ? [DESIRED_NODE_POOL_LABEL] : [])];
}

/**
 * What cannot change on a Node: the host-network label once it is set, and the pool as far as the release forbids it. A host-network label with another
 * value than `"true"` may become `"true"`, because `nodeLabel` sets it. A write of the status, which `nodeLabel` does not match, cannot change the pool.
 */
function frozenLabelRules(cluster: EdgeCluster): {
  matchConditions: Named[];
  variables: Named[];
  validations: PlainMap[];
} {
  const { nodePoolLabel } = cluster;
  const was = (key: string): string => `${celLabel('oldObject', key)} != ''`;
  const stays = (key: string): string => `${celLabel('object', key)} == ${celLabel('oldObject', key)}`;
  const leaves = canLeavePool(cluster);
  const named = membershipLabels(cluster);
  // OpenYurt reads the older label while the newer one is empty (webhook/node/v1/node_default.go, v1.4 to v1.7)
  const poolOf = (object: string): string => {
    const [first, alias] = named.map((key) => celLabel(object, key)) as [string, string?];
    return alias === undefined ? first : `(${first} != '' ? ${first} : ${alias})`;
  };
  return {
    matchConditions: [
      { name: 'concerned', expression: [...[HOST_NETWORK_LABEL, ...named].map(was), WRITES_STATUS].join(' || ') },
    ],
    variables: [
      { name: 'label', expression: celLabel('object', HOST_NETWORK_LABEL) },
      { name: 'oldLabel', expression: celLabel('oldObject', HOST_NETWORK_LABEL) },
      { name: 'pool', expression: poolOf('object') },
      { name: 'oldPool', expression: poolOf('oldObject') },
    ],
    validations: [
      {
        expression: `variables.oldLabel == '' || variables.label == variables.oldLabel || variables.label == ${celText(TRUE)}`,
        message: `label ${HOST_NETWORK_LABEL} cannot be changed or removed: delete the Node and join it again`,
        reason: 'Forbidden',
      },
      {
        expression: `variables.oldPool == '' || variables.pool == variables.oldPool${leaves ? ` || variables.pool == ''` : ''}`,
        message: leaves
          ? `label ${nodePoolLabel} cannot be changed: remove it first, then set another pool`
          : `label ${nodePoolLabel} cannot be changed or removed: delete the Node and join it again`,
        reason: 'Forbidden',
      },
      {
        expression: `!(${WRITES_STATUS}) || ${named.map(stays).join(' && ')}`,
        message: `a write of the status cannot change ${named.map((key) => `label ${key}`).join(' or ')}: write the Node itself`,
        reason: 'Forbidden',
      },
    ],
  };
}
