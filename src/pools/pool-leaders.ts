import type { EdgeWarning } from '../base/errors.js';
import type { NodePoolInput } from './node-pool-props.js';

/** Warns of leaders that a pool does not elect, or that its nodes cannot be. One leader is what OpenYurt's webhook writes itself. */
export function leaderWarnings({ enableLeaderElection, leaderReplicas, expectedNodes }: NodePoolInput): EdgeWarning[] {
  if (typeof leaderReplicas !== 'number' || leaderReplicas <= 1) {
    return [];
  }
  if (enableLeaderElection === undefined || enableLeaderElection === false) {
    return [
      {
        code: 'EDGE_UNUSED',
        path: 'leaderReplicas',
        message: 'the pool elects no leaders',
        hint: 'write enableLeaderElection: true, or leave it out',
      },
    ];
  }
  return typeof expectedNodes === 'number' && leaderReplicas > expectedNodes
    ? [
        {
          code: 'EDGE_REPLICAS',
          path: 'leaderReplicas',
          message: `${leaderReplicas} leaders of a pool with ${expectedNodes} ${expectedNodes === 1 ? 'node' : 'nodes'}`,
          hint: `write leaderReplicas: ${Math.max(1, expectedNodes)} or fewer`,
        },
      ]
    : [];
}
