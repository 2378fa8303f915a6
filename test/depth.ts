/**
 * How many samples property tests take: a few by default, so that `npm test` is quick, and all of them with EDGE_NODEPOOLS_TEST_DEPTH=full, as
 * .ci/run has it. The properties and their seeds are the same.
 */
export const isFullDepth = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';

/** The number of samples at this depth. */
export function samples(full: number): number {
  return isFullDepth ? full : Math.max(Math.min(full, 4), Math.ceil(full / 10));
}
