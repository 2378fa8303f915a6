// `edge-nodepools/pulumi/delivery`. Made by `npm run exports` of the declarations that have an @category.
import './peers.js';

export * from '../delivery-core.js';

export { DeclaredManifests, declared } from './declared.js';
export { type FleetDeliveryArgs, FleetDelivery } from './fleet-delivery.js';
export type { DeliveredManifests } from './site-manifests.js';
