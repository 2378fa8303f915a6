import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import type { PlannedObject } from '../../cluster/plan.js';
import { DESIRED_NODE_POOL_LABEL, HOST_NETWORK_LABEL, TRUE } from '../../kubernetes/labels.js';
import { ownMetadata } from '../../kubernetes/own-labels.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { compute, text } from '../../validation/unknown.js';
import { celLabel, celText } from '../cel.js';
import { mutatingPolicy, type Named, NODES, type PolicyParameters } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';
import { poolsOf } from '../pool-admission-props.js';

/**
 * The policy of `nodeLabel`; with `pools: 'listed'` after the ConfigMap that it reads.
 *
 * @param listedData returns the `data` of the ConfigMap
 */
export function nodeLabel(maker: PolicyMaker, listedData: () => unknown): PlannedObject[] {
  if (!maker.holds('nodeLabel')) {
    return [];
  }
  const { cluster, metadata } = maker.props;
  const base = { ...NODES, ...maker.base('node-label', ['nodeLabel']), mutations: [LABEL_MUTATION] };
  if (poolsOf(maker.props) === 'live') {
    return mutatingPolicy({ ...base, matchConditions: isMemberOfLivePool(cluster), parameters: livePools(cluster) });
  }
  const namespace = compute(maker.props.namespace, (name) => name ?? 'kube-system');
  const name = text`${maker.prefix}-pools`;
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ownMetadata(metadata, { name, namespace }),
    data: listedData(),
  };
  return [
    { object, apply: 'create', id: 'pools' },
    ...mutatingPolicy({
      ...base,
      matchConditions: isMemberOfListedPool(cluster),
      parameters: listedPools(namespace, name),
    }),
  ];
}

/**
 * Key of the ConfigMap whose value lists the host-network pools, one name per line. There is one key and not one per pool, because the API server
 * decodes a parameter for every request: that takes milliseconds for a thousand keys, and almost no time for one.
 */
const LISTED_POOLS_KEY = 'host-network';

/** The `data` of the ConfigMap. */
export function listedPoolsData(hostNetworkPools: Iterable<string>): Record<string, string> {
  const names = [...new Set(hostNetworkPools)].sort();
  return { [LISTED_POOLS_KEY]: names.map((name) => `${name}\n`).join('') };
}

/** The pool of a Node. OpenYurt reads the older label if the newer one is empty (webhook/node/v1/node_default.go, v1.4 to v1.7). */
function membership(cluster: EdgeCluster): string {
  const named = celLabel('object', cluster.nodePoolLabel);
  return cluster.hasOpenYurt() ? `(${named} != '' ? ${named} : ${celLabel('object', DESIRED_NODE_POOL_LABEL)})` : named;
}

const LABEL_NOT_YET: Named = {
  name: 'not-yet',
  expression: `${celLabel('object', HOST_NETWORK_LABEL)} != ${celText(TRUE)}`,
};

/** Matches a Node of a host-network pool, with every NodePool of the cluster as a parameter. */
function isMemberOfLivePool(cluster: EdgeCluster): Named[] {
  return [
    LABEL_NOT_YET,
    { name: 'member', expression: `params != null && params.metadata.name == ${membership(cluster)}` },
    { name: 'host-network-pool', expression: `params.?spec.?hostNetwork.orValue(false) == true` },
  ];
}

/** Matches a Node of a host-network pool, with the ConfigMap as the parameter. */
function isMemberOfListedPool(cluster: EdgeCluster): Named[] {
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

/** All NodePools. While there is none, the policy does nothing. */
function livePools(cluster: EdgeCluster): PolicyParameters {
  return {
    kind: { apiVersion: cluster.nodePoolApiVersion() as string, kind: 'NodePool' },
    ref: { selector: {}, parameterNotFoundAction: 'Allow' },
  };
}

/** The ConfigMap. While it is missing, the policy does nothing: refusing every write of every Node would be worse. */
function listedPools(namespace: string, name: string): PolicyParameters {
  return {
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    ref: { namespace, name, parameterNotFoundAction: 'Allow' },
  };
}

/** Sets the label. Labels are a granular map, so an apply configuration changes nothing else. */
const LABEL_MUTATION: PlainMap = Object.freeze({
  patchType: 'ApplyConfiguration',
  applyConfiguration: {
    expression: `Object{metadata: Object.metadata{labels: {${celText(HOST_NETWORK_LABEL)}: ${celText(TRUE)}}}}`,
  },
});
