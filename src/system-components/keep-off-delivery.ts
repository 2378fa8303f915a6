import type { KeepOffEvent, Survival } from './keep-off-strategy.js';

/**
 * Who brings the exclusion into manifests that somebody else wrote, before they reach the cluster: `edge-nodepools post-render` behind Helm, or a
 * kustomize component (see {@link EdgeSystemComponentsSettings.kustomizeFolder}).
 *
 * @category Keep system components off host-network nodes
 */
export type KeepOffDelivery = 'Helm post-renderer' | 'kustomize component';

/**
 * What each survives, as `SURVIVAL` says it of the strategies. An upgrade is one that goes the same way again: `helm upgrade` without its post-renderer
 * takes the exclusion back, because the release before had it and the new one has not.
 */
export const DELIVERY_SURVIVAL: Readonly<Record<KeepOffDelivery, Readonly<Record<KeepOffEvent, Survival>>>> = {
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
