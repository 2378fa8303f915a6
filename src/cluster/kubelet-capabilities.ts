import type { EdgeCluster } from './edge-cluster.js';
import { kubeletFlagsOf, minorWithoutFlag } from './kubelet-flags.js';
import { kubernetesRow } from './kubernetes-minors.js';

/** What the kubelet of a Kubernetes minor supports. Sources are in kubernetes-minors.ts and the lists of flags. */

/**
 * The minor that removed a kubelet flag, if the cluster's kubelet no longer has it; undefined otherwise.
 * @param flag name without dashes, for example `network-plugin`
 */
export function kubeletFlagRemovedIn(cluster: EdgeCluster, flag: string): string | undefined {
  return minorWithoutFlag(flag, kubernetesRow(cluster.kubernetes));
}

/** The flags of the cluster's kubelet, without dashes; undefined if Kubernetes is newer than the table. */
export function knownKubeletFlags(cluster: EdgeCluster): readonly string[] | undefined {
  return cluster.isOfMinor(cluster.kubernetesVersion) ? kubeletFlagsOf(kubernetesRow(cluster.kubernetes)) : undefined;
}

/** Whether kubelet can enforce only compressible reservations (CPU), with `kube-reserved-compressible` (Kubernetes 1.32+). */
export function hasCompressibleReservations(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).compressibleReservations;
}

/** Whether kubelet asks for its first list of Pods by a watch with initial events (Kubernetes 1.35+). */
export function watchesInitialEvents(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).watchesInitialEvents;
}

/** How kubelet answers queries of the journal: not before Kubernetes 1.27, with a feature gate up to 1.35. */
export function logQueryOf(cluster: EdgeCluster): 'none' | 'feature gate' | 'field' {
  return kubernetesRow(cluster.kubernetes).logQuery;
}

/** Whether kubelet refuses control groups of version 1 by default (Kubernetes 1.35+). */
export function refusesCgroupV1(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).refusesCgroupV1;
}
