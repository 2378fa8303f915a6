import { EdgeCluster as Cluster, type EdgeClusterProps } from '../cluster/edge-cluster.js';
import { requireTree } from '../base/plain-data.js';
import type { WithInputs } from './inputs.js';
import { argumentsOf, clusterOfProgram } from './outputs.js';

/**
 * Arguments of {@link EdgeCluster.of}. What determines which resources exist is plain: the releases, the name, who made the control plane, and the
 * labels of pools, host-network nodes and excluded Pods.
 *
 * @category Describe the cluster
 */
export interface EdgeClusterArgs extends WithInputs<
  EdgeClusterProps,
  | 'openYurt'
  | 'kubernetes'
  | 'name'
  | 'allowNewer'
  | 'distribution'
  | 'nodePoolLabel'
  | 'hostNetworkLabel'
  | 'labelsExcludedPods'
> {}

/**
 * A cluster, by release. The same class as for cdk8s; its addresses may be Outputs here. A property that was given as an Output cannot be read from the
 * cluster (EDGE_KNOWN_LATER): use the Output.
 *
 * @category Describe the cluster
 */
export class EdgeCluster extends Cluster {
  /**
   * Describes a cluster.
   *
   * @param args releases and addresses of the cluster
   * @throws {@link EdgeError} with all problems at once: the codes of `EdgeCluster.of` of edge-nodepools, and EDGE_KNOWN_LATER
   */
  public static override of(args: EdgeClusterArgs): EdgeCluster {
    requireTree(args, 'EdgeCluster');
    return clusterOfProgram(new EdgeCluster(argumentsOf(args) as EdgeClusterProps));
  }
}
