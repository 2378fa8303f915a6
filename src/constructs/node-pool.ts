import { ApiObject } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import type { PoolMode } from '../pools/pool.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import { planNodePool } from '../pools/node-pool.js';
import { withoutNamespace } from './cluster-scoped.js';
import { declarationOf } from './tree-fleets.js';
import { addClusterWarnings } from './warnings.js';

/**
 * What every pool answers to its users, whether it is made here or elsewhere.
 *
 * @category Declare pools
 */
export interface INodePool extends IConstruct {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool; a legal node label value. */
  readonly poolName: string;
  /** Whether its nodes run only hostNetwork Pods. */
  readonly hostNetwork: boolean;
  /** Labels that a node must carry when it joins: membership, the host-network label, and without OpenYurt the pool's own labels. */
  readonly joinLabels: Readonly<Record<string, string>>;
  /** Taints that a node must carry when it registers. */
  readonly registrationTaints: readonly Taint[];
  /** All taints of the pool's nodes. */
  readonly taints: readonly Taint[];
  /** Selects the nodes of the pool. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Tolerations that a workload needs on the pool. */
  readonly tolerations: readonly Toleration[];
  /** Kind of the pool, as the NodePool says it.
   * @default Edge */
  readonly type?: 'Edge' | 'Cloud';
  /** How many nodes the pool is meant to have.
   * @default - not said */
  readonly expectedNodes?: number;
  /** What each node keeps for itself; {@link NodeJoin} uses it.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

/**
 * What all pool constructs share; see {@link HostNetworkNodePool} and {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export abstract class NodePoolConstruct extends Construct implements INodePool {
  public readonly cluster: EdgeCluster;
  public readonly poolName: string;
  public readonly hostNetwork: boolean;
  public readonly joinLabels: Readonly<Record<string, string>>;
  public readonly registrationTaints: readonly Taint[];
  public readonly taints: readonly Taint[];
  public readonly nodeSelector: Readonly<Record<string, string>>;
  public readonly tolerations: readonly Toleration[];
  public readonly type: 'Edge' | 'Cloud';
  public readonly expectedNodes?: number;
  public readonly reservation?: NodeReservation;

  /**
   * @param scope parent
   * @param id construct id
   * @param subject name of the class, for errors
   * @param mode kind of pool
   * @param input everything about the pool
   * @param makesObject whether the NodePool object is made here
   */
  protected constructor(
    scope: Construct,
    id: string,
    subject: string,
    mode: PoolMode,
    input: NodePoolInput,
    makesObject: boolean,
  ) {
    super(scope, id);
    const { pool, manifest } = planNodePool({ subject, mode, makesObject }, input, declarationOf(this));
    this.cluster = pool.cluster;
    this.poolName = pool.poolName;
    this.hostNetwork = pool.hostNetwork;
    this.joinLabels = pool.joinLabels;
    this.registrationTaints = pool.registrationTaints;
    this.taints = pool.taints;
    this.nodeSelector = pool.nodeSelector;
    this.tolerations = pool.tolerations;
    this.type = input.type ?? 'Edge';
    this.expectedNodes = pool.expectedNodes;
    this.reservation = pool.reservation;
    addClusterWarnings(this, pool.cluster);
    if (manifest !== undefined) {
      withoutNamespace(new ApiObject(this, 'Resource', manifest));
    }
  }
}
