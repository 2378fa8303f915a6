/**
 * How a system component is excluded from host-network nodes.
 *
 * @category Exclude system components from host-network nodes
 */
export enum ExclusionStrategy {
  /** A MutatingAdmissionPolicy that puts the required node affinity into the component's template at every write, whoever writes (Kubernetes 1.36+;
   * 1.34 and 1.35 with flags). Works at the component's next write. */
  ADMISSION_POLICY = 'ADMISSION_POLICY',
  /** A partial object for server-side apply that owns exactly the required node affinity. Works at once, on any cluster; the component must exist. */
  SERVER_SIDE_APPLY = 'SERVER_SIDE_APPLY',
  /** A patch file for `kubeadm init|upgrade --patches`. Works at the next run of kubeadm and at every one after. */
  KUBEADM_PATCH = 'KUBEADM_PATCH',
  /** The component's whole manifest, patched. For components that you apply yourself. */
  MANIFEST = 'MANIFEST',
}

/**
 * What may revert an exclusion.
 *
 * @category Exclude system components from host-network nodes
 */
export type RevertingEvent = 'node re-join' | 'kubeadm upgrade' | 'manifest or Helm upgrade' | 'operator';

/** Whether a strategy survives an event. A manifest reverts only what it sets: `own affinity` means lost where the component ships a node affinity of its own. */
export type Survival = 'kept' | 'lost' | 'own affinity';

/**
 * What a strategy survives. kubeadm writes add-ons by PUT of a freshly rendered object (apiclient.CreateOrUpdate), so what it does not render is
 * lost. Helm and `kubectl apply` merge three ways: what neither the old nor the new manifest sets stays. A node's own life never touches the
 * template of a workload; an operator writes its objects again. A policy changes each of these writes on its way in.
 */
export const SURVIVAL: Readonly<Record<ExclusionStrategy, Readonly<Record<RevertingEvent, Survival>>>> = {
  [ExclusionStrategy.ADMISSION_POLICY]: {
    'node re-join': 'kept',
    'kubeadm upgrade': 'kept',
    'manifest or Helm upgrade': 'kept',
    operator: 'kept',
  },
  [ExclusionStrategy.SERVER_SIDE_APPLY]: {
    'node re-join': 'kept',
    'kubeadm upgrade': 'lost',
    'manifest or Helm upgrade': 'own affinity',
    operator: 'lost',
  },
  [ExclusionStrategy.KUBEADM_PATCH]: {
    'node re-join': 'kept',
    'kubeadm upgrade': 'kept',
    'manifest or Helm upgrade': 'own affinity',
    operator: 'lost',
  },
  [ExclusionStrategy.MANIFEST]: {
    'node re-join': 'kept',
    'kubeadm upgrade': 'lost',
    'manifest or Helm upgrade': 'kept',
    operator: 'lost',
  },
};
