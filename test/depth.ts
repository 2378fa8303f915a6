/**
 * Number of samples of property tests: few by default, so that `npm test` is fast, and all with EDGE_NODEPOOLS_TEST_DEPTH=full, as in .ci/run.
 */
export const isFullDepth = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';

/** The number of samples at this depth. */
export function samples(full: number): number {
  return isFullDepth ? full : Math.max(Math.min(full, 2), Math.ceil(full / 20));
}

/**
 * Parameters of `fc.assert`. The seed is the same in every run, so that a change is judged by what it changes; EDGE_NODEPOOLS_TEST_SEED, a whole number or
 * `random`, searches further.
 */
export function runs(full: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = process.env.EDGE_NODEPOOLS_TEST_SEED ?? '1';
  return seed === 'random' ? { numRuns: samples(full) } : { numRuns: samples(full), seed: Number(seed) };
}
