import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type EtcdMemberFiles, planEtcdCluster } from '../control-plane/etcd-cluster.js';
import type { EtcdClusterProps } from '../control-plane/etcd-cluster-props.js';
import type { SecurityGroupRule, ServerGroup } from '../control-plane/etcd-network.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * An etcd cluster on machines of its own, each with a fast volume, for the control plane of a Kubernetes cluster: the user data of each member, the
 * certificates, and what kubeadm and Cluster API need to use it. A member never starts while its volume is not mounted, and formats a volume only if it is
 * blank.
 *
 * It has objects only with cert-manager, with the Secrets of Cluster API, or with alerts.
 *
 * @category Run the control plane
 */
export class EtcdCluster extends Construct {
  /** The files of each member, in the order of `members`: user data, script, and the single files. */
  public readonly members: readonly EtcdMemberFiles[];
  /** The ClusterConfiguration of kubeadm with this etcd. Its `etcd` is also that of a KubeadmControlPlane. */
  public readonly clusterConfiguration: Readonly<Record<string, unknown>>;
  /** Flags of the API server, for control planes without kubeadm. */
  public readonly apiServerFlags: readonly string[];
  /** The script that makes or fetches the certificates; undefined if you make them. */
  public readonly certificatesScript?: string;
  /** The server group that keeps the members on different hosts, for the machines that you create. */
  public readonly serverGroup: ServerGroup;
  /** The rules of the security group of the members: each other, `clients` and `monitoring`. */
  public readonly securityGroupRules: readonly SecurityGroupRule[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the members, their volumes, and where their certificates come from
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_QUANTITY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_UNUSED, EDGE_SIZE,
   * EDGE_ARTIFACT, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY. No message contains a key
   */
  constructor(scope: Construct, id: string, props: EtcdClusterProps) {
    super(parentOf(scope, id, 'EtcdCluster', props), id);
    const { attributes } = render(this, planEtcdCluster(props, scopeOf(this, Chart.of(this).namespace), Date.now()));
    this.members = attributes.members;
    this.clusterConfiguration = attributes.clusterConfiguration;
    this.apiServerFlags = attributes.apiServerFlags;
    this.certificatesScript = attributes.certificatesScript;
    this.serverGroup = attributes.serverGroup;
    this.securityGroupRules = attributes.securityGroupRules;
  }
}
