// What programs import of this room.
export { Corefile } from './corefile.js';
export type { EdgePreconditionsProps } from './edge-preconditions-props.js';
export type { NodeAccessProps } from './node-access.js';
export type { Precondition } from './precondition.js';
