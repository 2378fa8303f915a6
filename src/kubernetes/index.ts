// What programs import of this room.
export type { Autonomy } from './autonomy.js';
export type { LabelSelector, LabelSelectorRequirement } from './label-selector.js';
export type { HostNetworkLabel } from './labels.js';
export type { NodeSelectorRequirement, NodeSelectorTerm } from './node-affinity.js';
export type { KubernetesObject, ObjectMetadata } from './object.js';
export type { WorkloadInput } from './object-input.js';
export type { Taint, Toleration } from './taint.js';
