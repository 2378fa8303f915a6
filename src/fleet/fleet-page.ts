import type { FleetOverview, PoolGroup } from './fleet-overview.js';
import { poolFacts, savedText } from './fleet-overview.js';
import page from './fleet-table.html';
import script from './fleet-table.js';
import type { PlacementOutcome } from './verdict.js';

/** What a cell says. */
type CellOutcome = PlacementOutcome | 'stuck rollout';

/** What the script of the page reads. Each result is reported once: most of a fleet has the same few. */
interface FleetData {
  readonly workloads: readonly string[];
  readonly pools: readonly {
    readonly names: readonly string[];
    readonly facts: string;
    /** Of each workload the position in `results`; -1 if the overview has none, as one of problems only. */
    readonly results: readonly number[];
  }[];
  readonly results: readonly (readonly [outcome: CellOutcome, reason: string])[];
  readonly total?: string;
}

/** The overview as one page for a browser, which loads nothing: workloads by pools, to sort, to filter, with the reason of each result. */
export function fleetPage(overview: FleetOverview): string {
  // of the characters of JSON only this one can end the element that holds it
  const data = JSON.stringify(dataOf(overview)).replaceAll('<', '\\u003c');
  return page
    .replace(/(id="fleet">)\s*null\s*/, (_, start: string) => `${start}${data}`)
    .replace('<script src="fleet-table.js"></script>', () => `<script>\n${script}</script>`);
}

function dataOf({ groups, total }: FleetOverview): FleetData {
  const positions = new Map<string, number>();
  const results: [CellOutcome, string][] = [];
  const positionOf = (outcome: CellOutcome, reason: string): number => {
    const key = `${outcome} ${reason}`;
    const position = positions.get(key) ?? results.push([outcome, reason]) - 1;
    positions.set(key, position);
    return position;
  };
  const byWorkload = groups.map((group) => resultsOf(group, positionOf));
  const workloads = [...new Set(byWorkload.flatMap((each) => [...each.keys()]))];
  return {
    workloads,
    pools: groups.map((group, index) => ({
      names: group.pools,
      facts: poolFacts(group),
      results: workloads.map((workload) => byWorkload[index]?.get(workload) ?? -1),
    })),
    results,
    ...(total === undefined ? {} : { total: savedText(total) }),
  };
}

function resultsOf(
  { runs, excluded, others, stuckRollouts = [] }: PoolGroup,
  positionOf: (outcome: CellOutcome, reason: string) => number,
): Map<string, number> {
  return new Map([
    ...runs.map((workload) => [workload, positionOf('runs', '')] as const),
    ...stuckRollouts.map(
      ({ workload, reason }) =>
        [workload, positionOf('stuck rollout', `it runs, and a change is never rolled out: ${reason}`)] as const,
    ),
    ...others.map(({ workload, outcome, reason }) => [workload, positionOf(outcome, reason)] as const),
    ...excluded.map(({ workload, reason }) => [workload, positionOf('excluded', reason)] as const),
  ]);
}
