import { manifestsOf } from './constructs/manifests.js';
import type { PlacementNode } from './fleet/node.js';
import type { KubernetesObject } from './kubernetes/object.js';
import type { NodePoolAttributes } from './pools/node-pool.js';
import { preview, type ProgramPreview } from './pulumi/preview.js';

export { matchers } from './constructs/matchers.js';
export type { ProgramPreview } from './pulumi/preview.js';

/**
 * An app, a chart or a construct: users of Pulumi do not have their types.
 *
 * @category Test where things run
 */
export interface ConstructTree {
  /** The node of the tree. */
  readonly node: { findAll(): readonly unknown[] };
}

/**
 * Manifests for tests.
 *
 * @category Test where things run
 */
export class Testing {
  /**
   * All objects of an app, a chart or a construct, with the patches of its system components, which are in a chart of their own: {@link manifestsOf}.
   *
   * @param scope the app, a chart, or any construct in a chart
   * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE, and what the synth of a chart throws
   */
  public static synth(scope: ConstructTree): KubernetesObject[] {
    return manifestsOf(scope as Parameters<typeof manifestsOf>[0]);
  }

  /**
   * The objects of a Pulumi program, without an engine and without a cluster: the program runs with mocks of Pulumi, once.
   *
   * @param program loads the program: `() => require('./index')`
   * @param config configuration of this preview alone: `{ 'project:key': 'value' }`, where every project is called `project`
   * @throws what the program throws, and what it refuses when the values of its Outputs are known
   */
  public static preview(
    program: () => unknown,
    config: Readonly<Record<string, string>> = {},
  ): Promise<ProgramPreview> {
    return preview(program, config);
  }
}

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
