import { type HostNetworkLabel, NODE_POOL_LABEL, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import type { Taint } from '../kubernetes/taint.js';

/**
 * A node, with the properties that scheduling checks use.
 *
 * @category Test where things run
 */
export interface PlacementNode {
  /** Name of the node. */
  readonly name: string;
  /** Labels of the node. Those that every node has need not be written: its host name, `kubernetes.io/os` (linux) and `kubernetes.io/arch` (amd64). */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints of the node.
   * @default - none */
  readonly taints?: readonly Taint[];
  /** What Pods can request of it, as in `status.allocatable`: `{ cpu: '3800m', memory: '3Gi', pods: '110' }`.
   * @default - unknown, and room is not judged */
  readonly allocatable?: Readonly<Record<string, string>>;
}

/**
 * The labels that say in which pool a node is, and whether it is a host-network node. An {@link EdgeCluster} has them.
 *
 * @category Test where things run
 */
export interface FleetLabels {
  /** Node label with the pool's name.
   * @default apps.openyurt.io/nodepool */
  readonly nodePoolLabel?: string;
  /** Label by which host-network nodes are known.
   * @default - the label that OpenYurt sets */
  readonly hostNetworkLabel?: HostNetworkLabel;
}

/** Both labels, and the minor of Kubernetes, if it is known: a cluster has it. */
export interface JudgedLabels extends Required<FleetLabels> {
  readonly kubernetes?: string;
}

/** The labels; text is the label with the pool's name. */
export function fleetLabelsOf(labels: string | FleetLabels, minor?: string): JudgedLabels {
  const {
    nodePoolLabel = NODE_POOL_LABEL,
    hostNetworkLabel = OPENYURT_HOST_NETWORK,
    kubernetes = minor,
  }: Partial<JudgedLabels> = typeof labels === 'string' ? { nodePoolLabel: labels } : labels;
  return { nodePoolLabel, hostNetworkLabel, ...(kubernetes === undefined ? {} : { kubernetes }) };
}

/**
 * The labels that every node has, of a Linux node on amd64. Kubelet sets three of them (kubelet_node_status.go initialNode), and the node lifecycle
 * controller copies two to their former keys (node_lifecycle_controller.go labelReconcileInfo). A zone is not among them: only a cloud provider sets it.
 */
export function labelsOfEveryNode(name: string): Readonly<Record<string, string>> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

/** Whether a node is a host-network node. */
export function isHostNetworkNode({ labels }: PlacementNode, { key, value }: HostNetworkLabel): boolean {
  return labels[key] === value;
}

/** A node without the label of host-network nodes. */
export function asRegular<Node extends PlacementNode>(node: Node, { key }: HostNetworkLabel): Node {
  const labels = { ...node.labels };
  Reflect.deleteProperty(labels, key);
  return { ...node, labels };
}
