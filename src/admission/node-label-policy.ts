import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { canLeavePool } from '../cluster/openyurt-capabilities.js';
import type { PlainMap } from '../validation/plain-data.js';
import { DESIRED_NODE_POOL_LABEL, HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { celLabel, celText } from './cel.js';
import type { Named, PolicyParameters } from './policy.js';

/**
 * Key of the ConfigMap under which the host-network pools stand, a name a line. One text and not a key for each pool: the API server unpacks a
 * parameter anew for every request, which takes milliseconds for a thousand keys and next to nothing for one.
 */
export const LISTED_POOLS_KEY = 'host-network';

/** The host-network pools as the ConfigMap lists them. */
export function listedPoolsData(hostNetworkPools: Iterable<string>): Record<string, string> {
  const names = [...new Set(hostNetworkPools)].sort();
  return { [LISTED_POOLS_KEY]: names.map((name) => `${name}\n`).join('') };
}

/** The pool that a node names. OpenYurt reads the older label where the newer one is empty (webhook/node/v1/node_default.go, v1.4 to v1.7). */
function membership(cluster: EdgeCluster): string {
  const named = celLabel('object', cluster.nodePoolLabel);
  return cluster.hasOpenYurt() ? `(${named} != '' ? ${named} : ${celLabel('object', DESIRED_NODE_POOL_LABEL)})` : named;
}

const LABEL_NOT_YET: Named = {
  name: 'not-yet',
  expression: `${celLabel('object', HOST_NETWORK_LABEL)} != ${celText(TRUE)}`,
};

/** When a node gets the label, with every NodePool of the cluster as a parameter. */
export function isMemberOfLivePool(cluster: EdgeCluster): Named[] {
  return [
    LABEL_NOT_YET,
    { name: 'member', expression: `params != null && params.metadata.name == ${membership(cluster)}` },
    { name: 'host-network-pool', expression: `params.?spec.?hostNetwork.orValue(false) == true` },
  ];
}

/** When a node gets the label, with one ConfigMap as the parameter. */
export function isMemberOfListedPool(cluster: EdgeCluster): Named[] {
  const pool = membership(cluster);
  const list = `('\\n' + params.?data[?${celText(LISTED_POOLS_KEY)}].orValue(''))`;
  return [
    LABEL_NOT_YET,
    {
      name: 'member',
      expression: `params != null && ${pool} != '' && ${list}.contains('\\n' + ${pool} + '\\n')`,
    },
  ];
}

/** All NodePools. With none, or before the first, nothing happens. */
export function livePools(cluster: EdgeCluster): PolicyParameters {
  return {
    kind: { apiVersion: cluster.nodePoolApiVersion() as string, kind: 'NodePool' },
    ref: { selector: {}, parameterNotFoundAction: 'Allow' },
  };
}

/** The one ConfigMap. While it is missing nothing happens: to refuse every write of every node would be worse. */
export function listedPools(namespace: string, name: string): PolicyParameters {
  return {
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    ref: { namespace, name, parameterNotFoundAction: 'Allow' },
  };
}

/** Sets the label. Labels are a granular map, so an apply configuration touches nothing else. */
export const LABEL_MUTATION: PlainMap = Object.freeze({
  patchType: 'ApplyConfiguration',
  applyConfiguration: {
    expression: `Object{metadata: Object.metadata{labels: {${celText(HOST_NETWORK_LABEL)}: ${celText(TRUE)}}}}`,
  },
});

/** Whether the request writes the status of the object. */
const WRITES_STATUS = `request.?subResource.orValue('') == 'status'`;

/** The labels by which a node names its pool. */
function membershipLabels(cluster: EdgeCluster): string[] {
  return [cluster.nodePoolLabel, ...(cluster.hasOpenYurt() ? [DESIRED_NODE_POOL_LABEL] : [])];
}

/**
 * What may not change on a node: the label once it is set, and membership as the release has it. A label of another value than the one that means
 * something can become that one, or `nodeLabel` could not give it. A write of the status, which `nodeLabel` does not see, changes no membership.
 */
export function frozenLabelRules(cluster: EdgeCluster): {
  matchConditions: Named[];
  variables: Named[];
  validations: PlainMap[];
} {
  const { nodePoolLabel } = cluster;
  const was = (key: string): string => `${celLabel('oldObject', key)} != ''`;
  const stays = (key: string): string => `${celLabel('object', key)} == ${celLabel('oldObject', key)}`;
  const leaves = canLeavePool(cluster);
  const named = membershipLabels(cluster);
  return {
    matchConditions: [
      { name: 'concerned', expression: `${was(HOST_NETWORK_LABEL)} || ${was(nodePoolLabel)} || ${WRITES_STATUS}` },
    ],
    variables: [
      { name: 'label', expression: celLabel('object', HOST_NETWORK_LABEL) },
      { name: 'oldLabel', expression: celLabel('oldObject', HOST_NETWORK_LABEL) },
      { name: 'pool', expression: celLabel('object', nodePoolLabel) },
      { name: 'oldPool', expression: celLabel('oldObject', nodePoolLabel) },
    ],
    validations: [
      {
        expression: `variables.oldLabel == '' || variables.label == variables.oldLabel || variables.label == ${celText(TRUE)}`,
        message: `label ${HOST_NETWORK_LABEL} can not be changed or removed: delete the Node and join it anew`,
        reason: 'Forbidden',
      },
      {
        expression: `variables.oldPool == '' || variables.pool == variables.oldPool${leaves ? ` || variables.pool == ''` : ''}`,
        message: leaves
          ? `label ${nodePoolLabel} can not be changed: remove it first, then set another pool`
          : `label ${nodePoolLabel} can not be changed or removed: delete the Node and join it anew`,
        reason: 'Forbidden',
      },
      {
        expression: `!(${WRITES_STATUS}) || ${named.map(stays).join(' && ')}`,
        message: `a write of the status can not change ${named.map((key) => `label ${key}`).join(' or ')}: write the Node itself`,
        reason: 'Forbidden',
      },
    ],
  };
}
