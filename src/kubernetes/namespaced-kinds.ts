import type { PlainMap } from '../validation/plain-data.js';
import { groupKindOf } from './group-kind.js';
import { WORKLOADS } from './workload-kinds.js';

/** Kinds with workloads that are cluster-scoped. */
const CLUSTER_SCOPED_WORKLOADS = ['ClusterWorkflowTemplate.argoproj.io', 'SidecarSet.apps.kruise.io'];

const NAMESPACED: ReadonlySet<string> = new Set([
  ...WORKLOADS.map(({ kind }) => kind).filter((kind) => !CLUSTER_SCOPED_WORKLOADS.includes(kind)),
  // all others of Kubernetes itself that stand in manifests (`kubectl api-resources --namespaced=true`)
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'PersistentVolumeClaim'],
  ...['LimitRange', 'ResourceQuota', 'Endpoints', 'EndpointSlice.discovery.k8s.io', 'Lease.coordination.k8s.io'],
  ...['Role.rbac.authorization.k8s.io', 'RoleBinding.rbac.authorization.k8s.io'],
  ...['Ingress.networking.k8s.io', 'NetworkPolicy.networking.k8s.io'],
  ...['PodDisruptionBudget.policy', 'HorizontalPodAutoscaler.autoscaling'],
  ...['ResourceClaim.resource.k8s.io', 'ResourceClaimTemplate.resource.k8s.io'],
  // what this library writes or advises besides
  ...['KubeadmConfigTemplate.bootstrap.cluster.x-k8s.io', 'VolumeSnapshot.snapshot.storage.k8s.io'],
  ...['ExternalSecret.external-secrets.io', 'SecretStore.external-secrets.io', 'SealedSecret.bitnami.com'],
  ...['ServiceMonitor.monitoring.coreos.com', 'PodMonitor.monitoring.coreos.com'],
  ...['PrometheusRule.monitoring.coreos.com', 'Certificate.cert-manager.io', 'Issuer.cert-manager.io'],
]);

/** Whether the objects of a kind are surely in a namespace; of many kinds it is not known. */
export function isNamespaced(object: PlainMap): boolean {
  return NAMESPACED.has(groupKindOf(object));
}
