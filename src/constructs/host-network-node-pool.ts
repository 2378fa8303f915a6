import type { Construct } from 'constructs';
import type { PoolKind } from '../pools/node-pool.js';
import type {
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  NodePoolInput,
} from '../pools/node-pool-props.js';
import { type INodePool, NodePoolConstruct } from './node-pool.js';

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
