import type { RevertingEvent, Survival } from './exclusion-strategy.js';

/**
 * What adds the exclusion to manifests that somebody else wrote, before they reach the cluster: `edge-nodepools post-render` behind Helm, or a
 * kustomize component (see {@link EdgeSystemComponentsSettings.kustomizeFolder}).
 *
 * @category Exclude system components from host-network nodes
 */
export type DeliveryMethod = 'Helm post-renderer' | 'kustomize component';

/**
 * What each survives, as `SURVIVAL` lists it for the strategies. An upgrade is one by the same method: `helm upgrade` without its post-renderer
 * removes the exclusion, because the release before had it and the new one has not.
 */
export const DELIVERY_SURVIVAL: Readonly<Record<DeliveryMethod, Readonly<Record<RevertingEvent, Survival>>>> = {
  'Helm post-renderer': {
    'node re-join': 'kept',
    'kubeadm upgrade': 'lost',
    'manifest or Helm upgrade': 'kept',
    operator: 'lost',
  },
  'kustomize component': {
    'node re-join': 'kept',
    'kubeadm upgrade': 'lost',
    'manifest or Helm upgrade': 'kept',
    operator: 'lost',
  },
};
