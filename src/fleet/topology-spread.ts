import { selectsLabels } from '../kubernetes/label-selector.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { tolerates } from '../workloads/pool-selection.js';
import { nodeAffinityMatches } from './node-affinity-match.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import { type PlacementPod, tolerationsOf } from './placement-pod.js';
import { withLabelKeys, withNode } from './pod-affinity.js';
import type { Refusal } from './verdict.js';
import { itemsOf } from '../kubernetes/field-values.js';

const BY = 'PodTopologySpread';

/** The scheduler's filter PodTopologySpread (podtopologyspread/filtering.go). */
export function topologySpread(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  const { topologySpreadConstraints: given } = pod.spec;
  const constraints = (Array.isArray(given) ? given.filter(isMap) : []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (constraints.length === 0) {
    return undefined;
  }
  const counted = cluster.nodes
    .filter(({ labels }) => constraints.every(({ topologyKey }) => labels[String(topologyKey)] !== undefined))
    .map((each) => withNode(each, node));
  for (const constraint of constraints) {
    const refusal = broken(constraint, pod, node, counted, cluster.isWhole);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

function broken(
  constraint: PlainMap,
  pod: PlacementPod,
  node: ClusterNode,
  nodes: readonly ClusterNode[],
  isWhole: boolean,
): Refusal | undefined {
  const key = String(constraint.topologyKey);
  const value = node.labels[key];
  if (value === undefined) {
    return node.openLabels?.includes(key) === true
      ? { by: BY, outcome: 'unknown', reason: `topologySpreadConstraints depend on the label ${key} of its nodes` }
      : {
          by: BY,
          outcome: 'excluded',
          reason: `topologySpreadConstraints by ${key}, a label that the node does not have`,
        };
  }
  if (!isWhole) {
    // the other nodes are not known, so nothing can be counted
    return undefined;
  }
  const { maxSkew, minDomains, labelSelector, matchLabelKeys } = constraint;
  const selector = withLabelKeys(labelSelector, pod.labels, matchLabelKeys);
  const counts = countsOf(constraint, selector, pod, node, nodes);
  const least = counts.size < (typeof minDomains === 'number' ? minDomains : 1) ? 0 : Math.min(...counts.values());
  const self = selectsLabels(selector, pod.labels) ? 1 : 0;
  const skew = (counts.get(value) ?? 0) + self - least;
  return skew > Number(maxSkew)
    ? {
        by: BY,
        outcome: 'waits',
        reason: `for Pods elsewhere: topologySpreadConstraints by ${key} would have a skew of ${skew}, more than ${Number(maxSkew)}`,
      }
    : undefined;
}

/** Matching Pods by value of the topology, on the nodes that count. */
function countsOf(
  { topologyKey, nodeAffinityPolicy, nodeTaintsPolicy }: PlainMap,
  selector: unknown,
  pod: PlacementPod,
  { name }: ClusterNode,
  nodes: readonly ClusterNode[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { labels, taints = [], pods, ...node } of nodes) {
    const isTainted = taints.some(
      (taint) =>
        taint.effect !== 'PreferNoSchedule' &&
        !tolerationsOf(pod.spec, pod.isDaemon).some((toleration) => tolerates(toleration, taint)),
    );
    // the DaemonSet controller gives each of its Pods an affinity to its own node, in place of that of the template
    const isForNode = pod.isDaemon ? node.name === name : nodeAffinityMatches(pod.spec, { ...node, labels });
    const isLeftOut =
      ((nodeAffinityPolicy ?? 'Honor') === 'Honor' && !isForNode) || (nodeTaintsPolicy === 'Honor' && isTainted);
    if (!isLeftOut) {
      const value = labels[String(topologyKey)] as string;
      const matching = isEmptySelector(selector)
        ? []
        : pods.filter(
            (other) =>
              !other.isTerminating && other.namespace === pod.namespace && selectsLabels(selector, other.labels),
          );
      counts.set(value, (counts.get(value) ?? 0) + matching.length);
    }
  }
  return counts;
}

/** For an empty selector no Pods are counted (countPodsMatchSelector). */
function isEmptySelector(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = isMap(selector) ? selector : {};
  return (
    isMap(selector) &&
    Object.keys(isMap(matchLabels) ? matchLabels : {}).length === 0 &&
    itemsOf(matchExpressions).length === 0
  );
}
