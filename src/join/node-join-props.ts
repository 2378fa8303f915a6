import type { NodePoolAttributes } from '../pools/node-pool.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { Taint } from '../kubernetes/taint.js';
import type { JoinToken } from './join-token.js';
import type { JoinTimeouts } from './kubeadm-join.js';
import type { KubeletArgument } from './kubelet-arguments.js';
import type { NodeCommand, NodeFile } from './node-file.js';
import type { NodePackages } from './package-installation.js';
import type { NodeProxy } from './runtime-files.js';
import type { UserDataProvider } from './size-limits.js';
import type { YurtadmSettings } from './yurtadm-join.js';

/**
 * How a node joins: `kubeadm` as a plain node; `label-driven`, also by kubeadm, and then yurt-manager installs yurthub because of the pool's label
 * (OpenYurt 1.7+); `yurtadm`, which does both from the node.
 *
 * @category Join nodes
 */
export type JoinVia = 'kubeadm' | 'label-driven' | 'yurtadm';

/**
 * How a join is published: as a cloud-config, or as a script for machines without cloud-init.
 *
 * @category Join nodes
 */
export type JoinFormat = 'cloud-config' | 'script';

/**
 * What a node is, besides a member of its pool.
 *
 * @category Join nodes
 */
export interface NodeOptions {
  /** Name of the node, RFC 1123. Leave it out for a file that several machines share.
   * @default - the host name of the machine */
  readonly nodeName?: string;
  /** Further labels with which the node registers.
   * @default - those of the pool only */
  readonly labels?: Record<string, string>;
  /** Further taints with which the node registers.
   * @default - those of the pool only */
  readonly taints?: Taint[];
  /** What the node reserves for itself.
   * @default - the reservation of the pool, else nothing */
  readonly reservation?: NodeReservation;
  /** Arguments of kubelet; a list, in which a name may occur twice, needs Kubernetes 1.31.
   * @default - none */
  readonly kubeletExtraArgs?: Record<string, string> | KubeletArgument[];
  /** Fields of the KubeletConfiguration, which kubeadm patches into the one of the cluster (Kubernetes 1.25+).
   * @default - none */
  readonly kubeletConfiguration?: Record<string, unknown>;
  /** Container runtime of the node.
   * @default containerd */
  readonly runtime?: 'containerd' | 'cri-o';
  /** Socket of the container runtime, `unix:///…`.
   * @default - unix:///run/containerd/containerd.sock, or unix:///run/crio/crio.sock */
  readonly criSocket?: string;
  /** Folder of CNI configurations; the runtime is configured when it is not the default.
   * @default /etc/cni/net.d */
  readonly cniFolder?: string;
  /** Image that holds the namespaces of a Pod, for sites with a registry of their own; the runtime is configured with it.
   * @default - the runtime's own */
  readonly sandboxImage?: string;
  /** Checks of `kubeadm join` that only warn. On a host-network node those of IP forwarding do so already: nothing forwards there.
   * @default - none */
  readonly ignorePreflightErrors?: string[];
  /** Files that are written before the join.
   * @default - none */
  readonly files?: NodeFile[];
  /** Commands before the join; one that fails fails the attempt. They run again in every attempt until all of them have succeeded, and in every
   * further run of the script until the node has joined.
   * @default - none */
  readonly preJoinCommands?: NodeCommand[];
  /** Commands after a join that succeeded; one that fails is tried again at the next run.
   * @default - none */
  readonly postJoinCommands?: NodeCommand[];
  /** Time servers; an empty list changes nothing.
   * @default - those of the machine */
  readonly ntpServers?: string[];
}

/**
 * Settings of a join.
 *
 * @category Join nodes
 */
export interface NodeJoinOptions extends NodeOptions {
  /** How the node joins.
   * @default - label-driven for an Edge pool from OpenYurt 1.7 on, else kubeadm */
  readonly via?: JoinVia;
  /** A kubeconfig with the cluster's address and CA, on the node or at an https address, instead of `apiServer` and `caCertHashes` of the cluster.
   * @default - discovery by token */
  readonly discoveryFile?: string;
  /** How long kubeadm waits; yurtadm has no such settings.
   * @default - kubeadm's own */
  readonly timeouts?: JoinTimeouts;
  /** How often the script tries in one run, 1 to 100: packages and commands before the join are part of an attempt. A token from a file or a command is tried again at every boot, too.
   * @default 3 */
  readonly attempts?: number;
  /** Pause between two attempts, in seconds, at most an hour.
   * @default 15 */
  readonly secondsBetweenAttempts?: number;
  /** Installs kubelet and kubeadm.
   * @default - they are installed */
  readonly packages?: NodePackages;
  /** Proxies of the node.
   * @default - none */
  readonly proxy?: NodeProxy;
  /** Settings of yurtadm, for `via: 'yurtadm'`.
   * @default - membership by label */
  readonly yurtadm?: YurtadmSettings;
  /** Who hands the file out, so that its size is checked.
   * @default - the size of a ConfigMap is checked */
  readonly provider?: UserDataProvider;
}

/**
 * How a node joins, whoever its pool is.
 *
 * @category Join nodes
 */
export interface NodeJoinSettings extends NodeJoinOptions {
  /** Where the node finds its token. */
  readonly token: JoinToken;
  /** Which form is published.
   * @default cloud-config */
  readonly format?: JoinFormat;
  /** Whether the join is published: as an immutable ConfigMap (a Secret if it holds a token), and as a file beside the YAML.
   * @default - true; false with an inline token, so that no manifest holds it unless you ask for that */
  readonly publish?: boolean;
  /** Namespace of the ConfigMap or Secret.
   * @default - that of the chart, else kube-system */
  readonly namespace?: string;
  /** Folder below the output folder for the file.
   * @default join */
  readonly artifactFolder?: string;
}

/** Everything that a join is made from. */
export interface NodeJoinInput extends NodeJoinSettings {
  readonly pool: NodePoolAttributes;
}
