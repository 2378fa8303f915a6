import * as pulumi from '@pulumi/pulumi';
import { type EtcdMemberFiles, planEtcdCluster } from '../control-plane/etcd-cluster.js';
import type { EtcdCertificates, EtcdClusterProps, EtcdMember } from '../control-plane/etcd-cluster-props.js';
import type { SecurityGroupRule, ServerGroup } from '../control-plane/etcd-network.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of an {@link EtcdCluster}.
 *
 * @category Run the control plane
 */
export interface EtcdClusterArgs extends WithInputs<
  Omit<EtcdClusterProps, 'members' | 'certificates'>,
  'cluster' | 'artifactFolder'
> {
  /** The members: 3, 5 or 7. With 3, one can fail; with 5, two. More make every write slower. */
  readonly members: WithInputs<EtcdMember, 'name'>[];
  /** Where the certificates come from. */
  readonly certificates: WithInputs<EtcdCertificates, 'source'>;
}

/**
 * An etcd cluster on machines of its own, each with a fast volume, for the control plane of a Kubernetes cluster: the user data of each member, the
 * certificates, and what kubeadm and Cluster API need to use it. A member never starts while its volume is not mounted, and formats a volume only if it is
 * blank.
 *
 * It has resources only with cert-manager, with the Secrets of Cluster API, or with alerts.
 *
 * @category Run the control plane
 */
export class EtcdCluster extends EdgeComponent {
  /** The files of each member, in the order of `members`: user data, script, and the single files. */
  declare public readonly members: pulumi.Output<EtcdMemberFiles[]>;
  /** The ClusterConfiguration of kubeadm with this etcd. Its `etcd` is also that of a KubeadmControlPlane. */
  declare public readonly clusterConfiguration: pulumi.Output<Record<string, unknown>>;
  /** Flags of the API server, for control planes without kubeadm. */
  declare public readonly apiServerFlags: pulumi.Output<string[]>;
  /** The script that makes or fetches the certificates; undefined if you make them. */
  declare public readonly certificatesScript: pulumi.Output<string | undefined>;
  /** The server group that keeps the members on different hosts, for the machines that you create. */
  declare public readonly serverGroup: pulumi.Output<ServerGroup>;
  /** The rules of the security group of the members: each other, `clients` and `monitoring`. */
  declare public readonly securityGroupRules: pulumi.Output<SecurityGroupRule[]>;
  /** The user data and the scripts as files, for tools that read files. */
  declare public readonly artifacts: pulumi.Output<EdgeArtifact[]>;

  /**
   * @param name name of the resource
   * @param args the members, their volumes, and where their certificates come from
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER. No message contains a key
   */
  constructor(name: string, args: EtcdClusterArgs, options?: pulumi.ComponentResourceOptions) {
    const { clusterApi, ...others } = args ?? {};
    super(
      'EtcdCluster',
      name,
      clusterApi === undefined ? others : { ...others, clusterApi: guarded(clusterApi) },
      options,
    );
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output } = this.render(args ?? {}, (props, scope) => planEtcdCluster(props, scope, Date.now()));
    this.members = output(attributes.members as EtcdMemberFiles[]);
    this.clusterConfiguration = output(attributes.clusterConfiguration);
    this.apiServerFlags = output(attributes.apiServerFlags as string[]);
    this.certificatesScript = output(attributes.certificatesScript);
    this.serverGroup = output(attributes.serverGroup);
    this.securityGroupRules = output(attributes.securityGroupRules as SecurityGroupRule[]);
    this.artifacts = output(attributes.artifacts as EdgeArtifact[]);
    const { members, clusterConfiguration, apiServerFlags, certificatesScript } = this;
    const { serverGroup, securityGroupRules } = this;
    this.registerOutputs({
      ...{ members, clusterConfiguration, apiServerFlags, certificatesScript },
      ...{ serverGroup, securityGroupRules },
    });
  }
}

/** The key is a secret in the state, whether it is given as one or not. */
function guarded(clusterApi: NonNullable<EtcdClusterArgs['clusterApi']>): unknown {
  return pulumi.secret(clusterApi);
}
