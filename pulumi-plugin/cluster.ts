// Arguments about clusters and pools, and their conversion to arguments of the library.
import type * as pulumi from '@pulumi/pulumi';
import * as library from 'edge-nodepools/pulumi';

/** The label by which host-network nodes are known. */
export interface HostNetworkLabel {
  /** Label key. */
  key: string;
  /** Label value; "" for a label without a value. */
  value: string;
}

/** The cluster, described by its releases. */
export interface Cluster {
  /** OpenYurt release, "1.4" to "1.7", or "none" for plain Kubernetes. */
  openYurt: string;
  /** Kubernetes version of the control plane, "1.22" to "1.37". */
  kubernetes: string;
  /** Name of the cluster. It distinguishes two clusters of one program. */
  name?: string;
  /** Address at which nodes reach the API server, host:port. */
  apiServer?: string;
  /** What made the control plane: "kubeadm" (default) or "other". */
  distribution?: string;
  /** Whether yurthub runs on the edge nodes. */
  yurthub?: boolean;
  /** DNS domain of the cluster's Services. */
  clusterDomain?: string;
  /** Node label with the pool's name. */
  nodePoolLabel?: string;
  /** Label by which host-network nodes are known, without OpenYurt. */
  hostNetworkLabel?: HostNetworkLabel;
  /** Hashes of the cluster CA's public key, "sha256:" and 64 hex digits; joins need one. */
  caCertHashes?: string[];
  /** Treat a release newer than the table as the newest known one. */
  allowNewer?: boolean;
}

/** A taint on every node of a pool. */
export interface Taint {
  /** Taint key. */
  key: pulumi.Input<string>;
  /** Taint value. */
  value?: pulumi.Input<string>;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  effect: string;
}

/** A host-network pool on which a workload runs. */
export interface PoolReference {
  /** Name of the pool. */
  poolName: pulumi.Input<string>;
  /** Taints of its nodes; the workload gets the tolerations. */
  taints?: Taint[];
  /** Whether its nodes have the host-network taint. */
  registrationTaint?: boolean;
  /** Expected number of nodes, for checks only. */
  expectedNodes?: number;
}

/** The schema inference supports only direct subclasses of ComponentResource. */
export type Base = new (name: string, args: object, opts?: pulumi.ComponentResourceOptions) => pulumi.ComponentResource;

export const base = (component: unknown): Base => component as Base;

/** Arguments of the library: the same, with an EdgeCluster. */
export function withCluster({ cluster, ...args }: { cluster: Cluster }): object {
  return { ...present(args), cluster: clusterOf(cluster) };
}

export function clusterOf(cluster: Cluster): library.EdgeCluster {
  return library.EdgeCluster.of(present(cluster) as unknown as library.EdgeClusterProps);
}

/** Without arguments that another language leaves out: they arrive as null or undefined. */
export function present(args: object): object {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}
