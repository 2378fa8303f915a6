import { Quantity } from '../kubernetes/quantity.js';
import { hangingText } from '../base/table.js';
import type { PlainMap } from '../base/plain-data.js';
import {
  type ExcludedPlacement,
  labelsOfMember,
  type OtherPlacement,
  placementsOf,
  type PoolMember,
  poolMembers,
  poolNames,
} from './fleet.js';
import { isDump } from './bound-pods.js';
import { footprint } from './footprint.js';
import { itemsOf, leavesPods, mergedObjects } from './placement-input.js';
import { type FleetLabels, fleetLabelsOf, type PlacementNode } from './node.js';
import { type ClusterNode, nodeOf } from './placement-cluster.js';
import type { PodRequests } from './pod-requests.js';
import { type ListedPool, minorOfPools } from './pools-file.js';

/** Pools whose nodes run the same workloads. */
export interface PoolGroup {
  readonly pools: readonly string[];
  readonly hostNetwork: boolean;
  /** Number of their nodes; undefined if the number of one is unknown. */
  readonly nodes?: number;
  readonly runs: readonly string[];
  readonly excluded: readonly ExcludedPlacement[];
  /** What neither runs nor is excluded. */
  readonly others: readonly OtherPlacement[];
  /** Workloads that run, and of which a change would never be rolled out, and why; absent if there are none. */
  readonly stuckRollouts?: readonly ExcludedPlacement[];
  /** Requests that a host-network node does not need; undefined if there are none, or if they are unknown, and for regular pools. */
  readonly savedOnEachNode?: PodRequests;
}

/** The pools of a fleet, and where its workloads run. */
export interface FleetOverview {
  readonly groups: readonly PoolGroup[];
  /** All host-network nodes and the requests that they do not need, if both are known. */
  readonly total?: { readonly nodes: number; readonly saved: PodRequests };
  /** Workloads of a dump that every Node excludes, and why; absent if there are none. */
  readonly nowhere?: readonly ExcludedPlacement[];
}

/** The pools of one cluster, each by itself. */
export interface PlacedPools {
  readonly pools: readonly PoolGroup[];
  /** Whether everything in the cluster is known. */
  readonly isDump: boolean;
}

/** Name of the group of Nodes that are in no pool. */
const NO_POOL = '(no pool)';

/**
 * Which workloads run on the nodes of which pools.
 *
 * @param manifests NodePools, Nodes and workloads, also as Lists and partial objects
 * @param counts numbers of nodes by pool, instead of those in the manifests
 * @param given the labels of pools and of host-network nodes
 * @param declared pools of the program that has made the manifests, which need not have a NodePool
 */
export function fleetOverview(
  manifests: readonly PlainMap[],
  counts: ReadonlyMap<string, number> = new Map(),
  given: FleetLabels = {},
  declared: readonly ListedPool[] = [],
): FleetOverview {
  return overviewOfSites([{ placement: placedPools(manifests, counts, given, declared) }]);
}

/** The same of each pool by itself. */
export function placedPools(
  manifests: readonly PlainMap[],
  counts: ReadonlyMap<string, number>,
  given: FleetLabels,
  declared: readonly ListedPool[],
): PlacedPools {
  const labels = fleetLabelsOf(given, minorOfPools(declared));
  const { all: around, objects, nodes, numbers } = membersIn(manifests, labels, declared);
  const expected = new Map(
    declared.map((pool) => [pool.labels[labels.nodePoolLabel] ?? pool.name, pool.expectedNodes]),
  );
  const saved = footprint(objects, nodes, labels);
  let next = 0;
  const pools = placementsOf(objects, nodes, labels, counts, around).map((placement, index): PoolGroup => {
    const { pool, hostNetwork, runs, excluded, others, stuckRollouts } = placement;
    const all = hostNetwork ? saved[next++]?.savedOnEachNode : undefined;
    const count = counts.get(pool) ?? numbers[index] ?? expected.get(pool);
    return {
      pools: [pool],
      hostNetwork,
      ...(count === undefined ? {} : { nodes: count }),
      runs,
      excluded,
      others,
      ...(stuckRollouts.length === 0 ? {} : { stuckRollouts }),
      ...(all !== undefined && isKnown(all) ? { savedOnEachNode: all } : {}),
    };
  });
  return { pools, isDump: isDump(around) };
}

/** The overview of a fleet: pools of sites are `beijing/shops`, those of the only cluster have no prefix. */
export function overviewOfSites(
  sites: readonly { readonly name?: string; readonly placement: PlacedPools }[],
): FleetOverview {
  return overviewOf(
    sites.flatMap(({ name, placement }) =>
      placement.pools.map((group) => ({ ...group, pools: group.pools.map((pool) => poolOfSite(name, pool)) })),
    ),
    sites.every(({ name, placement }) => name === undefined && placement.isDump) && sites.length === 1,
  );
}

/** A pool as it is called beside those of other sites. */
export function poolOfSite(site: string | undefined, pool: string): string {
  return site === undefined ? pool : `${site}/${pool}`;
}

