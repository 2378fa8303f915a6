import type { ComponentOwner } from './catalog.js';

/**
 * How a system component is excluded from host-network nodes.
 *
 * @category Exclude system components from host-network nodes
 */
export enum ExclusionStrategy {
  /** A MutatingAdmissionPolicy that adds the required node affinity to the component's Pod template at every write, by any client (Kubernetes 1.36+; 1.34
   * and 1.35 with flags). It takes effect at the next write of the component. */
  ADMISSION_POLICY = 'ADMISSION_POLICY',
  /** A partial object for server-side apply that owns exactly the required node affinity. It takes effect at once, in any cluster; the component must
   * exist. */
  SERVER_SIDE_APPLY = 'SERVER_SIDE_APPLY',
  /** A patch file for `kubeadm init|upgrade --patches`. It takes effect at the next run of kubeadm, and at every later one. */
  KUBEADM_PATCH = 'KUBEADM_PATCH',
  /** The whole manifest of the component with the exclusion, for components that you apply. */
  MANIFEST = 'MANIFEST',
}

/** An event that can revert an exclusion. */
export type RevertingEvent = 'node re-join' | 'kubeadm upgrade' | 'manifest or Helm upgrade' | 'operator';

/** Whether an exclusion survives an event. `own affinity`: only if the component ships no node affinity: a manifest reverts only fields that it sets. */
export type Survival = 'kept' | 'lost' | 'own affinity';

/**
 * Which events the exclusion survives, by strategy. kubeadm writes add-ons by PUT of a freshly rendered object (apiclient.CreateOrUpdate), so fields that
 * it does not render are lost. Helm and `kubectl apply` use three-way merges, which preserve a field that neither the old nor the new manifest sets. A
 * re-join of a node does not change the template of a workload. An operator writes its objects again. A policy changes each of these writes.
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

/**
 * The events after which what the strategies did to a component must be done again.
 *
 * @param shipsOwn whether the component ships a value of the changed field itself
 */
export function lostEvents(
  owner: ComponentOwner,
  distribution: 'kubeadm' | 'other',
  strategies: readonly ExclusionStrategy[],
  shipsOwn: boolean,
): RevertingEvent[] {
  const matters: Readonly<Record<RevertingEvent, boolean>> = {
    'node re-join': true,
    'kubeadm upgrade': owner === 'kubeadm' && distribution === 'kubeadm',
    'manifest or Helm upgrade': owner === 'manifest' || owner === 'helm',
    operator: owner === 'operator',
  };
  const keeps = (strategy: ExclusionStrategy, event: RevertingEvent): boolean =>
    SURVIVAL[strategy][event] === 'kept' || (SURVIVAL[strategy][event] === 'own affinity' && !shipsOwn);
  return (Object.keys(matters) as RevertingEvent[]).filter(
    (event) => matters[event] && !strategies.some((strategy) => keeps(strategy, event)),
  );
}
