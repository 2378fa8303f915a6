import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import { HOST_NETWORK_TAINT, type Taint, tolerationFor, type Toleration } from '../kubernetes/taint.js';

/** Whether the nodes of a pool run only hostNetwork Pods. */
export type PoolMode = 'host-network' | 'ordinary';

/** What a pool means for its nodes and for the workloads on it: the answers that constructs give to their users. */
export interface Pool {
  readonly cluster: EdgeCluster;
  readonly poolName: string;
  readonly hostNetwork: boolean;
  /** Taints of every node of the pool. */
  readonly taints: readonly Taint[];
  /** Labels that a node must carry when it joins. */
  readonly joinLabels: Readonly<Record<string, string>>;
  /** Taints that a node must carry when it registers. */
  readonly registrationTaints: readonly Taint[];
  /** Selects the nodes of this pool. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Tolerations that a workload needs on this pool. */
  readonly tolerations: readonly Toleration[];
  /** How many nodes the pool is meant to have, if the user said so. */
  readonly expectedNodes?: number;
  /** What each of its nodes keeps for itself, if the user said so. */
  readonly reservation?: NodeReservation;
}

/** What {@link describePool} needs to know. */
export interface PoolInput {
  readonly cluster: EdgeCluster;
  readonly poolName: string;
  readonly mode: PoolMode;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly registrationTaint?: boolean;
  readonly expectedNodes?: number;
  readonly reservation?: NodeReservation;
}

/** All taints of a pool: those of the user and, if asked for, the host-network taint. */
export function taintsOf(input: Pick<PoolInput, 'taints' | 'registrationTaint'>): Taint[] {
  const taints = input.taints ?? [];
  const isThere = taints.some(
    ({ key, effect }) => key === HOST_NETWORK_TAINT.key && effect === HOST_NETWORK_TAINT.effect,
  );
  return [...taints, ...(input.registrationTaint === true && !isThere ? [HOST_NETWORK_TAINT] : [])];
}

/**
 * The host-network label is given at join as well, although OpenYurt's node webhook sets it: that webhook has failurePolicy Ignore, so with
 * yurt-manager down a node would register without it. Without OpenYurt nobody copies the pool's labels and taints, so the node brings them.
 */
export function describePool(input: PoolInput): Pool {
  const { cluster, poolName, mode } = input;
  const membership = { [cluster.nodePoolLabel]: poolName };
  const taints = taintsOf(input);
  return {
    cluster,
    poolName,
    hostNetwork: mode === 'host-network',
    taints,
    joinLabels: {
      ...(cluster.hasOpenYurt() ? {} : input.labels),
      ...membership,
      ...(mode === 'host-network' ? { [HOST_NETWORK_LABEL]: TRUE } : {}),
    },
    registrationTaints: cluster.hasOpenYurt() ? taints.filter((taint) => taint.key === HOST_NETWORK_LABEL) : taints,
    nodeSelector: membership,
    tolerations: taints.map(tolerationFor),
    expectedNodes: input.expectedNodes,
    reservation: input.reservation,
  };
}
