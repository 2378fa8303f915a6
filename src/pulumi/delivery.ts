// The entry point `edge-nodepools/pulumi/delivery`.
import './peers.js';

export * from '../delivery/index.js';

export { DeclaredManifests, declared } from './fleet-delivery.js';
export { type FleetDeliveryArgs, FleetDelivery } from './fleet-delivery.js';
export type { DeliveredManifests } from './fleet-delivery.js';
