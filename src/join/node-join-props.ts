import type { NodePoolAttributes } from '../pools/node-pool.js';
import type { NodeReservation } from '../pools/node-reservation.js';
import type { Taint } from '../kubernetes/taint.js';
import type { JoinService } from './join-service.js';
import type { JoinToken } from './join-token.js';
import type { JoinTimeouts } from './kubeadm-join.js';
import type { KubeletArgument } from './kubelet-arguments.js';
import type { NodeFile } from './node-file.js';
import type { MachineSettings } from './machine-settings.js';
import type { NodePackages } from './packages.js';
import type { KubeadmSandboxImage } from './container-runtime.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import type { UserDataProvider } from './size-limits.js';
import type { YurtadmSettings } from './yurtadm-join.js';
import type { NodeProxy } from './proxy.js';

/**
 * Settings of a node, in addition to those of its pool; not how it joins.
 *
 * @category Join nodes
 */
export interface NodeSettings {
  /** Name of the Node, a DNS subdomain (RFC 1123). Leave it out if several machines use the same file; for Cluster API
   * also a template of cloud-init, for example `{{ ds.meta_data.local_hostname }}`.
   * @default - the host name of the machine */
  readonly nodeName?: string;
  /** Additional labels with which the node registers.
   * @default - only those of the pool */
  readonly labels?: Record<string, string>;
  /** Additional taints with which the node registers.
   * @default - only those of the pool */
  readonly taints?: Taint[];
  /** Resources that the node reserves for its system and kubelet.
   * @default - the reservation of the pool, else nothing */
  readonly reservation?: NodeReservation;
  /** Additional flags of the kubelet. A list, in which a flag can occur several times, needs Kubernetes 1.31+.
   * @default - none */
  readonly kubeletExtraArgs?: Record<string, string> | KubeletArgument[];
  /** Fields of the KubeletConfiguration. kubeadm merges them into the one of the cluster as a patch (Kubernetes 1.25+).
   * @default - none */
  readonly kubeletConfiguration?: Record<string, unknown>;
  /** Container runtime of the node.
   * @default containerd */
  readonly runtime?: 'containerd' | 'cri-o';
  /** Socket of the container runtime, `unix:///…`.
   * @default - unix:///run/containerd/containerd.sock, or unix:///run/crio/crio.sock */
  readonly criSocket?: string;
  /** Folder of CNI configurations. If it is not the default, the runtime is configured with it.
   * @default /etc/cni/net.d */
  readonly cniFolder?: string;
  /** Sandbox image (pause container) of Pods. The runtime is configured with it. `kubeadm` is the one that kubeadm of
   * the cluster's minor names, in `registry.k8s.io` or in another registry: `{ imageRepository: 'registry.example' }`.
   * @default - the default of the runtime */
  readonly sandboxImage?: string | KubeadmSandboxImage;
  /** Preflight checks of `kubeadm join` whose errors become warnings. On a host-network node this always includes the
   * checks of IP forwarding, because nothing on it forwards packets.
   * @default - none */
  readonly ignorePreflightErrors?: string[];
  /** Files that are written before the join.
   * @default - none */
  readonly files?: NodeFile[];
  /** Commands before the join: command lines for `sh`, or programs with their arguments. If one fails, the attempt
   * fails. They run again in every attempt until all of them have succeeded, and in every later run of the script until
   * the node has joined.
   * @default - none */
  readonly preJoinCommands?: (string | string[])[];
  /** Commands after a successful join, as those before it. If one fails, it is retried in the next run of the script.
   * @default - none */
  readonly postJoinCommands?: (string | string[])[];
  /** NTP servers. An empty list changes nothing.
   * @default - those of the machine */
  readonly ntpServers?: string[];
}

/**
 * Settings that rules read: in a Pulumi program they are plain values.
 *
 * @category Join nodes
 */
export type PlainNodeSetting =
  'kubeletConfiguration' | 'runtime' | 'criSocket' | 'cniFolder' | 'ignorePreflightErrors' | 'ntpServers';

/**
 * One of the machines that share a join, and what only it has.
 *
 * @category Join nodes
 */
export interface JoinMachine {
  /** Name of the Node and host name of the machine, a DNS subdomain (RFC 1123) of at most 63 characters. */
  readonly name: string;
  /** MAC address of the network interface, which cloud-init calls `eth0` then.
   * @default - the first interface that is connected, by DHCP */
  readonly mac?: string;
  /** Static address with its prefix, for example `192.0.2.10/24`. It needs `mac`.
   * @default - DHCP */
  readonly address?: string;
  /** Gateway in the network of `address`, or an IPv6 link-local address.
   * @default - none with `address`, else that of DHCP */
  readonly gateway?: string;
  /** Addresses of DNS servers. They need `mac`.
   * @default - none with `address`, else those of DHCP */
  readonly nameservers?: string[];
  /** Labels with which the Node registers, in addition to those of the pool and the join. They replace those of the
   * join with the same key.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** NTP servers.
   * @default - `ntpServers` of the join */
  readonly ntp?: string[];
}

