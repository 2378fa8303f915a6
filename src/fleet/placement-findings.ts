import type { EdgeProblem } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { type ExcludedPlacement, poolNames } from './fleet.js';
import type { PoolGroup } from './fleet-overview.js';
import type { PlacementOutcome } from './verdict.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject, podSpecPath } from './placed-object.js';

/** What is wrong with an outcome, and what helps; the other outcomes are not findings. */
const WRONG: Partial<Record<PlacementOutcome, Pick<EdgeProblem, 'code' | 'hint'>>> = {
  'never starts': {
    code: 'EDGE_NEVER_STARTS',
    hint: 'keep it off these nodes (ExcludedWorkload, or edge-nodepools post-render), or make it run there: hostNetwork: true',
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

/** What helps against another reason than the Pod network, by how the reason begins. */
const OTHER_HINTS: readonly (readonly [reason: RegExp, hint: string])[] = [
  [
    /^namespace .* enforces the level/,
    'put it into a namespace with the label pod-security.kubernetes.io/enforce: privileged, or give its own this label',
  ],
  [
    /^it is for \w+, the node runs/,
    'select nodes with its operating system: nodeSelector, kubernetes.io/os; or take an image for these, and change spec.os',
  ],
  [/ is a port of /, 'give it another port'],
];

/** Something that is so on some pools. */
interface OnPools extends Pick<EdgeProblem, 'code' | 'hint'> {
  readonly severity: 'error' | 'warning';
  readonly workload: string;
  readonly says: (pools: string) => string;
}

/** What is wrong with the workloads of a group of pools. */
function wrongOn({ others, stuckRollouts = [] }: PoolGroup): OnPools[] {
  return [
    ...others.flatMap(({ workload, outcome, reason }): OnPools[] => {
      const wrong = WRONG[outcome];
      const says = (pools: string): string => `${outcome} on ${pools}: ${reason}`;
      const hint = OTHER_HINTS.find(([of]) => outcome === 'never starts' && of.test(reason))?.[1] ?? wrong?.hint ?? '';
      return wrong === undefined ? [] : [{ ...wrong, hint, severity: 'error', workload, says }];
    }),
    ...stuckRollouts.map(({ workload, reason }): OnPools => {
      const [why = '', hint = ''] = reason.split('; ');
      const says = (pools: string): string => `a change is never rolled out on ${pools}: ${why}`;
      return { code: 'EDGE_ROLLOUT', severity: 'warning', workload, says, hint };
    }),
  ];
}

/** Workloads that no Node of a dump takes. */
export function nowhereFindings(
  placed: readonly PlacedObject[],
  nowhere: readonly ExcludedPlacement[] | undefined = [],
): Finding[] {
  const reasons = new Map(nowhere.map(({ workload, reason }) => [workload, reason]));
  return placed.flatMap((each) => {
    const reason = reasons.get(nameOf(each.object));
    const message = `no Node of the dump takes it: ${reason}`;
    const hint = 'select labels that Nodes have, or tolerate their taints; explain says of each pool why not';
    const problem = { code: 'EDGE_NOWHERE', path: podSpecPath(each.object), message, hint } as const;
    return reason === undefined ? [] : [findingAt(each, 'warning', problem)];
  });
}

/** Workloads that do not run where they can be scheduled, or whose changes would not. Pools for which it is the same are reported together. */
export function placementFindings(placed: readonly PlacedObject[], groups: readonly PoolGroup[]): Finding[] {
  const byName = new Map([...placed].reverse().map((each) => [nameOf(each.object), each]));
  const found = new Map<string, OnPools & { readonly pools: string[] }>();
  for (const group of groups) {
    for (const wrong of wrongOn(group)) {
      const key = JSON.stringify([wrong.workload, wrong.says('')]);
      const same = found.get(key) ?? { ...wrong, pools: [] };
      found.set(key, same);
      same.pools.push(...group.pools);
    }
  }
  return [...found.values()].flatMap(({ workload, severity, code, hint, says, pools }) => {
    const each = byName.get(workload);
    const message = says(poolNames(pools));
    return each === undefined
      ? []
      : [findingAt(each, severity, { code, path: podSpecPath(each.object), message, hint })];
  });
}
