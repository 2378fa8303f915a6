import type { EdgeCluster } from './edge-cluster.js';
import { kubeletFlagsOf, kubernetesRow, minorWithoutFlag } from './releases.js';

/** What the kubelet of a cluster's Kubernetes minor takes. The row of the minor, and the lists of flags, say from where it is known. */

/**
 * The minor in which a flag was taken away from kubelet, if the cluster's kubelet has it no more; undefined otherwise.
 * @param flag name without dashes, for example `network-plugin`
 */
export function kubeletFlagRemovedIn(cluster: EdgeCluster, flag: string): string | undefined {
  return minorWithoutFlag(flag, kubernetesRow(cluster.kubernetes));
}

/** The flags of the cluster's kubelet, without dashes; undefined where Kubernetes is newer than the table. */
export function knownKubeletFlags(cluster: EdgeCluster): readonly string[] | undefined {
  return cluster.isOfMinor(cluster.kubernetesVersion) ? kubeletFlagsOf(kubernetesRow(cluster.kubernetes)) : undefined;
}

/** Whether kubelet caps the CPU of daemons alone, by `kube-reserved-compressible` (Kubernetes 1.32+). */
export function hasCompressibleReservations(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).compressibleReservations;
}
