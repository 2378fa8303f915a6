// `edge-nodepools/pulumi/delivery`. Made by `npm run exports` of the declarations that have an @category.
import './peers.js';

export * from '../delivery-core.js';

export { DeclaredManifests, declared } from './delivery/declared.js';
export { type FleetDeliveryArgs, FleetDelivery } from './delivery/fleet-delivery.js';
export type { DeliveredManifests } from './delivery/site-manifests.js';
