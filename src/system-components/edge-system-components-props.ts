import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ExclusionStrategy } from './exclusion-strategy.js';
import type { SystemComponent } from './system-component.js';

/**
 * What differs in this cluster from the component as it is known.
 *
 * @category Exclude system components from host-network nodes
 */
export interface ComponentSettings {
  /** Another namespace for all of the component's workloads, for example of a Helm release.
   * @default - the known one */
  readonly namespace?: string;
  /** Names of workloads that do not exist in this cluster and are omitted, for example `cilium-envoy`.
   * @default - none */
  readonly absent?: string[];
  /** Strategies for this component.
   * @default - the strategies of the construct */
  readonly strategy?: ExclusionStrategy | ExclusionStrategy[];
}

/**
 * Properties of EdgeSystemComponents that the construct and the component share.
 *
 * @category Exclude system components from host-network nodes
 */
export interface EdgeSystemComponentsSettings {
  /** The cluster in which the components run. */
  readonly cluster: EdgeCluster;
  /** What is excluded from host-network nodes. */
  readonly exclude: SystemComponent[];
  /** How, for all components; several strategies work side by side.
   * @default - the most durable one that the cluster has for each component. From Kubernetes 1.36 on ADMISSION_POLICY; before, KUBEADM_PATCH where
   * kubeadm takes a patch (CoreDNS from 1.31). Both work only from the component's next write on, so SERVER_SIDE_APPLY goes with them, and is alone
   * where neither can be had. MANIFEST in its place where the manifest was given */
  readonly strategy?: ExclusionStrategy | ExclusionStrategy[];
  /** What differs in this cluster from the components as they are known, by their short names: `{ flannel: { namespace: 'cni' } }`.
   * @default - nothing */
  readonly components?: Record<string, ComponentSettings>;
  /** Name of the policy for ADMISSION_POLICY, and of its binding.
   * @default edge-nodepools-system-components */
  readonly policyName?: string;
  /** Use MutatingAdmissionPolicy where it is not on by default (Kubernetes 1.34 and 1.35); the API server needs `--feature-gates=MutatingAdmissionPolicy=true`
   * and `--runtime-config=admissionregistration.k8s.io/v1beta1=true`.
   * @default - only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Folder below the output folder for the kubeadm patch files.
   * @default kubeadm-patches */
  readonly artifactFolder?: string;
  /** Folder below the output folder for a kustomize component that does what SERVER_SIDE_APPLY does: name it under `components` in a kustomization that
   * builds the manifests of the components.
   * @default - none is written */
  readonly kustomizeFolder?: string;
}
