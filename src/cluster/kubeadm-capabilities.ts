import type { EdgeCluster } from './edge-cluster.js';
import { type KubeadmPatchTarget, type KubernetesMinor, kubernetesRow } from './releases.js';

/** What the kubeadm of a cluster's Kubernetes minor takes and installs. The row of the minor says from where it is known. */

/**
 * Whether the control plane was made by a kubeadm that takes a patch file for a target.
 * @param target `corednsdeployment` (Kubernetes 1.31+) or `kubeproxydaemonset` (1.37+)
 */
export function kubeadmKnowsPatchTarget(cluster: EdgeCluster, target: KubeadmPatchTarget): boolean {
  return cluster.distribution === 'kubeadm' && kubernetesRow(cluster.kubernetes).kubeadmPatchTargets.includes(target);
}

/** Whether `kubeadm join` takes a patch of the KubeletConfiguration (Kubernetes 1.25+). */
export function kubeadmPatchesKubelet(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).kubeadmPatchesKubelet;
}

/** The CoreDNS that kubeadm of the minor installs: its tag, and what is special in its Pod. */
export function coreDnsOfKubeadm(cluster: EdgeCluster): {
  readonly version: string;
  readonly pod: KubernetesMinor['coreDnsPod'];
} {
  const { coreDns, coreDnsPod } = kubernetesRow(cluster.kubernetes);
  return { version: coreDns, pod: coreDnsPod };
}
