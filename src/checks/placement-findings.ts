import type { EdgeProblem } from '../errors.js';
import { nameOf } from '../kubernetes/object.js';
import { poolNames } from '../placement/fleet.js';
import type { PoolGroup } from '../placement/fleet-overview.js';
import type { PlacementOutcome } from '../placement/verdict.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject, podSpecPath } from './placed-object.js';

/** What is wrong with an outcome, and what helps; the other outcomes are no findings. */
const WRONG: Partial<Record<PlacementOutcome, Pick<EdgeProblem, 'code' | 'hint'>>> = {
  'never starts': {
    code: 'EDGE_NEVER_STARTS',
    hint: 'keep it off these nodes (ExcludedWorkload, or edge-nodepools post-render), or make it run there: hostNetwork: true, an image for them',
  },
  'port taken': {
    code: 'EDGE_PORT_CONFLICT',
    hint: 'give one of them another port, or other nodes',
  },
  'no room': {
    code: 'EDGE_NO_ROOM',
    hint: 'lower the requests or the replicas, or give it more or larger nodes',
  },
};

/** Workloads that do not run where they can be scheduled. Pools for which it is the same are told together. */
export function placementFindings(placed: readonly PlacedObject[], groups: readonly PoolGroup[]): Finding[] {
  const byName = new Map([...placed].reverse().map((each) => [nameOf(each.object), each]));
  const found = new Map<
    string,
    { readonly workload: string; readonly outcome: PlacementOutcome; readonly reason: string; readonly pools: string[] }
  >();
  for (const { pools, others } of groups) {
    for (const { workload, outcome, reason } of others.filter((each) => WRONG[each.outcome] !== undefined)) {
      const key = JSON.stringify([workload, outcome, reason]);
      const same = found.get(key) ?? { workload, outcome, reason, pools: [] };
      found.set(key, same);
      same.pools.push(...pools);
    }
  }
  return [...found.values()].flatMap(({ workload, outcome, reason, pools }) => {
    const each = byName.get(workload);
    const wrong = WRONG[outcome];
    return each === undefined || wrong === undefined
      ? []
      : [
          findingAt(each, 'error', {
            code: wrong.code,
            path: podSpecPath(each.object),
            message: `${outcome} on ${poolNames(pools)}: ${reason}`,
            hint: wrong.hint,
          }),
        ];
  });
}