/** Pools whose nodes run the same are one group. */
function overviewOf(each: readonly PoolGroup[], withNowhere: boolean): FleetOverview {
  const groups = new Map<string, PoolGroup>();
  for (const { pools, nodes, ...group } of each) {
    const key = JSON.stringify(group);
    const same = groups.get(key);
    const count = same === undefined ? nodes : sumOf(same.nodes, nodes);
    const { hostNetwork, ...rest } = group;
    groups.set(key, {
      pools: [...(same?.pools ?? []), ...pools],
      hostNetwork,
      ...(count === undefined ? {} : { nodes: count }),
      ...rest,
    });
  }
  const listed = [...groups.values()];
  const total = totalOf(listed.filter(({ hostNetwork }) => hostNetwork));
  const nowhere = withNowhere ? nowhereOf(listed) : [];
  return {
    groups: listed,
    ...(total === undefined ? {} : { total }),
    ...(nowhere.length === 0 ? {} : { nowhere }),
  };
}

/** What all groups exclude, and why, with few of several reasons. */
function nowhereOf(groups: readonly PoolGroup[]): ExcludedPlacement[] {
  const why = new Map<string, string[]>();
  for (const { workload, reason } of groups.flatMap(({ excluded }) => excluded)) {
    why.set(workload, [...(why.get(workload) ?? []), reason]);
  }
  return [...why]
    .filter(([, reasons]) => reasons.length === groups.length)
    .map(([workload, reasons]) => {
      const distinct = [...new Set(reasons)];
      const more = distinct.length > MOST_REASONS ? ` and ${distinct.length - MOST_REASONS} more reasons` : '';
      return { workload, reason: `${distinct.slice(0, MOST_REASONS).join('; ')}${more}` };
    });
}

const MOST_REASONS = 3;

/** The objects that count, the nodes that have no NodePool among them, and the numbers of nodes, of NodePools first. */
export function membersIn(
  manifests: readonly PlainMap[],
  labels: Required<FleetLabels>,
  declared: readonly ListedPool[],
): {
  /** Also Pods whose controller is among the objects. */
  readonly all: readonly PlainMap[];
  readonly objects: readonly PlainMap[];
  readonly nodes: readonly PoolMember[];
  readonly numbers: readonly (number | undefined)[];
} {
  const all = mergedObjects(manifests.flatMap(itemsOf));
  const objects = all.filter(leavesPods(all, true));
  const nameOf = (node: PlacementNode): string => node.labels[labels.nodePoolLabel] ?? node.name;
  const known = poolMembers(objects, labels.nodePoolLabel);
  const others = nodesWithoutPool(objects, new Set(known.map(nameOf)), labels);
  // what is in the cluster counts more than what a program says
  const there = new Set([...known, ...others.map(({ node }) => node)].map(nameOf));
  const more = declared.filter((pool) => !there.has(nameOf(pool)));
  const nodes: PoolMember[] = [
    ...others.map(({ node }) => node),
    ...more.map(({ expectedNodes: count, ...pool }) => ({
      ...pool,
      ...labelsOfMember(pool.name, pool.labels),
      ...(count === undefined ? {} : { count }),
    })),
  ];
  const numbers = [
    ...known.map(({ names = [] }) => (names.length === 0 ? undefined : new Set(names).size)),
    ...others.map(({ count }) => count),
  ];
  return { all, objects, nodes, numbers };
}

