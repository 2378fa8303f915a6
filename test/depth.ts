/**
 * Number of samples of property tests: few by default, so that `npm test` is fast, and all with EDGE_NODEPOOLS_TEST_DEPTH=full, as in
 * .ci/run. The properties and their seeds are the same.
 */
export const isFullDepth = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';

/** The number of samples at this depth. */
export function samples(full: number): number {
  return isFullDepth ? full : Math.max(Math.min(full, 2), Math.ceil(full / 20));
}
