import { type FleetOverview, poolFacts, type PoolGroup, savedText } from './fleet-overview.js';
import page from './fleet-page.html';
import { cellOf, DURATIONS, type FleetReport, type PlacedReason, type PoolOutages } from './fleet-report.js';
import script from './fleet-view.js';
import { endOf, partsOf } from './outage-picture.js';
import { countText, nodesText, outcomeText } from './outage-text.js';
import type { OutageReport } from './outage.js';
import type { PlacementOutcome } from './verdict.js';

/** What a cell says. */
type CellOutcome = PlacementOutcome | 'stuck rollout';

/** What an outage does to one workload, with the parts of its bar: style, from and until in thousandths. */
type OutageRow = readonly [
  workload: string,
  pods: string,
  outcome: string,
  happens: string,
  rule: string,
  parts: readonly (readonly [string, number, number])[],
];

/** What the script of the page reads. Each result, row and outage is there once: most of a fleet has the same few. */
interface FleetData {
  readonly source: string;
  readonly total?: string;
  readonly workloads: readonly string[];
  readonly pools: readonly {
    readonly name: string;
    readonly site?: string;
    readonly host: boolean;
    readonly nodes?: number;
    readonly group: number;
  }[];
  readonly groups: readonly {
    readonly pools: readonly number[];
    readonly facts: string;
    readonly saved?: string;
    /** Of each workload the position in `results`; -1 if the overview has none, as one of problems only. */
    readonly results: readonly number[];
  }[];
  readonly results: readonly (readonly [outcome: CellOutcome, reason: string, reasons: readonly number[]])[];
  readonly reasons: readonly (readonly [by: string, reason: string, at: string])[];
  readonly findings: readonly {
    readonly level: string;
    readonly code: string;
    readonly object: string;
    readonly site?: string;
    readonly at: string;
    readonly message: string;
    readonly hint: string;
  }[];
  readonly durations: readonly string[];
  /** Of each pool its outages by duration, positions in `outages`, or why it has none. */
  readonly away: readonly (readonly [pool: string, outages: readonly number[] | string])[];
  readonly outages: readonly {
    readonly said: string;
    readonly zones: readonly string[];
    readonly rows: readonly number[];
    readonly others: number;
  }[];
  readonly rows: readonly OutageRow[];
}

/** Values that are each in a list once. */
class Once<Value> {
  public readonly values: Value[] = [];
  private readonly positions = new Map<string, number>();

  public at(value: Value): number {
    const key = JSON.stringify(value);
    const position = this.positions.get(key) ?? this.values.push(value) - 1;
    this.positions.set(key, position);
    return position;
  }
}

/** The report of a fleet as one page for a browser, which loads nothing: findings, pools, workloads by pools with every reason, and outages. */
export function fleetPage(report: FleetReport): string {
  // of the characters of JSON only this one can end the element that holds it
  const data = JSON.stringify(dataOf(report)).replaceAll('<', '\\u003c');
  return page
    .replace(/(id="fleet">)\s*null\s*/, (_, start: string) => `${start}${data}`)
    .replace('<script src="fleet-view.js"></script>', () => `<script>\n${script}</script>`);
}

function dataOf(report: FleetReport): FleetData {
  const { source, overview, findings } = report;
  const { groups, total } = overview;
  const outages = outageData(report);
  return {
    source,
    ...(total === undefined ? {} : { total: savedText(total) }),
    ...placementData(report),
    pools: poolsOf(report, groups),
    findings: findings.map(({ level, code, object, site, file, line, path, message, hint }) => ({
      ...{ level, code, object, hint, message: path === '' ? message : `${path}: ${message}` },
      at: [file, line].filter((part) => part !== undefined && part !== '').join(':'),
      ...(site === undefined ? {} : { site }),
    })),
    durations: DURATIONS,
    ...outages,
  };
}