/** Partial objects have no containers, and no tolerations, so that nothing can be said of their requests. */
function isKnown({ cpu, memory }: PodRequests): boolean {
  return cpu !== 'unknown' && !(cpu === '0' && memory === '0');
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** Taints that say how a node is, and not what it is for. */
const OF_CONDITIONS = /^node\.kubernetes\.io\//;

/** One member for all Nodes in no known pool that have the same pool label; those that have none are told apart by their taints. */
function nodesWithoutPool(
  objects: readonly PlainMap[],
  pools: ReadonlySet<string | undefined>,
  { nodePoolLabel, hostNetworkLabel }: Required<FleetLabels>,
): { readonly node: PoolMember; readonly count: number }[] {
  const found = new Map<string, { readonly name: string; readonly nodes: ClusterNode[] }>();
  for (const object of objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')) {
    const node = nodeOf(object);
    const pool = node.labels[nodePoolLabel];
    if (pool !== undefined && pools.has(pool)) {
      continue;
    }
    const taints = (node.taints ?? []).filter(({ key }) => !OF_CONDITIONS.test(key)).map(({ key }) => key);
    const name = taints.length === 0 ? NO_POOL : `(no pool, taint ${taints.join(', ')})`;
    const key = JSON.stringify([pool ?? name, node.labels[hostNetworkLabel.key]]);
    const same = found.get(key) ?? { name, nodes: [] };
    found.set(key, same);
    same.nodes.push(node);
  }
  return [...found.values()].map(({ name, nodes }) => {
    const [{ labels, taints = [] }] = nodes as [ClusterNode];
    const names = nodes.map((node) => node.name);
    return { node: { name, names, labels, taints, nodes, count: nodes.length }, count: nodes.length };
  });
}

function totalOf(groups: readonly PoolGroup[]): FleetOverview['total'] {
  const nodes = groups.map((group) => group.nodes).reduce(sumOf, 0);
  if (nodes === undefined || nodes === 0 || groups.some(({ savedOnEachNode }) => savedOnEachNode === undefined)) {
    return undefined;
  }
  const sum = (resource: keyof PodRequests): string =>
    groups
      .map((group) =>
        (Quantity.parse(group.savedOnEachNode?.[resource] ?? '0') ?? Quantity.ZERO).times(group.nodes ?? 0),
      )
      .reduce((a, b) => a.plus(b), Quantity.ZERO)
      .toString();
  return { nodes, saved: { cpu: sum('cpu'), memory: sum('memory') } };
}

/** Only some pools of an overview, or only what neither runs nor is excluded. */
export function partOf(
  { groups, total, nowhere }: FleetOverview,
  pools: ReadonlySet<string> | undefined,
  onlyProblems: boolean,
): FleetOverview {
  const chosen = groups
    .map((group) => ({ ...group, pools: group.pools.filter((pool) => pools?.has(pool) ?? true) }))
    .filter((group) => group.pools.length > 0)
    .map(({ nodes, ...group }): PoolGroup => {
      // the number is that of all pools of the group
      const isWhole = groups.some(
        (each) => each.pools.length === group.pools.length && each.pools[0] === group.pools[0],
      );
      return isWhole && nodes !== undefined ? { ...group, nodes } : group;
    });
  // a part of the pools does not say it
  const ofAll = nowhere === undefined || pools !== undefined ? {} : { nowhere };
  if (onlyProblems) {
    return {
      ...ofAll,
      groups: chosen
        .filter(({ others, stuckRollouts = [] }) => others.length + stuckRollouts.length > 0)
        .map(({ pools: names, hostNetwork, nodes, others, stuckRollouts }) => ({
          ...{ pools: names, hostNetwork, ...(nodes === undefined ? {} : { nodes }) },
          ...{ runs: [], excluded: [], others, ...(stuckRollouts === undefined ? {} : { stuckRollouts }) },
        })),
    };
  }
  return { groups: chosen, ...(total === undefined || pools !== undefined ? {} : { total }), ...ofAll };
}

/** `host network, 12 nodes`. */
export function poolFacts({ hostNetwork, nodes }: PoolGroup): string {
  const network = hostNetwork ? 'host network' : 'regular';
  return nodes === undefined ? network : `${network}, ${nodes} node${nodes === 1 ? '' : 's'}`;
}

/** What all host-network nodes need not reserve. */
export function savedText({ nodes, saved }: NonNullable<FleetOverview['total']>): string {
  return `${nodes} host-network nodes save requests of ${amounts(saved)}`;
}

/** Room for the reason beside a workload; with less it is below. */
const REASON = 30;

/** The outcomes in the order in which they are shown: what is wrong stands before what is meant to be. */
const OTHERS = ['never starts', 'no room', 'port taken', 'waits', 'unknown'] as const;

/** The overview as text of at most 100 columns. */
export function overviewText({ groups, total, nowhere = [] }: FleetOverview): string {
  const lines = groups.flatMap((group) => {
    const isEmpty = group.runs.length + group.others.length + (group.stuckRollouts ?? []).length === 0;
    return [
      hangingText('', `${poolNames(group.pools)} (${poolFacts(group)})`),
      ...column('runs', isEmpty ? ['none'] : group.runs),
      ...reasons('stuck rollout', group.stuckRollouts ?? []),
      ...OTHERS.flatMap((outcome) =>
        reasons(
          outcome,
          group.others.filter((each) => each.outcome === outcome),
        ),
      ),
      ...reasons('excluded', group.excluded),
      ...(group.savedOnEachNode === undefined ? [] : column('saved requests', [amounts(group.savedOnEachNode)])),
      '',
    ];
  });
  const sum = total === undefined ? [] : [savedText(total), ''];
  const none = nowhere.length === 0 ? [] : ['all Nodes of the dump', ...reasons('runs nowhere', nowhere), ''];
  return [...lines, ...none, ...sum].slice(0, -1).join('\n');
}

function reasons(title: string, placements: readonly ExcludedPlacement[]): string[] {
  const width = Math.min(44, Math.max(0, ...placements.map(({ workload }) => workload.length)));
  return column(
    title,
    placements.map(({ workload }) => workload.padEnd(width)),
    placements.map(({ reason }) => reason),
  );
}

function column(title: string, names: readonly string[], whys: readonly string[] = []): string[] {
  return names.flatMap((name, index) => {
    const [lead, why] = [`  ${(index === 0 ? title : '').padEnd(15)}  `, whys[index]];
    return why === undefined
      ? [hangingText(lead, name)]
      : lead.length + name.length + 2 <= 100 - REASON
        ? [hangingText(`${lead}${name}  `, why)]
        : [hangingText(lead, name), hangingText(' '.repeat(lead.length + 2), why)];
  });
}

function amounts({ cpu, memory }: PodRequests): string {
  return `cpu ${cpu}, memory ${memory}`;
}
