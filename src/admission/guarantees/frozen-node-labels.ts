import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import { canLeavePool } from '../../cluster/openyurt-capabilities.js';
import type { PlannedObject } from '../../cluster/plan.js';
import { DESIRED_NODE_POOL_LABEL, HOST_NETWORK_LABEL, TRUE } from '../../kubernetes/labels.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { compute, isUnknown } from '../../validation/unknown.js';
import { celLabel, celText } from '../cel.js';
import { isInGroups, type Named, NODES, validatingPolicy } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';
import { membership } from './node-label.js';

/** The policy of `frozenNodeLabels`. */
export function frozenNodeLabels(maker: PolicyMaker): PlannedObject[] {
  if (!maker.holds('frozenNodeLabels')) {
    return [];
  }
  const { cluster, breakGlassGroups: groups } = maker.props;
  const { variables, validations, ...rest } = frozenLabelRules(cluster);
  const rules = {
    ...maker.base('frozen-node-labels', ['frozenNodeLabels']),
    ...NODES,
    // a write of the status can change labels, too (pkg/registry/core/node/strategy.go); OpenYurt's webhook does not match it
    resources: ['nodes', 'nodes/status'],
    operations: ['UPDATE'],
    validationActions: maker.actionsOf('frozenNodeLabels'),
    ...rest,
  } as const;
  // the only way back of a label, so it is not exempted by a condition, after which nothing of the policy is evaluated, but leaves an entry in the audit log
  const withGroups = <T>(rule: (known: readonly string[]) => T, otherwise: T): T =>
    compute(groups ?? [], (known) => (known.length > 0 ? rule(known) : otherwise), isUnknown(groups) && groups);
  return validatingPolicy({
    ...rules,
    breakGlassGroups: undefined,
    variables: withGroups((known) => [...variables, { name: 'breaksGlass', expression: isInGroups(known) }], variables),
    validations: withGroups<PlainMap[]>(
      () =>
        validations.map(({ expression, ...rule }) => ({
          ...rule,
          expression: `variables.breaksGlass || ${expression as string}`,
        })),
      validations,
    ),
    auditAnnotations: withGroups<PlainMap[] | undefined>(
      () => [{ key: 'break-glass', valueExpression: breaksGlass(cluster) }],
      undefined,
    ),
  });
}

/** Whether the request writes the status of the object. */
const WRITES_STATUS = `request.?subResource.orValue('') == 'status'`;

/** The labels of a node that say whether it is in a host-network pool, and in which. */
function ownLabels(cluster: EdgeCluster): string[] {
  return [HOST_NETWORK_LABEL, cluster.nodePoolLabel, ...(cluster.hasOpenYurt() ? [DESIRED_NODE_POOL_LABEL] : [])];
}

/** The entry in the audit log about a change that only a break-glass group may make; empty, so that there is none, for all other users. */
function breaksGlass(cluster: EdgeCluster): string {
  const changes = ownLabels(cluster).map(
    (key) => `${celText(`${key}: "`)} + ${celLabel('oldObject', key)} + '" to "' + ${celLabel('object', key)} + '"'`,
  );
  return `variables.breaksGlass ? ${changes.join(` + ', ' + `)} : ''`;
}

/**
 * What cannot change on a Node: the host-network label once it is set, and the pool as far as the release forbids it. A host-network label with another
 * value than `"true"` may become `"true"`, because `nodeLabel` sets it. A write of the status changes none of the labels: who may write only the status
 * of nodes, like node-problem-detector, could set the host-network label for good, and `nodeLabel` does not match it.
 *
 * Nothing is evaluated unless one of the labels changes, so a heartbeat costs one condition.
 */
function frozenLabelRules(cluster: EdgeCluster): {
  matchConditions: Named[];
  variables: Named[];
  validations: PlainMap[];
} {
  const { nodePoolLabel } = cluster;
  const labels = ownLabels(cluster);
  const changes = (key: string): string => `${celLabel('object', key)} != ${celLabel('oldObject', key)}`;
  const leaves = canLeavePool(cluster);
  return {
    matchConditions: [{ name: 'changes-a-label', expression: labels.map(changes).join(' || ') }],
    variables: [
      { name: 'label', expression: celLabel('object', HOST_NETWORK_LABEL) },
      { name: 'oldLabel', expression: celLabel('oldObject', HOST_NETWORK_LABEL) },
      { name: 'pool', expression: membership('object', cluster) },
      { name: 'oldPool', expression: membership('oldObject', cluster) },
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
        expression: `!(${WRITES_STATUS})`,
        message: `a write of the status cannot change ${labels.map((key) => `label ${key}`).join(' or ')}: write the Node itself`,
        reason: 'Forbidden',
      },
    ],
  };
}
