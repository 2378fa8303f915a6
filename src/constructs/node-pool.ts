import { Construct, type IConstruct } from 'constructs';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import { type NodePoolAttributes, planNodePool, type PoolKind } from '../pools/node-pool.js';
import type {
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  NodePoolInput,
  RegularNodePoolProps,
} from '../pools/node-pool-props.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
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

/**
 * A host-network pool, created here or elsewhere.
 *
 * @category Declare pools
 */
export interface IHostNetworkNodePool extends INodePool {
  /** Always true. */
  readonly hostNetwork: true;
}

const CREATED_POOL: PoolKind = { subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: true };
const IMPORTED: PoolKind = { subject: 'HostNetworkNodePool.fromPoolName', mode: 'host-network', makesObject: false };

/**
 * A pool of edge nodes that run only hostNetwork Pods: no kube-proxy, no CNI, no CoreDNS. Creates the NodePool object in the API version of the
 * cluster's OpenYurt release. Without OpenYurt it creates no object: the pool consists of its labels, taints and workloads.
 *
 * `ApiObject.of(pool)` is the NodePool object, for patches.
 *
 * @category Declare pools
 */
export class HostNetworkNodePool extends NodePoolConstruct implements IHostNetworkNodePool {
  /** Always true. */
  declare public readonly hostNetwork: true;

  /**
   * References a host-network pool that is created elsewhere; creates no object.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the pool, and labels and taints of its nodes
   * @throws {@link EdgeError} with EDGE_NAME, EDGE_MISSING, EDGE_TYPE, EDGE_TAINT, EDGE_DUPLICATE, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromPoolName(
    scope: Construct,
    id: string,
    props: ImportedHostNetworkNodePoolProps,
  ): IHostNetworkNodePool {
    return new ImportedHostNetworkNodePool(scope, id, props);
  }

  /**
   * @param scope parent
   * @param id construct id
   * @param props properties of the pool
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TAINT, EDGE_RESERVED_KEY,
   * EDGE_FIELD_NOT_IN_RELEASE, EDGE_CLOUD_HOST_NETWORK, EDGE_VALUE, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: HostNetworkNodePoolProps) {
    super(scope, id, CREATED_POOL, props);
  }
}

class ImportedHostNetworkNodePool extends NodePoolConstruct implements IHostNetworkNodePool {
  declare public readonly hostNetwork: true;

  constructor(scope: Construct, id: string, props: NodePoolInput) {
    super(scope, id, IMPORTED, props);
  }
}

/**
 * A regular pool, with a Pod network. It has the properties of {@link HostNetworkNodePool}, except those of the host-network mode.
 *
 * @category Declare pools
 */
export class RegularNodePool extends NodePoolConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props properties of the pool
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TAINT, EDGE_RESERVED_KEY,
   * EDGE_FIELD_NOT_IN_RELEASE, EDGE_VALUE, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: RegularNodePoolProps) {
    super(scope, id, { subject: 'RegularNodePool', mode: 'regular', makesObject: true }, props);
  }
}
