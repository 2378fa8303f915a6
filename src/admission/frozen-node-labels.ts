import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { canLeavePool } from '../cluster/openyurt-capabilities.js';
import type { PlannedObject } from '../cluster/plan.js';
import { DESIRED_NODE_POOL_LABEL, hasOtherValues } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';
import { celLabel, celText } from './cel.js';
import { isInGroups, type Named, NODES, validatingPolicy } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { hostNetworkLabelOf, membership } from './node-label.js';

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

/** A label of a node that says whether it is in a host-network pool, or in which. */
interface OwnLabel {
  readonly key: string;
  /** Its value as CEL. */
  readonly of: (object: 'object' | 'oldObject') => string;
  /** Whether it changes, as CEL. */
  readonly changes: string;
}

/** A label of which other values concern nobody here counts as changed only if it becomes, or was, the value of host-network nodes. */
function ownLabels(cluster: EdgeCluster): OwnLabel[] {
  const { hostNetworkLabel } = cluster;
  const ofMode: OwnLabel['of'] = (object) => hostNetworkLabelOf(object, hostNetworkLabel);
  const isSet = (object: 'object' | 'oldObject'): string => `(${ofMode(object)} == ${celText(hostNetworkLabel.value)})`;
  const keys = [cluster.nodePoolLabel, ...(cluster.hasOpenYurt() ? [DESIRED_NODE_POOL_LABEL] : [])];
  return [
    {
      key: hostNetworkLabel.key,
      of: ofMode,
      changes: hasOtherValues(hostNetworkLabel)
        ? `${isSet('object')} != ${isSet('oldObject')}`
        : `${ofMode('object')} != ${ofMode('oldObject')}`,
    },
    ...keys.map((key): OwnLabel => {
      const of: OwnLabel['of'] = (object) => celLabel(object, key);
      return { key, of, changes: `${of('object')} != ${of('oldObject')}` };
    }),
  ];
}

/** The entry in the audit log about a change that only a break-glass group may make; empty, so that there is none, for all other users. */
function breaksGlass(cluster: EdgeCluster): string {
  const changes = ownLabels(cluster).map(
    ({ key, of }) => `${celText(`${key}: "`)} + ${of('oldObject')} + '" to "' + ${of('object')} + '"'`,
  );
  return `variables.breaksGlass ? ${changes.join(` + ', ' + `)} : ''`;
}

/**
 * What cannot change on a Node: the host-network label once it is set, and the pool as far as the release forbids it. A host-network label with another
 * value may become the value of host-network nodes, because `nodeLabel` sets it. A write of the status changes none of the labels: who may write only the status
 * of nodes, like node-problem-detector, could set the host-network label for good, and `nodeLabel` does not match it.
 *
 * Nothing is evaluated unless one of the labels changes, so a heartbeat costs one condition.
 */
function frozenLabelRules(cluster: EdgeCluster): {
  matchConditions: Named[];
  variables: Named[];
  validations: PlainMap[];
} {
  const { nodePoolLabel, hostNetworkLabel } = cluster;
  const labels = ownLabels(cluster);
  const value = celText(hostNetworkLabel.value);
  const leaves = canLeavePool(cluster);
  return {
    matchConditions: [{ name: 'changes-a-label', expression: labels.map(({ changes }) => changes).join(' || ') }],
    variables: [
      { name: 'label', expression: hostNetworkLabelOf('object', hostNetworkLabel) },
      { name: 'oldLabel', expression: hostNetworkLabelOf('oldObject', hostNetworkLabel) },
      { name: 'pool', expression: membership('object', cluster) },
      { name: 'oldPool', expression: membership('oldObject', cluster) },
    ],
    validations: [
      {
        expression: hasOtherValues(hostNetworkLabel)
          ? `variables.oldLabel != ${value} || variables.label == ${value}`
          : `variables.oldLabel == '' || variables.label == variables.oldLabel || variables.label == ${value}`,
        message: `label ${hostNetworkLabel.key} cannot be changed or removed: delete the Node and join it again`,
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
        message: `a write of the status cannot change ${labels.map(({ key }) => `label ${key}`).join(' or ')}: write the Node itself`,
        reason: 'Forbidden',
      },
    ],
  };
}
