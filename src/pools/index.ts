// What programs import of this room.
export { NodeReservation } from './node-reservation.js';
export type { NodeReservationProps } from './reservation-props.js';
export type {
  NodePoolProps,
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  RegularNodePoolProps,
} from './node-pool-props.js';
