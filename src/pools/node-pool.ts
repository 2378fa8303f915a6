import { ProblemList } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { nodePoolManifest } from './node-pool-manifest.js';
import { checkNodePool, type NodePoolInput } from './node-pool-props.js';
import { describePool, type Pool, type PoolMode, taintsOf } from './pool.js';
import type { Declaration } from '../cluster/fleet.js';

/** A pool as it is declared. */
export interface NodePoolPlan {
  readonly pool: Pool;
  /** The NodePool; undefined without OpenYurt, and for a pool that is made elsewhere. */
  readonly manifest?: KubernetesObject;
}

/** What kind of declaration a pool is. */
export interface PoolKind {
  /** Name of the class, for errors. */
  readonly subject: string;
  readonly mode: PoolMode;
  /** Whether the NodePool is made by this declaration. */
  readonly makesObject: boolean;
}

/**
 * Plans a pool.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planNodePool(kind: PoolKind, input: NodePoolInput, declaration: Declaration): NodePoolPlan {
  const problems = new ProblemList();
  checkNodePool(kind.mode, input ?? {}, problems);
  if (problems.problems.length === 0) {
    declare(kind, input, declaration, problems);
  }
  problems.throwIfAny(`${kind.subject} ${declaration.path}`);
  return {
    pool: describePool({ ...input, mode: kind.mode }),
    manifest: kind.makesObject ? nodePoolManifest(kind.mode, input) : undefined,
  };
}

function declare(
  { mode, makesObject }: PoolKind,
  input: NodePoolInput,
  declaration: Declaration,
  problems: ProblemList,
): void {
  const { pools } = declaration.fleets.of(input.cluster);
  const earlier = pools.get(input.poolName);
  const hostNetwork = mode === 'host-network';
  const carries = JSON.stringify(taintsOf(input));
  const at = problems.at('poolName');
  if (earlier?.madeBy !== undefined && makesObject) {
    at.add(
      'EDGE_DUPLICATE',
      `the pool ${input.poolName} is already made by ${earlier.madeBy}`,
      'give each pool a name of its own (or each cluster a name, if these are two clusters)',
    );
  } else if (earlier !== undefined && (earlier.hostNetwork !== hostNetwork || earlier.carries !== carries)) {
    at.add(
      'EDGE_CONTRADICTION',
      `the pool ${input.poolName} is declared twice in this tree, with other taints or another mode`,
      'use the construct that makes the pool everywhere, or say the same taints in fromPoolName',
    );
  }
  if (problems.problems.length === 0 && (earlier === undefined || makesObject)) {
    pools.set(input.poolName, { hostNetwork, carries, ...(makesObject ? { madeBy: declaration.path } : {}) });
  }
}
