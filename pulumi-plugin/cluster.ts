// What other languages say of clusters and pools, and how it becomes what the library is given.
import type * as pulumi from '@pulumi/pulumi';
import * as library from 'edge-nodepools/pulumi';

/** What a component needs to know of the cluster. */
export interface ClusterArgs {
  /** OpenYurt release, "1.4" to "1.7", or "none" for plain Kubernetes. */
  openYurt: string;
  /** Kubernetes version of the control plane, "1.22" to "1.37". */
  kubernetes: string;
  /** Name of the cluster, to tell two clusters of one program apart. */
  name?: string;
  /** Address of the API server that nodes reach, host:port. */
  apiServer?: string;
  /** Who made the control plane: "kubeadm" (default) or "other". */
  distribution?: string;
  /** Whether yurthub runs on the edge nodes. */
  yurthub?: boolean;
  /** DNS domain of the cluster's Services. */
  clusterDomain?: string;
  /** Node label that holds the pool's name. */
  nodePoolLabel?: string;
  /** Hashes of the cluster CA's public key, "sha256:" and 64 hex digits; joins need one. */
  caCertHashes?: string[];
  /** Treat a release newer than the table as the newest known one. */
  allowNewer?: boolean;
}

/** A taint on every node of a pool. */
export interface TaintArgs {
  /** Taint key. */
  key: pulumi.Input<string>;
  /** Taint value. */
  value?: pulumi.Input<string>;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  effect: string;
}

/** A host-network pool on which a workload runs. */
export interface PoolReferenceArgs {
  /** Name of the pool. */
  poolName: pulumi.Input<string>;
  /** Taints of its nodes, so that the workload tolerates them. */
  taints?: TaintArgs[];
  /** Whether its nodes carry the host-network taint. */
  registrationTaint?: boolean;
  /** How many nodes it has; for checks only. */
  expectedNodes?: number;
}

/** The inference knows direct subclasses of ComponentResource only. */
export type Base = new (name: string, args: object, opts?: pulumi.ComponentResourceOptions) => pulumi.ComponentResource;

export const base = (component: unknown): Base => component as Base;

/** Arguments of the library: the same, with a cluster. */
export function withCluster({ cluster, ...args }: { cluster: ClusterArgs }): object {
  return { ...present(args), cluster: clusterOf(cluster) };
}

export function clusterOf(cluster: ClusterArgs): library.EdgeCluster {
  return library.EdgeCluster.of(present(cluster) as unknown as library.EdgeClusterProps);
}

/** What other languages do not say arrives as null or undefined. */
export function present(args: object): object {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}
