import type { PlacementNode } from '../fleet/node.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';

export { matchers } from './matchers.js';
export { type ConstructTree, type ProgramPreview, Testing } from './testing.js';

declare global {
  // as @types/jest declares it; without it nobody sees this
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-empty-object-type
    interface Matchers<R, T = {}> {
      /** Every workload (a manifest, a construct, or a list of them) can run on the nodes of this pool, by the rules of the scheduler. */
      toLandOn(pool: PlacementNode | NodePoolAttributes): R;
      /** No workload can run on the nodes of this pool. */
      toBeExcludedFrom(pool: PlacementNode | NodePoolAttributes): R;
    }
  }
}
