import type { KubeadmPatchTarget } from '../../cluster/releases.js';
import type { NodeSelectorTerm } from '../../kubernetes/node-affinity.js';

/**
 * Who writes a component's objects, and so who may undo a patch.
 *
 * @category Keep system components off host-network nodes
 */
export type ComponentOwner = 'kubeadm' | 'manifest' | 'helm' | 'operator';

/**
 * One workload of a system component, as shipped.
 *
 * @category Keep system components off host-network nodes
 */
export interface ComponentWorkload {
  /** API version of the workload.
   * @default apps/v1 */
  readonly apiVersion?: string;
  /** Kind of the workload. */
  readonly kind: 'DaemonSet' | 'Deployment' | 'StatefulSet';
  /** Namespace of the workload. */
  readonly namespace: string;
  /** Name of the workload. */
  readonly name: string;
  /** The required node affinity terms that it ships with; they are kept, because the whole required block is one atomic value.
   * @default - none */
  readonly requiredTerms?: NodeSelectorTerm[];
  /** The kubeadm patch target that reaches it.
   * @default - none */
  readonly kubeadmPatchTarget?: KubeadmPatchTarget;
}

/**
 * A system component, as data.
 *
 * @category Keep system components off host-network nodes
 */
export interface ComponentData {
  /** Short name, used in options and reports. */
  readonly name: string;
  /** Who writes its objects. */
  readonly owner: ComponentOwner;
  /** Its workloads. */
  readonly workloads: readonly ComponentWorkload[];
  /** Why it can not be kept off by patching its workloads, and what to do instead where there is no admission policy either.
   * @default - it can be kept off */
  readonly cannotKeepOff?: string;
  /** What a user should know.
   * @default - nothing */
  readonly note?: string;
}
