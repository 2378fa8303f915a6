// What programs import of this room.
export type { Autonomy } from './autonomy.js';
export type { KubernetesObject } from './object.js';
export type { WorkloadInput } from './object-input.js';
