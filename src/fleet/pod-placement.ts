import { NEWEST_MINOR } from '../cluster/kubernetes-minors.js';
import type { PlainMap } from '../base/plain-data.js';
import { type HostNetworkLabel, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import { HOSTNAME, nodeAffinityMatches, type OpenNode } from './node-affinity-match.js';
import { asRegular, isHostNetworkNode } from './node.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import { nodeNameOf, type PlacementPod } from './placement-pod.js';
import { nodeAffinity, nodeName, taintRefusal } from './scheduler.js';
import { type Refusal, decidingRefusal } from './verdict.js';

/** A node that can stand for several: an example, and their names. */
export interface ExampleNode extends OpenNode {
  /** Names of the nodes, as far as they are known. */
  readonly names?: readonly string[];
}

/** The node that a Pod names, if the example stands for it; else the example. */
export function namedNode<Node extends ExampleNode>(spec: PlainMap, node: Node): Node {
  const name = nodeNameOf(spec);
  return name === undefined || name === node.name || node.names?.includes(name) !== true
    ? node
    : { ...node, name, labels: { ...node.labels, [HOSTNAME]: name } };
}

/** The reason in the words of the library: a Pod that would be on the node if it were a regular one is excluded from host-network nodes. */
export function shownReason(
  { by, reason }: Refusal,
  spec: PlainMap,
  node: OpenNode,
  label: HostNetworkLabel = OPENYURT_HOST_NETWORK,
): string {
  return by === 'NodeAffinity' && isHostNetworkNode(node, label) && nodeAffinityMatches(spec, asRegular(node, label))
    ? 'excluded from host-network nodes'
    : reason;
}

/**
 * Why a Pod cannot run on a node, by what is written in its template: the scheduler's filters NodeName, NodeAffinity and TaintToleration, with the
 * tolerations that the API server and the DaemonSet controller add; undefined if it can. A Pod with `spec.nodeName` is bound, without the scheduler, and so
 * without `NoSchedule` taints: it runs on this node only, if kubelet accepts it (nodeaffinity, NoExecute).
 *
 * @param node an example node of a pool may have the names of the nodes that it stands for
 */
export function whyNotOn(
  podSpec: PlainMap,
  node: ExampleNode,
  isDaemon = false,
  label: HostNetworkLabel = OPENYURT_HOST_NETWORK,
): string | undefined {
  const pod: PlacementPod = {
    title: '',
    name: '',
    namespace: '',
    labels: {},
    annotations: {},
    spec: podSpec,
    isDaemon,
    isTerminating: false,
  };
  const on: ClusterNode = { ...namedNode(podSpec, node), pods: [] };
  const isKubelets = nodeNameOf(podSpec) !== undefined && !isDaemon;
  const effects = isKubelets ? (['NoExecute'] as const) : (['NoSchedule', 'NoExecute'] as const);
  const refusal = decidingRefusal(
    [nodeName(pod, on), nodeAffinity(pod, on), taintRefusal(pod, on, effects)].filter((each) => each !== undefined),
  );
  return refusal === undefined || refusal.outcome === 'unknown' ? undefined : shownReason(refusal, podSpec, on, label);
}

/** A cluster of which only one node is known. */
export const NOTHING_KNOWN: PlacementCluster = {
  nodes: [],
  namespaces: new Map(),
  claims: new Map(),
  volumes: new Map(),
  storageClasses: new Map(),
  isWhole: false,
  kubernetes: NEWEST_MINOR,
};
