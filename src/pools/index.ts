// What programs import of this room.
export type { EvictionThresholds } from './eviction-signal.js';
export { NodeReservation } from './node-reservation.js';
export type { ReservationPreset, ReservationPresetOptions } from './reservation-presets.js';
export type { ReservedResources, NodeCapacity, NodeReservationProps } from './reservation-props.js';
export type { NodePoolAttributes } from './node-pool.js';
export type {
  PoolScopeMetadata,
  NodePoolProps,
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  RegularNodePoolProps,
} from './node-pool-props.js';
