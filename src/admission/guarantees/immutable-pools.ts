import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import type { PlannedObject } from '../../cluster/plan.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { celText } from '../cel.js';
import { type Named, validatingPolicy } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';

/** The policy of `immutablePools`. */
export function immutablePools(maker: PolicyMaker): PlannedObject[] {
  const { cluster } = maker.props;
  const [group, version] = (cluster.nodePoolApiVersion() ?? '').split('/') as [string, string];
  return maker.holds('immutablePools')
    ? validatingPolicy({
        ...maker.base('immutable-pools', ['immutablePools']),
        ...nodePoolRules(cluster),
        apiGroup: group,
        apiVersions: [version],
        resources: ['nodepools'],
        operations: ['CREATE', 'UPDATE'],
        validationActions: maker.actionsOf('immutablePools'),
      })
    : [];
}

/** Which fields of a NodePool are immutable, and which combination is invalid. To OpenYurt an absent field equals its zero value. */
function nodePoolRules(cluster: EdgeCluster): { variables: Named[]; validations: PlainMap[] } {
  const flags = [
    'hostNetwork',
    ...(cluster.hasNodePoolField('interConnectivity') ? ['interConnectivity'] : []),
  ] as const;
  const now = (field: string, zero: string): string => `object.?spec.?${field}.orValue(${zero})`;
  const before = (field: string, zero: string): string =>
    `oldObject == null ? ${zero} : oldObject.?spec.?${field}.orValue(${zero})`;
  return {
    variables: [
      { name: 'type', expression: now('type', `''`) },
      { name: 'oldType', expression: before('type', `''`) },
      ...flags.flatMap((field) => [
        { name: field, expression: `${now(field, 'false')} == true` },
        { name: old(field), expression: `(${before(field, 'false')}) == true` },
      ]),
    ],
    validations: [
      {
        expression: 'oldObject == null || variables.type == variables.oldType',
        messageExpression: `${celText('spec.type is immutable (was "')} + string(variables.oldType) + ${celText('"): make a pool of another name')}`,
        reason: 'Forbidden',
      },
      ...flags.map((field) => ({
        expression: `oldObject == null || variables.${field} == variables.${old(field)}`,
        message: `spec.${field} is immutable: make a pool of another name`,
        reason: 'Forbidden',
      })),
      {
        expression: `!(variables.type == 'Cloud' && variables.hostNetwork)`,
        message: 'a Cloud NodePool cannot set hostNetwork: remove one of them',
        reason: 'Invalid',
      },
    ],
  };
}

function old(field: string): string {
  return `old${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}
