import { EdgeError, joinPath } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import type { CheckedSites } from './checked-sites.js';
import type { CheckedManifests, Finding } from './finding.js';
import { type FleetOverview, type PlacedPools, poolOfSite } from './fleet-overview.js';
import type { FleetSite } from './fleet-sites.js';
import type { FleetLabels } from './node.js';
import type { OutageReport } from './outage.js';
import { explainFleet } from './placement-reasons.js';
import type { ListedPool } from './pools-file.js';
import { outagesOf } from './simulate-outage.js';

/** A reason with its place, `dist/fleet.k8s.yaml:12`. */
export interface PlacedReason {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** What outages of one pool do, by their duration; or why it cannot be said. */
export type PoolOutages = ReadonlyMap<string, OutageReport> | string;

/** What is said of one site: views of what was read once. */
export interface SiteReport {
  readonly name?: string;
  /** Its pools as `show` names them, each by itself. */
  readonly pools: PlacedPools['pools'];
  /** By pool and workload; of pools with the same workloads only of the first. */
  readonly reasons: ReadonlyMap<string, readonly PlacedReason[]>;
  readonly outages: ReadonlyMap<string, PoolOutages>;
}

/** A finding of a site. */
export interface SiteFinding extends Finding {
  readonly site?: string;
}

/** What the page of a fleet says: what `show`, `explain`, `check` and `simulate` say. */
export interface FleetReport {
  /** What was read, `dist`. */
  readonly source: string;
  readonly overview: FleetOverview;
  readonly sites: readonly SiteReport[];
  readonly findings: readonly SiteFinding[];
}

/** How long outages last that are simulated; the last one has no end. */
export const DURATIONS = ['1m', '5m', '10m', '1h', 'no end'] as const;

/** Of larger fleets only some pools are explained, and the outages of some are simulated: the command says those of any. */
const [MOST_EXPLAINED, MOST_SIMULATED] = [20_000, 10_000_000];

/** The key of a cell. */
export const cellOf = (pool: string, workload: string): string => JSON.stringify([pool, workload]);

/** A site that was read and placed. */
type PlacedSite = FleetSite & { readonly declared: readonly ListedPool[]; readonly placement: PlacedPools };

/** What is said of one site. */
export function reportOfSite(
  site: PlacedSite,
  { groups }: FleetOverview,
  labels: Required<FleetLabels>,
  counts: ReadonlyMap<string, number>,
): SiteReport {
  const shown = new Set(groups.flatMap(({ pools }) => pools));
  const placed = site.placement.pools.map((pool) => ({
    ...pool,
    pools: pool.pools.map((name) => poolOfSite(site.name, name)),
  }));
  const pools = placed.filter(({ pools: [name = ''] }) => shown.has(name));
  const own = new Set(pools.flatMap((pool) => pool.pools));
  // with many workloads, of fewer pools
  const most = Math.ceil(MOST_EXPLAINED / Math.max(1, site.objects.length));
  const examples = groups.slice(0, most).flatMap(({ pools: [name = ''] }) => (own.has(name) ? [name] : []));
  return {
    ...(site.name === undefined ? {} : { name: site.name }),
    pools,
    reasons: reasonsIn(site, new Set(examples), labels),
    outages: outagesIn(site, [...new Set([...examples, ...own])], labels, counts),
  };
}

function reasonsIn(
  { name: of, objects, placed, declared }: PlacedSite,
  examples: ReadonlySet<string>,
  labels: Required<FleetLabels>,
): Map<string, readonly PlacedReason[]> {
  const asked = new Set([...examples].map((pool) => nameInSite(of, pool)));
  const places = new Map([...placed].reverse().map((each) => [nameOf(each.object), each]));
  const explained = asked.size === 0 ? [] : explainFleet(objects, asked, labels, declared);
  const cells = [...explained].flatMap(([workload, explanations]) => {
    const place = places.get(workload);
    const at = (path: string): string => {
      const line = place?.lines?.lineOf(place.index, path);
      return [place?.file, line].filter((part) => part !== undefined).join(':');
    };
    return explanations.flatMap(({ pools, reasons }) => {
      const told = reasons.map(({ by, reason, field }) => ({ by, reason, at: at(field.reduce<string>(joinPath, '')) }));
      return pools.map((pool) => [cellOf(poolOfSite(of, pool), workload), told] as const);
    });
  });
  return new Map(cells);
}

const nameInSite = (site: string | undefined, pool: string): string =>
  site === undefined ? pool : pool.slice(site.length + 1);

function outagesIn(
  { name: of, managers, objects, declared, placement }: PlacedSite,
  pools: readonly string[],
  labels: Required<FleetLabels>,
  counts: ReadonlyMap<string, number>,
): Map<string, PoolOutages> {
  const simulate = outagesOf([...managers, ...objects], declared, labels);
  const there = new Set(placement.pools.flatMap((each) => each.pools));
  const nodes = Object.fromEntries([...counts].filter(([pool]) => there.has(pool)));
  const cost = DURATIONS.length * Math.max(1, objects.length) * placement.pools.length;
  // Nodes that are in no pool
  const named = pools.filter((pool) => !nameInSite(of, pool).startsWith('('));
  const some = named.slice(0, Math.max(1, Math.floor(MOST_SIMULATED / cost)));
  return new Map(
    some.map((pool): [string, PoolOutages] => {
      const down = { pools: [nameInSite(of, pool)] };
      try {
        return [
          pool,
          new Map(
            DURATIONS.map((each) => [each, simulate({ down, nodes, ...(each === 'no end' ? {} : { for: each }) })]),
          ),
        ];
      } catch (error) {
        if (error instanceof EdgeError) {
          return [pool, error.problems.map(({ message, hint }) => `${message}; ${hint}`).join('\n')];
        }
        throw error;
      }
    }),
  );
}

/** The findings of a check with their sites. */
export function findingsBySite(checked: CheckedManifests | CheckedSites): SiteFinding[] {
  return 'sites' in checked
    ? [
        ...checked.others.findings,
        ...checked.sites.flatMap(({ site, findings }) => findings.map((finding) => ({ ...finding, site }))),
      ]
    : [...checked.findings];
}
