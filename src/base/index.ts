// What programs import of this room.
export { EDGE_CODES, type EdgeCode } from './error-codes.js';
export { type EdgeProblem, type EdgeWarning, EdgeError } from './errors.js';
export type { EdgeArtifact } from './artifact.js';
export type { PrintableReport } from './table.js';
