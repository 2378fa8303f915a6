import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { NodePoolProps } from './node-pool-props.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { Taint } from '../kubernetes/taint.js';

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
