// The entry point `edge-nodepools/delivery`.
import './constructs/peers.js';

export * from './delivery/index.js';

export { type DeliveredCharts, type FleetDeliveryProps, FleetDelivery } from './constructs/fleet-delivery.js';
