import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { NODE_POOL_VERSIONS, olderNodePoolVersions } from '../cluster/openyurt-capabilities.js';
import type { PlannedObject } from '../cluster/plan.js';
import { HOST_NETWORK_LABEL } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { celAnnotation, celText, celTexts } from './cel.js';
import { type Named, validatingPolicy } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';

/** The policy of `immutablePools`. */
export function immutablePools(maker: PolicyMaker): PlannedObject[] {
  if (!maker.holds('immutablePools')) {
    return [];
  }
  const { cluster } = maker.props;
  const [group, version] = (cluster.nodePoolApiVersion() ?? '').split('/') as [string, string];
  const isOlder = `request.requestKind.version in ${celTexts(olderNodePoolVersions(cluster))}`;
  return validatingPolicy({
    ...maker.base('immutable-pools', ['immutablePools']),
    // in an older version, a write of the status stores the whole object again
    matchConditions: [{ name: 'no-status', expression: `request.?subResource.orValue('') == '' || ${isOlder}` }],
    ...nodePoolRules(cluster, isOlder, version),
    apiGroup: group,
    // each version is named, so that a request is judged as it comes: conversion hides what it loses
    apiVersions: NODE_POOL_VERSIONS,
    resources: ['nodepools', 'nodepools/status'],
    operations: ['CREATE', 'UPDATE'],
    validationActions: maker.actionsOf('immutablePools'),
  });
}

/**
 * Which fields of a NodePool are immutable, and which combinations are invalid. To OpenYurt an absent field equals its zero value.
 *
 * An older version has no field for hostNetwork, or conversion does not read it: it reads the annotation `nodepool.openyurt.io/hostnetwork` instead
 * (`pkg/apis/apps/v1alpha1/nodepool_conversion.go` of 1.5 to 1.7, and of `v1beta1` of 1.7). It sets every other field that the version lacks to a default,
 * like `interConnectivity`. Neither can be seen in such a request, so pools are created with it, but not changed.
 *
 * What was invalid before can stay, so that the pool can be labelled, finalized and repaired. A pool that is being deleted can be finalized in every
 * version: the garbage collector removes its finalizer in the version that it found when it started, which after an upgrade of OpenYurt is an older one. The
 * annotation stays, or conversion would change hostNetwork.
 */
function nodePoolRules(
  cluster: EdgeCluster,
  isOlder: string,
  version: string,
): { variables: Named[]; validations: PlainMap[] } {
  const flags = [
    'hostNetwork',
    ...(cluster.hasNodePoolField('interConnectivity') ? ['interConnectivity'] : []),
  ] as const;
  // dyn: not every version has every field
  const now = (field: string, zero: string): string => `dyn(object).?spec.?${field}.orValue(${zero})`;
  const before = (field: string, zero: string): string =>
    `oldObject == null ? ${zero} : dyn(oldObject).?spec.?${field}.orValue(${zero})`;
  const annotation = (object: string): string =>
    `${celAnnotation(`${object}.metadata`, HOST_NETWORK_LABEL)}.lowerAscii()`;
  return {
    variables: [
      { name: 'isOlder', expression: isOlder },
      { name: 'type', expression: now('type', `''`) },
      { name: 'oldType', expression: before('type', `''`) },
      ...flags.flatMap((field) => [
        { name: field, expression: `${now(field, 'false')} == true` },
        { name: old(field), expression: `(${before(field, 'false')}) == true` },
      ]),
      { name: 'annotation', expression: annotation('object') },
      { name: 'oldAnnotation', expression: `oldObject == null ? '' : ${annotation('oldObject')}` },
      { name: 'isDeleted', expression: 'oldObject != null && has(oldObject.metadata.deletionTimestamp)' },
      { name: 'wasInvalid', expression: `variables.oldType == 'Cloud' && variables.oldHostNetwork` },
    ],
    validations: [
      {
        expression: `oldObject == null || !variables.isOlder || variables.isDeleted`,
        messageExpression: `${celText('a change as ')} + request.requestKind.version + ${celText(` can change spec.hostNetwork and lose fields, and nothing shows it: write the NodePool as ${version}`)}`,
        reason: 'Forbidden',
      },
      {
        expression: 'oldObject == null || variables.type == variables.oldType || variables.wasInvalid',
        messageExpression: `${celText('spec.type is immutable (was "')} + string(variables.oldType) + ${celText('"): make a pool of another name')}`,
        reason: 'Forbidden',
      },
      ...flags.map((field) => ({
        expression: `oldObject == null || variables.${field} == variables.${old(field)}${field === 'hostNetwork' ? ' || variables.wasInvalid' : ''}`,
        message: `spec.${field} is immutable: make a pool of another name`,
        reason: 'Forbidden',
      })),
      {
        expression: `!(variables.type == 'Cloud' && (variables.isOlder ? variables.annotation == 'true' : variables.hostNetwork)) || variables.wasInvalid`,
        message: 'a Cloud NodePool cannot set hostNetwork: remove one of them',
        reason: 'Invalid',
      },
      {
        expression: [
          `variables.isOlder ? (oldObject == null ? !variables.hostNetwork || variables.annotation == 'true'`,
          `: variables.annotation == variables.oldAnnotation)`,
          `: variables.annotation == '' || (variables.annotation == 'true') == variables.hostNetwork`,
          `|| (variables.annotation == variables.oldAnnotation && variables.hostNetwork == variables.oldHostNetwork)`,
        ].join(' '),
        message: `annotation ${HOST_NETWORK_LABEL} must say the same as spec.hostNetwork, because older versions of the API read only the annotation`,
        reason: 'Invalid',
      },
    ],
  };
}

function old(field: string): string {
  return `old${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}
