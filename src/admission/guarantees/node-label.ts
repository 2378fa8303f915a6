import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import type { PlannedObject } from '../../cluster/plan.js';
import { isRefusedByKubelet } from '../../kubernetes/label-syntax.js';
import { DESIRED_NODE_POOL_LABEL, type HostNetworkLabel } from '../../kubernetes/labels.js';
import type { PlainMap } from '../../validation/plain-data.js';
import { celLabel, celText, celTexts } from '../cel.js';
import { isInGroups, mutatingPolicy, type Named, NODES, type PolicyParameters } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';

/**
 * The policy of `nodeLabel`.
 *
 * @param listed returns all conditions of the policy, made from the names of the host-network pools when the whole program is declared
 */
export function nodeLabel(
  maker: PolicyMaker,
  listed: (conditions: (names: readonly string[]) => Named[]) => unknown,
): PlannedObject[] {
  if (!maker.holds('nodeLabel')) {
    return [];
  }
  const { cluster } = maker.props;
  const base = {
    ...NODES,
    ...maker.base('node-label', ['nodeLabel']),
    mutations: [labelMutation(cluster.hostNetworkLabel)],
  };
  return mutatingPolicy(
    maker.props.pools === 'live'
      ? { ...base, matchConditions: isMemberOfLivePool(cluster), parameters: livePools(cluster) }
      : { ...base, lateConditions: listed((names) => isMemberOfListedPool(cluster, names)) },
  );
}

/** The pool of a Node. OpenYurt reads the older label if the newer one is empty (webhook/node/v1/node_default.go, v1.4 to v1.7). */
export function membership(object: string, cluster: EdgeCluster): string {
  const named = celLabel(object, cluster.nodePoolLabel);
  return cluster.hasOpenYurt() ? `(${named} != '' ? ${named} : ${celLabel(object, DESIRED_NODE_POOL_LABEL)})` : named;
}

/** The value of the host-network label of a Node as CEL, and text that is no label value if the Node does not have the label and its value is empty. */
export function hostNetworkLabelOf(object: string, { key, value }: HostNetworkLabel): string {
  return celLabel(object, key, value === '' ? '?' : '');
}

/**
 * Matches a Node without the label. If kubelets may not set it, their own requests are not changed: after a mutation the API server admits the request a
 * second time, and NodeRestriction would refuse the registration. The label comes with the first write by anybody else, such as a controller.
 */
function labelNotYet({ hostNetworkLabel: label }: EdgeCluster): Named[] {
  return [
    {
      name: 'not-yet',
      expression: `${hostNetworkLabelOf('object', label)} != ${celText(label.value)}`,
    },
    ...(isRefusedByKubelet(label.key) ? [{ name: 'no-kubelet', expression: `!${isInGroups(['system:nodes'])}` }] : []),
  ];
}

/** Matches a Node of a host-network pool, with every NodePool of the cluster as a parameter. */
function isMemberOfLivePool(cluster: EdgeCluster): Named[] {
  return [
    ...labelNotYet(cluster),
    { name: 'member', expression: `params != null && params.metadata.name == ${membership('object', cluster)}` },
    { name: 'host-network-pool', expression: `params.?spec.?hostNetwork.orValue(false) == true` },
  ];
}

/** CEL refuses an expression of more than 100,000 characters (cel-go parser, expressionSizeCodePointLimit); some are left for what surrounds the names. */
const NAMES_OF_ONE_CONDITION = 90_000;

/** Length of a name in a list of CEL: two quotes, a comma and a blank. */
export const LISTED_NAME_EXTRA = 4;

/**
 * Matches a Node of a host-network pool. The names are in the policy itself, so that nothing has to be read, or to be discovered by a restarted API
 * server, before the policy can be evaluated. All conditions of a policy must hold, so with many names each condition judges one range of the alphabet,
 * and lets every other name pass.
 */
export function isMemberOfListedPool(cluster: EdgeCluster, hostNetworkPools: readonly string[]): Named[] {
  const pool = membership('object', cluster);
  const ranges = rangesOf([...new Set(hostNetworkPools)].sort());
  return [
    ...labelNotYet(cluster),
    ...ranges.map((names, index) => {
      const from = index > 0 ? `${pool} < ${celText(names[0] as string)} || ` : '';
      const next = ranges[index + 1]?.[0];
      const to = next === undefined ? '' : `${pool} >= ${celText(next)} || `;
      return {
        name: index > 0 ? `member-${index + 1}` : 'member',
        expression: `${from}${to}${pool} in ${celTexts(names)}`,
      };
    }),
  ];
}

/** Splits sorted names into lists that fit into one expression; one empty list if there is no name. */
function rangesOf(names: readonly string[]): string[][] {
  const ranges: string[][] = [[]];
  let length = 0;
  for (const name of names) {
    length += name.length + LISTED_NAME_EXTRA;
    if (length > NAMES_OF_ONE_CONDITION) {
      ranges.push([]);
      length = name.length + LISTED_NAME_EXTRA;
    }
    ranges.at(-1)?.push(name);
  }
  return ranges;
}

/** All NodePools. While there is none, the policy does nothing. */
function livePools(cluster: EdgeCluster): PolicyParameters {
  return {
    kind: { apiVersion: cluster.nodePoolApiVersion() as string, kind: 'NodePool' },
    ref: { selector: {}, parameterNotFoundAction: 'Allow' },
  };
}

/** Sets the label. Labels are a granular map, so an apply configuration changes nothing else. */
function labelMutation({ key, value }: HostNetworkLabel): PlainMap {
  return {
    patchType: 'ApplyConfiguration',
    applyConfiguration: {
      expression: `Object{metadata: Object.metadata{labels: {${celText(key)}: ${celText(value)}}}}`,
    },
  };
}
