// Joins and bootstrap tokens.
import * as pulumi from '@pulumi/pulumi';
import * as library from 'edge-nodepools/pulumi';
import { base, type Cluster, clusterOf, type PoolReference, present, type Taint } from './cluster';

/** Packages that are installed before the join. */
export interface NodePackages {
  /** "apt" or "dnf". */
  manager: string;
  /** Version of kubelet and kubeadm, for example "1.34.2". */
  version: string;
}

/** Proxy of a machine. */
export interface NodeProxy {
  /** Proxy for HTTP, "http://proxy.example:3128". */
  httpProxy?: pulumi.Input<string>;
  /** Proxy for HTTPS. */
  httpsProxy?: pulumi.Input<string>;
  /** Addresses, networks and domains that are reached without it. */
  noProxy?: string[];
}

/** One of the machines that share a join, and what only it has. */
export interface NodeBox {
  /** Name of the Node and host name of the machine. */
  name: string;
  /** MAC address of the network interface. */
  mac?: string;
  /** Static address with its prefix, "192.0.2.10/24". Default: DHCP. */
  address?: string;
  /** Gateway in the network of the address. */
  gateway?: string;
  /** Addresses of DNS servers. */
  nameservers?: string[];
  /** Labels of the Node. */
  labels?: Record<string, string>;
  /** NTP servers. */
  ntp?: string[];
}

/** The files of one box for the data source NoCloud, besides the user-data. */
export interface BoxSeed {
  /** Name of the box. */
  name: string;
  /** The file meta-data. */
  metaData: string;
  /** The file network-config, for a box with a MAC address. */
  networkConfig?: string;
  /** The file vendor-data. */
  vendorData: string;
}

/** Arguments of NodeJoin. */
export interface NodeJoinArgs {
  /** The cluster of the pool, with apiServer and caCertHashes. */
  cluster: Cluster;
  /** The pool that the node joins. */
  pool: PoolReference;
  /** The bootstrap token; pass it as a secret. Either this, tokenFile or tokenCommand. */
  token?: pulumi.Input<string>;
  /** Path of a file on the machine that contains the token. */
  tokenFile?: string;
  /** Command on the machine that prints the token: program and arguments. */
  tokenCommand?: string[];
  /** The machines that share the join, each with its own name, labels and network. */
  boxes?: NodeBox[];
  /** "label-driven" (default from OpenYurt 1.7 on), "kubeadm" (default before) or "yurtadm". */
  via?: string;
  /** Name of the node. Default: the host name of the machine. */
  nodeName?: string;
  /** Additional labels of the node. */
  labels?: Record<string, pulumi.Input<string>>;
  /** Taints of the node besides those of its pool. */
  taints?: Taint[];
  /** Fields of the KubeletConfiguration of the node. */
  kubeletConfiguration?: any;
  /** Address of the container runtime, "unix:///run/containerd/containerd.sock". */
  criSocket?: string;
  /** Folder of the CNI configuration. */
  cniFolder?: string;
  /** Image of the sandbox of every Pod, for containerd. */
  sandboxImage?: string;
  /** Preflight checks of kubeadm that only warn. */
  ignorePreflightErrors?: string[];
  /** How often the join is tried at each boot. */
  attempts?: number;
  /** Seconds between two attempts. */
  secondsBetweenAttempts?: number;
  /** Discovery by a kubeconfig file or https address, and not by the token. */
  discoveryFile?: string;
  /** Proxy of the machine. */
  proxy?: NodeProxy;
  /** NTP servers of the machine. */
  ntpServers?: string[];
  /** Additional flags of the kubelet. */
  kubeletExtraArgs?: Record<string, pulumi.Input<string>>;
  /** Packages of kubelet and kubeadm to install. */
  packages?: NodePackages;
  /** Provider of the user data, whose size limit is checked, for example "openstack". */
  provider?: string;
  /** Whether the join is published: as a ConfigMap, or as a Secret if it contains a token. */
  publish?: boolean;
  /** Namespace of this object. */
  namespace?: string;
}

/** Arguments of BootstrapToken. */
export interface BootstrapTokenArgs {
  /** The token; pass it as a secret. */
  token: pulumi.Input<string>;
  /** When it expires, for example "2030-01-01T00:00:00Z", or "never". */
  expiration: string;
  /** Groups of the nodes that join with it; each begins with "system:bootstrappers:". */
  groups?: string[];
  /** Description of the token. */
  description?: string;
}

/** Everything that a machine needs to join a pool as a node. */
export class NodeJoin extends base(library.NodeJoin) {
  /** The whole cloud-config. */
  declare public readonly userData: pulumi.Output<string>;
  /** The same join as a POSIX script, for machines without cloud-init. */
  declare public readonly script: pulumi.Output<string>;
  /** SHA-256 of the published content. */
  declare public readonly contentHash: pulumi.Output<string>;
  /** The script that resets such a node. Run it on the node after kubectl drain and kubectl delete node. */
  declare public readonly leaveScript: pulumi.Output<string>;
  /** What only one box has, for each of the boxes. */
  declare public readonly seeds: pulumi.Output<BoxSeed[]>;

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

/** The Secret of a bootstrap token. */
export class BootstrapToken extends base(library.BootstrapToken) {
  /** Name of the Secret. */
  declare public readonly secretName: pulumi.Output<string>;

  constructor(name: string, args: BootstrapTokenArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, { ...present(args), token: tokenOf(args.token) }, opts);
  }
}

/** Other languages pass a token as text; it is always a secret here. */
function tokenOf(token?: pulumi.Input<string>, file?: string, command?: string[]): library.JoinTokenInput {
  if (file !== undefined) {
    return library.JoinToken.fromFile(file);
  }
  if (command !== undefined) {
    return library.JoinToken.fromCommand(command);
  }
  return token === undefined ? (undefined as unknown as library.JoinToken) : pulumi.secret(token);
}
