import type { DeliveredSite } from './delivered-site.js';
import type { DeliveryStep } from './delivery-rollout.js';
import type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';

/** A delivery with its sites in layers. */
export interface Delivered extends FleetDeliveryBaseProps {
  readonly name: string;
  readonly deletion: 'keep' | 'prune';
  readonly sites: readonly DeliveredSite[];
  /** The steps of the rollout.
   * @default - all sites at once */
  readonly steps?: readonly DeliveryStep[];
}