function poolsOf({ sites }: FleetReport, groups: readonly PoolGroup[]): FleetData['pools'] {
  const alone = new Map(sites.flatMap(({ name, pools }) => pools.map((pool) => [pool.pools[0], { name, pool }])));
  return groups.flatMap((group, index) =>
    group.pools.map((name) => {
      const { name: site, pool } = alone.get(name) ?? {};
      const nodes = pool?.nodes ?? (group.pools.length === 1 ? group.nodes : undefined);
      return {
        ...{ name, host: group.hostNetwork, group: index },
        ...(site === undefined ? {} : { site }),
        ...(nodes === undefined ? {} : { nodes }),
      };
    }),
  );
}

function placementData({
  overview: { groups },
  sites,
}: FleetReport): Pick<FleetData, 'workloads' | 'groups' | 'results' | 'reasons'> {
  const results = new Once<FleetData['results'][number]>();
  const reasons = new Once<FleetData['reasons'][number]>();
  const told = new Map(sites.flatMap((site) => [...site.reasons]));
  const positionsOf = (all: readonly PlacedReason[] = []): number[] =>
    all.map(({ by, reason, at }) => reasons.at([by, reason, at]));
  const byWorkload = groups.map(
    (group) =>
      new Map(
        cellsOf(group).map(([workload, outcome, reason]) => {
          const own = positionsOf(told.get(cellOf(group.pools[0] ?? '', workload)));
          return [workload, results.at([outcome, reason, own])];
        }),
      ),
  );
  const workloads = [...new Set(byWorkload.flatMap((each) => [...each.keys()]))];
  let next = 0;
  return {
    workloads,
    groups: groups.map((group, index) => ({
      pools: group.pools.map(() => next++),
      facts: poolFacts(group),
      ...(group.savedOnEachNode === undefined
        ? {}
        : { saved: `cpu ${group.savedOnEachNode.cpu}, memory ${group.savedOnEachNode.memory}` }),
      results: workloads.map((workload) => byWorkload[index]?.get(workload) ?? -1),
    })),
    results: results.values,
    reasons: reasons.values,
  };
}

function cellsOf({
  runs,
  excluded,
  others,
  stuckRollouts = [],
}: FleetOverview['groups'][number]): (readonly [workload: string, outcome: CellOutcome, reason: string])[] {
  return [
    ...runs.map((workload) => [workload, 'runs', ''] as const),
    ...stuckRollouts.map(
      ({ workload, reason }) =>
        [workload, 'stuck rollout', `it runs, and a change is never rolled out: ${reason}`] as const,
    ),
    ...others.map(({ workload, outcome, reason }) => [workload, outcome, reason] as const),
    ...excluded.map(({ workload, reason }) => [workload, 'excluded', reason] as const),
  ];
}

function outageData({ sites }: FleetReport): Pick<FleetData, 'away' | 'outages' | 'rows'> {
  const rows = new Once<OutageRow>();
  const outages = new Once<FleetData['outages'][number]>();
  const positionOf = (report: OutageReport): number => {
    const there = report.workloads.filter(({ outcome }) => outcome !== 'not there');
    const end = endOf(report);
    const share = (time: number): number => Math.round((1000 * Math.min(time, end)) / end);
    const listed = there.map((each) =>
      rows.at([
        each.pool === undefined ? each.workload : `${each.workload} in ${each.pool}`,
        ...([countText(each.pods), each.outcome, outcomeText(each), each.rule] as const),
        partsOf(each, report, end).map(({ style, from, until }) => [style, share(from), share(until)] as const),
      ]),
    );
    return outages.at({
      said: nodesText(report),
      zones: report.zones.map(({ zone, rule }) => (zone === '' ? rule : `zone ${zone}: ${rule}`)),
      rows: listed,
      others: report.workloads.length - there.length,
    });
  };
  const of = (found: PoolOutages): readonly number[] | string =>
    typeof found === 'string' ? found : DURATIONS.flatMap((each) => found.get(each) ?? []).map(positionOf);
  const away = sites.flatMap((site) => [...site.outages].map(([pool, found]) => [pool, of(found)] as const));
  return { away, outages: outages.values, rows: rows.values };
}
