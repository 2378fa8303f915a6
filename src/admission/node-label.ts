import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { isRefusedByKubelet } from '../kubernetes/label-syntax.js';
import { DESIRED_NODE_POOL_LABEL, type HostNetworkLabel } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { text } from '../base/unknown.js';
import { celLabel, celText, celTexts } from './cel.js';
import { type ByPools, LISTED_NAME_EXTRA } from './pool-list.js';
import {
  checkedPolicy,
  conditionsOf,
  isInGroups,
  mutatingPolicy,
  type Named,
  NODES,
  type PolicyParameters,
  VALIDATING,
  validatingPolicy,
} from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { MUTATION_IS_NEW, whileServed } from './while-served.js';

/**
 * The policies of `nodeLabel`. The condition is inside of the mutation: a third-party policy or webhook may add the label of the pool after this policy
 * has seen the Node, and a Node that failed a match condition is not judged again (see {@link MutatingPolicy}). A second policy refuses what becomes a member
 * without the host-network label nevertheless.
 *
 * @param listed makes a part of a policy from the names of the host-network pools when the whole program is declared
 */
export function nodeLabel(maker: PolicyMaker, listed: ByPools): PlannedObject[] {
  if (!maker.holds('nodeLabel')) {
    return [];
  }
  const { cluster, pools } = maker.props;
  const common = {
    ...NODES,
    ...maker.base('node-label', ['nodeLabel']),
    matchConditions: refusedToKubelets(cluster),
    mutations: [labelMutation(cluster.hostNetworkLabel)],
  };
  return pools === 'live'
    ? mutatingPolicy({
        ...common,
        matchConditions: [...common.matchConditions, ...isHostNetworkPool()],
        variables: membershipVariables(cluster, isMemberOfLivePool(cluster)),
        parameters: livePools(cluster),
      })
    : [
        ...checkedPolicy({
          ...common,
          lateVariables: listed((names) => membershipVariables(cluster, isMemberOfListedPool(cluster, names))),
        }),
        ...nodeLabelCheck(maker, common.name, listed),
      ];
}

/**
 * Refuses a Node that joins a host-network pool without the label, whatever took the label away. Nodes that are members already can be written: refusing
 * the write of a node that has no label would stop its controllers, and with them a whole cluster.
 */
function nodeLabelCheck(maker: PolicyMaker, mutation: string, listed: ByPools): PlannedObject[] {
  const { cluster } = maker.props;
  const { key, value } = cluster.hostNetworkLabel;
  return validatingPolicy({
    ...NODES,
    ...maker.base('node-label-check', ['nodeLabel']),
    ...whileServed(maker, mutation),
    apiVersion: VALIDATING,
    lateConditions: listed((names, groups) =>
      conditionsOf(groups, [
        ...refusedToKubelets(cluster),
        {
          name: 'becomes-a-member',
          expression: `oldObject == null || ${membership('object', cluster)} != ${membership('oldObject', cluster)}`,
        },
        { name: 'not-labelled', expression: lacksLabel(cluster) },
        ...isMemberOfListedPool(cluster, names),
      ]),
    ),
    validations: [
      {
        expression: `oldObject == null && ${MUTATION_IS_NEW}`,
        message: text`this Node joins a host-network pool without label ${key}=${value}: another webhook or policy removes it after the policy ${mutation} has added it; correct that one, or join the node with the labels of its pool (joinLabels)`,
        reason: 'Forbidden',
      },
    ],
    validationActions: maker.props.validationActions ?? ['Deny', 'Audit'],
  });
}

/** The pool of a Node. OpenYurt reads the older label if the newer one is empty (webhook/node/v1/node_default.go, v1.4 to v1.7). */
export function membership(object: string, cluster: EdgeCluster): string {
  const named = celLabel(object, cluster.nodePoolLabel);
  return cluster.hasOpenYurt() ? `(${named} != '' ? ${named} : ${celLabel(object, DESIRED_NODE_POOL_LABEL)})` : named;
}

/** The value of the host-network label of a Node as CEL, and text that is not a label value if the Node does not have the label and its value is empty. */
export function hostNetworkLabelOf(object: string, { key, value }: HostNetworkLabel): string {
  return celLabel(object, key, value === '' ? '?' : '');
}

/**
 * If kubelets may not set the label, their own requests are not changed: after a mutation the API server admits the request a second time, and
 * NodeRestriction would refuse the registration. The label comes with the first write by anybody else, such as a controller.
 */
function refusedToKubelets({ hostNetworkLabel }: EdgeCluster): Named[] {
  return isRefusedByKubelet(hostNetworkLabel.key)
    ? [{ name: 'no-kubelet', expression: `!${isInGroups(['system:nodes'])}` }]
    : [];
}

function lacksLabel({ hostNetworkLabel: label }: EdgeCluster): string {
  return `${hostNetworkLabelOf('object', label)} != ${celText(label.value)}`;
}

/** Whether the parameter is a host-network pool. */
function isHostNetworkPool(): Named[] {
  return [
    { name: 'host-network-pool', expression: 'params != null && params.?spec.?hostNetwork.orValue(false) == true' },
  ];
}

/** Whether a Node is in the pool that is the parameter. */
function isMemberOfLivePool(cluster: EdgeCluster): Named[] {
  return [{ name: 'member', expression: `params != null && params.metadata.name == ${membership('object', cluster)}` }];
}

/** Variables of the mutation: whether the Node is a member and has no label yet. All of `member` must hold. */
function membershipVariables(cluster: EdgeCluster, member: readonly Named[]): Named[] {
  const variables = member.map(({ name, expression }) => ({ name: name.replace('-', ''), expression }));
  const all = [`(${lacksLabel(cluster)})`, ...variables.map(({ name }) => `variables.${name}`)];
  return [...variables, { name: 'lacksLabel', expression: all.join(' && ') }];
}

/** CEL refuses an expression of more than 100,000 characters (cel-go parser, expressionSizeCodePointLimit); some are left for what surrounds the names. */
const NAMES_OF_ONE_CONDITION = 90_000;

/**
 * Conditions that all hold for a Node of a host-network pool. The names are in the policy itself, so that nothing has to be read, or to be discovered by a
 * restarted API server, before the policy can be evaluated. With many names each condition judges one range of the alphabet, and lets every other name pass.
 */
export function isMemberOfListedPool(cluster: EdgeCluster, hostNetworkPools: readonly string[]): Named[] {
  const pool = membership('object', cluster);
  const ranges = rangesOf([...new Set(hostNetworkPools)].sort());
  return ranges.map((names, index) => {
    const from = index > 0 ? `${pool} < ${celText(names[0] as string)} || ` : '';
    const next = ranges[index + 1]?.[0];
    const to = next === undefined ? '' : `${pool} >= ${celText(next)} || `;
    return {
      name: index > 0 ? `member-${index + 1}` : 'member',
      expression: `${from}${to}${pool} in ${celTexts(names)}`,
    };
  });
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

/**
 * Sets the label of a Node that lacks it. A member has labels, so that the path exists. A failed `test` leaves the object as it is (apiserver
 * pkg/admission/plugin/policy/mutating/patch/json_patch.go), and costs less than a patch without operations, after which the object is decoded again.
 */
function labelMutation({ key, value }: HostNetworkLabel): PlainMap {
  const path = celText(`/metadata/labels/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`);
  return {
    patchType: 'JSONPatch',
    jsonPatch: {
      expression: `variables.lacksLabel ? [JSONPatch{op: "add", path: ${path}, value: ${celText(value)}}] : [JSONPatch{op: "test", path: "/kind", value: ""}]`,
    },
  };
}
