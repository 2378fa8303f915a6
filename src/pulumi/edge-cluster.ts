import { EdgeCluster as Cluster } from '../cluster/edge-cluster.js';
import type { EdgeClusterProps } from '../cluster/edge-cluster-props.js';
import type { WithInputs } from './inputs.js';
import { argumentsOf } from './outputs.js';

/**
 * Arguments of {@link EdgeCluster.of}. What determines which resources exist is plain: the releases, the name, who made the control plane, and the
 * membership label.
 *
 * @category Describe the cluster
 */
export interface EdgeClusterArgs extends WithInputs<
  EdgeClusterProps,
  'openYurt' | 'kubernetes' | 'name' | 'allowNewer' | 'distribution' | 'nodePoolLabel'
> {}

/**
 * A cluster, by release. The same class as for cdk8s; its addresses may be Outputs here.
 *
 * @category Describe the cluster
 */
export class EdgeCluster extends Cluster {
  /**
   * Describes a cluster.
   *
   * @param args releases and addresses of the cluster
   * @throws {@link EdgeError} with EDGE_UNKNOWN_RELEASE, EDGE_NEWER_RELEASE, EDGE_UNSUPPORTED_RELEASE, EDGE_API_SERVER, EDGE_CA_CERT_HASH,
   * EDGE_LABEL, EDGE_NAME, EDGE_VALUE, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public static override of(args: EdgeClusterArgs): EdgeCluster {
    return new EdgeCluster(argumentsOf(args) as EdgeClusterProps);
  }
}
