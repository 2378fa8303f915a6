import type { RevertingEvent, Survival } from './exclusion-strategy.js';

/**
 * Which tool adds the exclusion to third-party manifests before they are applied: `edge-nodepools post-render` as post-renderer of Helm, or a kustomize
 * component (see {@link EdgeSystemComponentsProps.kustomizeFolder}). Helm 4 gives the hooks of a chart to its post-renderer, Helm 3 does not.
 */
export type DeliveryMethod = 'Helm post-renderer' | 'kustomize component';

/**
 * Which events the exclusion survives, like `SURVIVAL` for the strategies. An upgrade uses the same tool: `helm upgrade` without the post-renderer removes
 * the exclusion, because the previous release has it and the new one does not.
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
