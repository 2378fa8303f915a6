import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import type { Taint } from '../kubernetes/taint.js';
import type { NodeReservation } from '../reservation/node-reservation.js';

/**
 * A resource that the leader of a pool shares with the other nodes (OpenYurt 1.7+).
 *
 * @category Declare pools
 */
export interface PoolScopeMetadata {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version. */
  readonly version: string;
  /** Resource in the plural, for example `services`. */
  readonly resource: string;
}

/**
 * Everything that a NodePool can hold besides its mode.
 *
 * @category Declare pools
 */
export interface NodePoolProps {
  /** The cluster in which the pool is made. */
  readonly cluster: EdgeCluster;
  /** Name of the pool: an RFC 1123 name of at most 63 characters, because it becomes a node label value. */
  readonly poolName: string;
  /** Labels that OpenYurt copies to every node of the pool. Without OpenYurt the nodes bring them when they join.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Annotations that OpenYurt copies to every node of the pool.
   * @default - none */
  readonly annotations?: Record<string, string>;
  /** Taints that OpenYurt copies to every node of the pool. Without OpenYurt the nodes bring them when they register.
   * @default - none */
  readonly taints?: Taint[];
  /** Whether the nodes of the pool reach each other (OpenYurt 1.7+). Immutable.
   * @default false */
  readonly interConnectivity?: boolean;
  /** Whether a leader is chosen that shares pool-scope metadata (OpenYurt 1.7+).
   * @default false */
  readonly enableLeaderElection?: boolean;
  /** How the leader is chosen (OpenYurt 1.7+): any node, or only marked ones.
   * @default random */
  readonly leaderElectionStrategy?: 'random' | 'mark';
  /** Labels of the nodes that may lead, for the strategy `mark` (OpenYurt 1.7+). A plain map, not a LabelSelector.
   * @default - none */
  readonly leaderNodeLabelSelector?: Record<string, string>;
  /** How many leaders there are (OpenYurt 1.7+).
   * @default 1 */
  readonly leaderReplicas?: number;
  /** Resources that the leader shares (OpenYurt 1.7+); OpenYurt always adds Services and EndpointSlices.
   * @default - Services and EndpointSlices */
  readonly poolScopeMetadata?: PoolScopeMetadata[];
  /** Spec fields that this library does not know; they go into the object as they are.
   * @default - none */
  readonly extraSpec?: Record<string, unknown>;
  /** Labels and annotations of the NodePool object itself (not of its nodes), and any other metadata but name and namespace.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
  /** How many nodes the pool is meant to have. Used for checks only (replicas, host ports), never written.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** What each node of the pool keeps for itself; joins of the pool use it. Never written into the NodePool.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

/**
 * Properties of a {@link HostNetworkNodePool}.
 *
 * @category Declare pools
 */
export interface HostNetworkNodePoolProps extends NodePoolProps {
  /** Only `Edge`: every OpenYurt release refuses a Cloud pool with hostNetwork.
   * @default Edge */
  readonly type?: 'Edge';
  /** Taint the nodes with `nodepool.openyurt.io/hostnetwork=true:NoSchedule`, when they register and through the pool's taints, so that only
   * Pods that tolerate it are placed there. Off as in OpenYurt: plain Pods stay allowed.
   * @default false */
  readonly registrationTaint?: boolean;
}

/**
 * Properties of a host-network pool that is made elsewhere.
 *
 * @category Declare pools
 */
export interface ImportedHostNetworkNodePoolProps {
  /** The cluster in which the pool exists. */
  readonly cluster: EdgeCluster;
  /** Name of the pool. */
  readonly poolName: string;
  /** Labels of its nodes. With OpenYurt its NodePool gives them to the nodes; without OpenYurt the nodes of a join bring them.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Taints of its nodes, so that workloads get the tolerations.
   * @default - none */
  readonly taints?: Taint[];
  /** Whether its nodes carry the host-network taint.
   * @default false */
  readonly registrationTaint?: boolean;
  /** How many nodes it has, for checks.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** What each of its nodes keeps for itself; joins of the pool use it.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

/**
 * Properties of an {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export interface EdgeNodePoolProps extends NodePoolProps {
  /** Where the nodes of the pool are.
   * @default Edge */
  readonly type?: 'Edge' | 'Cloud';
}

/** Whether the nodes of a pool run only hostNetwork Pods. */
export type PoolMode = 'host-network' | 'regular';

/** Everything that a pool of either mode is made from. */
export interface NodePoolInput extends NodePoolProps {
  readonly type?: 'Edge' | 'Cloud';
  readonly registrationTaint?: boolean;
}
