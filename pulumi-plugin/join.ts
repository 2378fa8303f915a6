// How machines become nodes.
import * as pulumi from '@pulumi/pulumi';
import * as library from 'edge-nodepools/pulumi';
import { base, type ClusterArgs, clusterOf, type PoolReferenceArgs, present } from './cluster';

/** Packages that a machine installs before it joins. */
export interface NodePackagesArgs {
  /** "apt" or "dnf". */
  manager: string;
  /** Version of kubelet and kubeadm, "1.34.2". */
  version: string;
}

/** Arguments of NodeJoin. */
export interface NodeJoinArgs {
  /** The cluster of the pool, with apiServer and caCertHashes. */
  cluster: ClusterArgs;
  /** The pool that the node joins. */
  pool: PoolReferenceArgs;
  /** The bootstrap token; hand it over as a secret. Either this, tokenFile or tokenCommand. */
  token?: pulumi.Input<string>;
  /** Path of a file on the machine that holds the token. */
  tokenFile?: string;
  /** Command on the machine that prints the token: program and arguments. */
  tokenCommand?: string[];
  /** "kubeadm" (default), "yurtadm" or "label-driven". */
  via?: string;
  /** Name of the node; without it its host name. */
  nodeName?: string;
  /** Labels of the node besides those of its pool. */
  labels?: Record<string, pulumi.Input<string>>;
  /** Flags of the kubelet. */
  kubeletExtraArgs?: Record<string, pulumi.Input<string>>;
  /** Packages that are installed first. */
  packages?: NodePackagesArgs;
  /** The cloud whose limit for user-data is to be kept, "openstack" for example. */
  provider?: string;
  /** Whether the join is published as a ConfigMap, or as a Secret if it holds a token. */
  publish?: boolean;
  /** Namespace of that object. */
  namespace?: string;
}

/** Arguments of BootstrapToken. */
export interface BootstrapTokenArgs {
  /** The token; hand it over as a secret. */
  token: pulumi.Input<string>;
  /** Point in time at which it ends, "2030-01-01T00:00:00Z", or "never". */
  expiration: string;
  /** Groups of those who join with it, beginning with "system:bootstrappers:". */
  groups?: string[];
  /** What it is for. */
  description?: string;
}

/** Everything with which a machine becomes a node of a pool. */
export class NodeJoin extends base(library.NodeJoin) {
  /** The whole cloud-config. */
  declare public readonly userData: pulumi.Output<string>;
  /** The same as a POSIX script, for machines without cloud-init. */
  declare public readonly script: pulumi.Output<string>;
  /** SHA-256 of what is published. */
  declare public readonly contentHash: pulumi.Output<string>;
  /** The script with which such a node leaves. */
  declare public readonly leaveScript: pulumi.Output<string>;

  constructor(name: string, args: NodeJoinArgs, opts?: pulumi.ComponentResourceOptions) {
    const { cluster, pool, token, tokenFile, tokenCommand, ...settings } = present(args) as NodeJoinArgs;
    super(
      name,
      {
        ...settings,
        pool: library.HostNetworkNodePool.fromPoolName({
          ...(present(pool) as library.ImportedHostNetworkNodePoolArgs),
          cluster: clusterOf(cluster),
        }),
        token: tokenOf(token, tokenFile, tokenCommand),
      },
      opts,
    );
  }
}

/** A bootstrap token in the cluster. */
export class BootstrapToken extends base(library.BootstrapToken) {
  /** Name of the Secret. */
  declare public readonly secretName: pulumi.Output<string>;

  constructor(name: string, args: BootstrapTokenArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, { ...present(args), token: tokenOf(args.token) }, opts);
  }
}

/** Other languages hand a token over as text; it is a secret here, whether it was one there or not. */
function tokenOf(token?: pulumi.Input<string>, file?: string, command?: string[]): library.JoinTokenInput {
  if (file !== undefined) {
    return library.JoinToken.fromFile(file);
  }
  if (command !== undefined) {
    return library.JoinToken.fromCommand(command);
  }
  return token === undefined ? (undefined as unknown as library.JoinToken) : pulumi.secret(token);
}
