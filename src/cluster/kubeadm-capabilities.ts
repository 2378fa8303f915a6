import type { EdgeCluster } from './edge-cluster.js';
import { type KubeadmPatchTarget, type KubernetesMinor, kubernetesRow } from './kubernetes-minors.js';

/** What the kubeadm of a Kubernetes minor supports and installs. Sources are in kubernetes-minors.ts. */

/**
 * Whether the control plane was created by a kubeadm that supports a patch target.
 * @param target `corednsdeployment` (Kubernetes 1.31+) or `kubeproxydaemonset` (1.37+)
 */
export function kubeadmKnowsPatchTarget(cluster: EdgeCluster, target: KubeadmPatchTarget): boolean {
  return cluster.distribution === 'kubeadm' && kubernetesRow(cluster.kubernetes).kubeadmPatchTargets.includes(target);
}

/** Whether `kubeadm join` supports the patch target `kubeletconfiguration` (Kubernetes 1.25+). */
export function kubeadmPatchesKubelet(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).kubeadmPatchesKubelet;
}

/** Whether `kubeadm join` refuses a machine with static Pods (up to Kubernetes 1.22). */
export function kubeadmRefusesStaticPods(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).kubeadmRefusesStaticPods;
}

/** The CoreDNS that kubeadm of the minor installs: its image tag, and the variant of its Pod. */
export function coreDnsOfKubeadm(cluster: EdgeCluster): {
  readonly version: string;
  readonly pod: KubernetesMinor['coreDnsPod'];
} {
  const { coreDns, coreDnsPod } = kubernetesRow(cluster.kubernetes);
  return { version: coreDns, pod: coreDnsPod };
}
