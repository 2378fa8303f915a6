import type { DeliveredSite } from './delivered-site.js';
import type { DeliveryStep } from './delivery-rollout.js';
import type { GitSource, OciSource } from './delivery-source.js';
import type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';

/** A delivery with its sites in layers. */
export interface Delivered extends FleetDeliveryBaseProps {
  /** With Karmada there is none, and nothing reads it. */
  readonly source: GitSource | OciSource;
  readonly name: string;
  readonly deletion: 'keep' | 'prune';
  readonly sites: readonly DeliveredSite[];
  /** The steps of the rollout.
   * @default - all sites at once */
  readonly steps?: readonly DeliveryStep[];
}
