// What programs import of this room.
export { type PoolPlacement, type ExcludedPlacement, type OtherPlacement, placeFleet } from './fleet.js';
export { type MeasuredUse, type SavedWorkload, type PoolFootprint, footprint } from './footprint.js';
export type { PlacementNode, FleetLabels } from './node.js';
export type { PodRequests } from './pod-requests.js';
export type { PlacementOutcome } from './verdict.js';
