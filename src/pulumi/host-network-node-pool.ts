import type * as pulumi from '@pulumi/pulumi';
import type { PoolKind } from '../pools/node-pool.js';
import type { HostNetworkNodePoolProps, ImportedHostNetworkNodePoolProps } from '../pools/node-pool-props.js';
import { withInputErrors } from './input-errors.js';
import type { WithInputs } from './inputs.js';
import { importedPool, type INodePool, NodePoolComponent, poolPlan } from './node-pool.js';

/**
 * A host-network pool, created here or elsewhere. Its outputs are those of {@link INodePool}.
 *
 * @category Declare pools
 */
export interface IHostNetworkNodePool extends INodePool {
  /** Always true. */
  readonly hostNetwork: true;
}

/**
 * Arguments of a {@link HostNetworkNodePool}.
 *
 * @category Declare pools
 */
export interface HostNetworkNodePoolArgs extends WithInputs<HostNetworkNodePoolProps, 'cluster' | 'autonomy'> {}

/**
 * Arguments of {@link HostNetworkNodePool.fromPoolName}.
 *
 * @category Declare pools
 */
export interface ImportedHostNetworkNodePoolArgs extends WithInputs<
  ImportedHostNetworkNodePoolProps,
  'cluster' | 'autonomy'
> {}

const CREATED: PoolKind = { subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: true };
const IMPORTED: PoolKind = { subject: 'HostNetworkNodePool.fromPoolName', mode: 'host-network', makesObject: false };

/**
 * A pool of edge nodes that run only hostNetwork Pods: no kube-proxy, no CNI, no CoreDNS. Creates the NodePool object in the API version of the
 * cluster's OpenYurt release. Without OpenYurt it creates no object: the pool consists of its labels, taints and workloads.
 *
 * A change of `poolName` or `interConnectivity` replaces the NodePool: the old one is deleted first. OpenYurt refuses to delete a pool that has nodes,
 * so such an update fails and nothing is lost: move the nodes to another pool first.
 *
 * @category Declare pools
 */
export class HostNetworkNodePool extends NodePoolComponent implements IHostNetworkNodePool {
  /** @internal */
  public static override readonly plan = poolPlan(CREATED);
  /** Always true. */
  declare public readonly hostNetwork: true;

  /**
   * References a host-network pool that is created elsewhere; creates no resource.
   *
   * @param args name of the pool, and labels and taints of its nodes
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  public static fromPoolName(args: ImportedHostNetworkNodePoolArgs): IHostNetworkNodePool {
    return withInputErrors(() => importedPool(IMPORTED, args ?? {}) as IHostNetworkNodePool);
  }

  /**
   * @param name name of the resource
   * @param args properties of the pool
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: HostNetworkNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    super(CREATED, name, args, options);
  }
}
