import type { EdgeCluster } from './edge-cluster.js';
import { type AdmissionPolicySupport, kubernetesRow, type TrafficDistribution } from './kubernetes-minors.js';

/** What the control plane, the packages and the container runtimes of a Kubernetes minor support. Sources are in kubernetes-minors.ts. */

/** How the API server serves MutatingAdmissionPolicy; undefined if it does not. */
export function mutatingAdmissionPolicySupport(cluster: EdgeCluster): AdmissionPolicySupport | undefined {
  return kubernetesRow(cluster.kubernetes).mutatingAdmissionPolicy;
}

/** Whether webhooks have matchConditions (Kubernetes 1.28+); older API servers drop them silently. */
export function hasWebhookMatchConditions(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).webhookMatchConditions;
}

/** Values of a Service's `trafficDistribution` that work without feature gates (Kubernetes 1.31+), the preferred one last. */
export function trafficDistributions(cluster: EdgeCluster): readonly TrafficDistribution[] {
  return kubernetesRow(cluster.kubernetes).trafficDistribution;
}

/** Whether kube-controller-manager knows the long names of its controllers, `node-lifecycle-controller` (Kubernetes 1.28+). */
export function knowsLongControllerNames(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).longControllerNames;
}

/** Whether https://pkgs.k8s.io has packages of the minor (Kubernetes 1.24+). */
export function hasPackageRepository(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).packageRepository;
}

/** Whether the CRI-O project has packages of the minor (Kubernetes 1.28+). */
export function hasCrioRepository(cluster: EdgeCluster): boolean {
  return kubernetesRow(cluster.kubernetes).crioRepository;
}

/** Name and tag of the pause image that kubeadm of the minor names, in whichever registry. */
export function pauseImage(cluster: EdgeCluster): string {
  return `pause:${kubernetesRow(cluster.kubernetes).pause}`;
}

/** The CNI configuration version that the container runtimes of the minor support. */
export function cniVersion(cluster: EdgeCluster): string {
  return kubernetesRow(cluster.kubernetes).cniVersion;
}
