// `edge-nodepools/delivery`. Made by `npm run exports` of the declarations that have an @category.
import './constructs/peers.js';

export * from './delivery-core.js';

export { type DeliveredCharts, type FleetDeliveryProps, FleetDelivery } from './constructs/fleet-delivery.js';
