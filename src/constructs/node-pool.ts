import { Construct, type IConstruct } from 'constructs';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import { type NodePoolAttributes, planNodePool, type PoolKind } from '../pools/node-pool.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import type { NodeReservation } from '../pools/node-reservation.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A pool, created here or elsewhere.
 *
 * @category Declare pools
 */
export interface INodePool extends IConstruct, NodePoolAttributes {}

/**
 * Base class of {@link HostNetworkNodePool} and {@link RegularNodePool}.
 *
 * @category Declare pools
 */
export abstract class NodePoolConstruct extends Construct implements INodePool {
  public readonly cluster!: EdgeCluster;
  public readonly poolName!: string;
  public readonly hostNetwork!: boolean;
  public readonly type!: 'Edge' | 'Cloud';
  public readonly joinLabels!: Readonly<Record<string, string>>;
  public readonly nodeLabels!: Readonly<Record<string, string>>;
  public readonly registrationTaints!: readonly Taint[];
  public readonly taints!: readonly Taint[];
  public readonly nodeSelector!: Readonly<Record<string, string>>;
  public readonly tolerations!: readonly Toleration[];
  public readonly expectedNodes?: number;
  public readonly reservation?: NodeReservation;
  public readonly autonomy?: Autonomy;

  /**
   * @param scope parent
   * @param id construct id
   * @param kind how the pool is declared
   * @param input properties of the pool
   * @internal
   */
  protected constructor(scope: Construct, id: string, kind: PoolKind, input: NodePoolInput) {
    super(parentOf(scope, id, kind.subject, input), id);
    Object.assign(this, render(this, planNodePool(kind, input, scopeOf(this))).attributes);
  }
}
