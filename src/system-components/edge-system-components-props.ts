import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ExclusionStrategy } from './exclusion-strategy.js';
import type { SystemComponent } from './system-component.js';

/**
 * Differences of a component in this cluster from the catalog.
 *
 * @category Exclude system components from host-network nodes
 */
export interface ComponentSettings {
  /** Namespace of all workloads of the component, for example of a Helm release.
   * @default - the namespace in the catalog */
  readonly namespace?: string;
  /** Names of workloads that do not exist in this cluster and are omitted, for example `cilium-envoy`.
   * @default - none */
  readonly absent?: string[];
  /** Strategies for this component.
   * @default - the strategies of the construct */
  readonly strategy?: ExclusionStrategy | ExclusionStrategy[];
}

/**
 * Properties of {@link EdgeSystemComponents}.
 *
 * @category Exclude system components from host-network nodes
 */
export interface EdgeSystemComponentsProps {
  /** The cluster in which the components run. */
  readonly cluster: EdgeCluster;
  /** The components to exclude from host-network nodes. */
  readonly exclude: SystemComponent[];
  /** Strategies for all components; several can be combined.
   * @default - the most durable one for each component: ADMISSION_POLICY from Kubernetes 1.36 on; before, KUBEADM_PATCH if kubeadm has a patch target for the
   * component (CoreDNS from 1.31 on). Both take effect at the next write of the component, so SERVER_SIDE_APPLY is added, or is the only one. For a component
   * with a manifest, MANIFEST replaces these two */
  readonly strategy?: ExclusionStrategy | ExclusionStrategy[];
  /** Differences of the components in this cluster from the catalog, by short name: `{ flannel: { namespace: 'cni' } }`.
   * @default - none */
  readonly components?: Record<string, ComponentSettings>;
  /** Name of the policy of ADMISSION_POLICY, and of its binding.
   * @default edge-nodepools-system-components */
  readonly policyName?: string;
  /** Field manager of the patches of SERVER_SIDE_APPLY, 1 to 128 printable characters. Two tools that patch one component need different ones.
   * @default - edge-nodepools; in Pulumi each patch has its own, with a random name */
  readonly fieldManager?: string;
  /** Uses MutatingAdmissionPolicy v1beta1 where it is off by default (Kubernetes 1.34 and 1.35). The API server needs
   * `--feature-gates=MutatingAdmissionPolicy=true` and `--runtime-config=admissionregistration.k8s.io/v1beta1=true`.
   * @default - MutatingAdmissionPolicy only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Folder of the kubeadm patch files, below the output folder.
   * @default kubeadm-patches */
  readonly artifactFolder?: string;
  /** Folder of a kustomize component with the patches of SERVER_SIDE_APPLY, below the output folder. Add it to `components` of a kustomization that
   * contains the manifests of the system components.
   * @default - no kustomize component is written */
  readonly kustomizeFolder?: string;
}