/**
 * Properties of a {@link NodeJoin}: the pool, the token, and how nodes of the pool join.
 *
 * @category Join nodes
 */
export interface NodeJoinProps extends NodeSettings {
  /** The pool that the node joins. The address of the API server and the hashes of its CA are properties of its
   * cluster. */
  readonly pool: NodePoolAttributes;
  /** The bootstrap token, or a reference to it. */
  readonly token: JoinToken;
  /** How the node joins. `kubeadm`: as a plain Kubernetes node. `label-driven`: by kubeadm, and then yurt-manager
   * installs yurthub because of the label of the pool (OpenYurt 1.7+). `yurtadm`: yurtadm joins the node and installs
   * yurthub.
   * @default - label-driven for an Edge pool from OpenYurt 1.7 on, else kubeadm */
  readonly via?: 'kubeadm' | 'label-driven' | 'yurtadm';
  /** Discovery file: a kubeconfig with the address of the API server and the CA, as a path on the node or an https URL.
   * It replaces `apiServer` and `caCertHashes` of the cluster.
   * @default - discovery by token */
  readonly discoveryFile?: string;
  /** Timeouts of kubeadm; yurtadm has none.
   * @default - the defaults of kubeadm */
  readonly timeouts?: JoinTimeouts;
  /** Number of attempts in one run of the script, 1 to 100. The installation of packages and the commands before the
   * join are part of an attempt. The script also runs again at every boot with cloud-init, until the node has joined;
   * an inline token is gone by then.
   * @default 3 */
  readonly attempts?: number;
  /** Pause between two attempts, in seconds, at most 3600.
   * @default 15 */
  readonly secondsBetweenAttempts?: number;
  /** A service that runs the script again and again until the node has joined, also on machines without cloud-init.
   * `{}` has all defaults.
   * @default - none: the script runs once, and with cloud-init again at every boot */
  readonly service?: JoinService;
  /** Packages of kubelet and kubeadm to install.
   * @default - none: both are already installed */
  readonly packages?: NodePackages;
  /** What a bare machine is given before it joins: swap off, kernel settings, mirrors of registries and more.
   * @default - nothing */
  readonly machineSettings?: MachineSettings;
  /** Workloads that run as static Pods on each machine of the join: kubelet starts them from files, also after a reboot
   * without an API server. A Pod, or a DaemonSet, whose Pod it is; what a static Pod cannot have is refused.
   * @default - none */
  readonly staticPods?: readonly WorkloadInput[];
  /** HTTP proxies of the node.
   * @default - none */
  readonly proxy?: NodeProxy;
  /** Settings of yurtadm, for `via: 'yurtadm'`.
   * @default - membership by label */
  readonly yurtadm?: YurtadmSettings;
  /** Provider of the user data, whose size limit is checked.
   * @default - the size limit of a ConfigMap is checked */
  readonly provider?: UserDataProvider;
  /** Whether the machine gets the cloud-config compressed: `userDataGzipBase64` instead of `userData`. The size limit
   * of the provider counts for that, and cloud-init decompresses it. What is published is not compressed.
   * @default false */
  readonly gzip?: boolean;
  /** The machines that share this join, each with its own name, labels and network. A seed folder for cloud-init, or an
   * Ignition config, is written for each; the user-data is the same for all. Another machine does not join.
   * `parseMachines` reads a file.
   * @default - any machine joins, by its host name */
  readonly machines?: JoinMachine[];
  /** Format in which the join is published: a cloud-config, a script for machines without cloud-init, or an Ignition
   * config (Flatcar, Fedora CoreOS).
   * @default cloud-config */
  readonly format?: 'cloud-config' | 'script' | 'ignition';
  /** Whether the join is published: as an immutable ConfigMap (a Secret if it contains a token), and as a file next to
   * the manifests.
   * @default - true; false with an inline token, so that no manifest contains it by default */
  readonly publish?: boolean;
  /** Namespace of the ConfigMap or Secret.
   * @default - the namespace of the chart, else kube-system */
  readonly namespace?: string;
  /** Folder of the file, below the output folder.
   * @default join */
  readonly artifactFolder?: string;
}

/**
 * The same of a join.
 *
 * @category Join nodes
 */
export type PlainJoinSetting =
  | PlainNodeSetting
  | 'via'
  | 'publish'
  | 'machines'
  | 'machineSettings'
  | 'service'
  | 'gzip'
  | 'timeouts'
  | 'packages'
  | 'provider'
  | 'format';

/** How a node joins. */
export type JoinVia = NonNullable<NodeJoinProps['via']>;

/** Format in which a join is published. */
export type JoinFormat = NonNullable<NodeJoinProps['format']>;
