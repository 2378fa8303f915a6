import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { type PrintableReport, printable, textTable } from '../base/table.js';
import type { Taint } from '../kubernetes/taint.js';
import { checkPlacementInput, requireManifests } from './placement-input.js';
import {
  type FleetLabels,
  type JudgedLabels,
  fleetLabelsOf,
  isHostNetworkNode,
  labelsOfEveryNode,
  type PlacementNode,
} from './node.js';
import { HOSTNAME, OPEN_LABELS } from './node-affinity-match.js';
import { workloadOf } from './made-pods.js';
import { type ClusterNode, nodeOf } from './placement-cluster.js';
import type { PoolNodes } from './pool-nodes.js';
import { resultsOf } from './pool-results.js';
import type { PlacementOutcome } from './verdict.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * What becomes of the workloads on the nodes of one pool. Each workload is in one of the three lists.
 *
 * @category Test where things run
 */
export interface PoolPlacement {
  /** Name of the pool. */
  readonly pool: string;
  /** Whether it is a host-network pool. */
  readonly hostNetwork: boolean;
  /** Workloads that run on its nodes, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** Workloads that are not scheduled to its nodes, and why. */
  readonly excluded: readonly ExcludedPlacement[];
  /** Workloads with another outcome: `never starts`, `no room`, `port taken`, `waits`, `unknown`. */
  readonly others: readonly OtherPlacement[];
}

/**
 * A workload that is not scheduled to a pool.
 *
 * @category Test where things run
 */
export interface ExcludedPlacement {
  /** The workload, `Deployment default/web`. */
  readonly workload: string;
  /** Why it cannot run there, for example `excluded from host-network nodes`, the taint, or the requirement that the node does not meet. */
  readonly reason: string;
}

/**
 * A workload that neither runs on a pool nor is excluded from it.
 *
 * @category Test where things run
 */
export interface OtherPlacement extends ExcludedPlacement {
  /** What becomes of it, in one word or two. */
  readonly outcome: Exclude<PlacementOutcome, 'runs' | 'excluded'>;
}

/** What becomes of the workloads on a pool, and of changes of those that run there. */
interface RolloutPlacement extends PoolPlacement {
  /** Workloads that run, and of which a change would never be rolled out, and why. */
  readonly stuckRollouts: readonly ExcludedPlacement[];
}

/** A node of a pool: an example, and the nodes that the pool has. */
export interface PoolMember extends PoolNodes {
  /** Labels of the NodePool object.
   * @default - there is none */
  readonly poolLabels?: Readonly<Record<string, unknown>>;
  /** Whether its NodePool says that its nodes reach each other.
   * @default false */
  readonly interConnected?: boolean;
  /** Whether yurthub runs on its nodes, as OpenYurt installs it on those of an Edge pool.
   * @default - by their labels */
  readonly hasYurthub?: boolean;
}

/** An example node of a pool. */
function memberOf(
  pool: PlainMap,
  membershipLabel: string,
  nodesOf: (pool: string) => readonly PlainMap[],
  areListed: boolean,
): PoolMember {
  const { name: poolName, labels: poolLabels, annotations } = mapAt(pool, 'metadata');
  const name = String(poolName);
  const spec = mapAt(pool, 'spec');
  // v1alpha1 has no field for it
  const isHostNetwork =
    spec.hostNetwork === true ||
    (pool.apiVersion === 'apps.openyurt.io/v1alpha1' && isMap(annotations) && annotations[HOST_NETWORK_LABEL] === TRUE);
  const listed = mapAt(pool, 'status').nodes;
  const members = nodesOf(name);
  const own = members.map((node) => mapAt(node, 'metadata'));
  const names = [...(Array.isArray(listed) ? listed.map(String) : []), ...own.map((metadata) => String(metadata.name))];
  const count = new Set(names).size;
  const given = {
    ...(mapAt(spec, 'labels') as Record<string, string>),
    [membershipLabel]: name,
    ...(isHostNetwork ? { [HOST_NETWORK_LABEL]: TRUE } : {}),
  };
  return {
    name: `${name}-node`,
    names,
    ...(count === 0
      ? {}
      : { count, ...(members.length === count ? { nodes: membersOfPool(members, isHostNetwork) } : {}) }),
    ...labelsOfMember(
      `${name}-node`,
      given,
      own.map((metadata) => mapAt(metadata, 'labels')),
      count > 0 || areListed,
    ),
    poolLabels: isMap(poolLabels) ? poolLabels : {},
    ...(spec.interConnectivity === true ? { interConnected: true } : {}),
    ...(spec.type === 'Edge' ? { hasYurthub: true } : {}),
    taints: itemsOf(spec.taints) as readonly Taint[],
  };
}

/**
 * The labels of an example node: those that are given, and of those that only machines know what the Nodes of the pool have. If they differ, the label is
 * open; if there are no Nodes, it is open and only assumed.
 *
 * @param areNamed whether the names of the nodes are known
 */
export function labelsOfMember(
  name: string,
  written: Readonly<Record<string, string>>,
  nodes: readonly PlainMap[] = [],
  areNamed = nodes.length > 0,
): { readonly labels: Readonly<Record<string, string>>; readonly openLabels: readonly string[] } {
  const arch = written['kubernetes.io/arch'];
  const given = arch === undefined ? written : { 'beta.kubernetes.io/arch': arch, ...written };
  const labels: Record<string, string> = { ...labelsOfEveryNode(name) };
  const openLabels = OPEN_LABELS.filter((label) => given[label] === undefined).filter((label) => {
    const [value, ...more] = new Set(nodes.map((each) => each[label]));
    if (typeof value === 'string' && more.length === 0) {
      labels[label] = value;
    }
    if (more.length > 0) {
      Reflect.deleteProperty(labels, label);
    }
    return nodes.length === 0 || more.length > 0;
  });
  return { labels: { ...labels, ...given }, openLabels: areNamed ? openLabels : [...openLabels, HOSTNAME] };
}

/** The Nodes of a pool. No machine of a host-network pool has a Pod network, whatever its labels say. */
function membersOfPool(nodes: readonly PlainMap[], isHostNetwork: boolean): ClusterNode[] {
  return nodes.map((node) => ({ ...nodeOf(node), isHostNetwork }));
}

/** A node for each NodePool object. */
export function poolMembers(objects: readonly PlainMap[], membershipLabel: string): PoolMember[] {
  const byPool = new Map<unknown, PlainMap[]>();
  for (const node of objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')) {
    const pool = mapAt(mapAt(node, 'metadata'), 'labels')[membershipLabel];
    const others = byPool.get(pool);
    if (others === undefined) {
      byPool.set(pool, [node]);
    } else {
      others.push(node);
    }
  }
  return objects
    .filter((object) => object.kind === 'NodePool' && String(object.apiVersion).startsWith('apps.openyurt.io/'))
    .map((pool) => memberOf(pool, membershipLabel, (name) => byPool.get(name) ?? [], byPool.size > 0));
}

/** An example node of a pool of a program, as soon as it has all of its labels: also those that kubelets may not set. */
export function memberOfPool(pool: NodePoolAttributes): PoolMember {
  const { poolName, nodeLabels, taints, expectedNodes } = pool;
  return {
    name: `${poolName}-node`,
    ...(expectedNodes === undefined ? {} : { count: expectedNodes }),
    ...labelsOfMember(`${poolName}-node`, nodeLabels),
    taints,
    ...(pool.cluster.yurthub === true ? { hasYurthub: true } : {}),
  };
}

/** The example nodes of all pools, and the labels by which they are known. A pool of which the NodePool is there, too, is one pool. */
export function membersOf(
  objects: readonly PlainMap[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[],
  given?: string | FleetLabels,
): { readonly members: readonly PoolMember[] } & JudgedLabels {
  const labels = fleetLabelsOf(given ?? nodes.find(isPool)?.cluster ?? {});
  const known = poolMembers(objects, labels.nodePoolLabel);
  const names = new Set(known.map((member) => member.labels[labels.nodePoolLabel]));
  const others = nodes.flatMap((node): PoolMember[] => {
    if (!isPool(node)) {
      return [{ ...node, labels: { ...labelsOfEveryNode(node.name), ...node.labels } }];
    }
    return names.has(node.poolName) ? [] : [memberOfPool(node)];
  });
  return { members: [...known, ...others], ...labels };
}

/**
 * What becomes of each workload on each pool, as kube-scheduler, the controllers and kubelet decide it. Pools are the
 * NodePool objects; workloads also partial objects for server-side apply, and unknown kinds with something like a Pod spec. Ports of nodes are
 * counted where their number is known; requests, if the manifests have all Nodes of the pool with their `status.allocatable`. Without OpenYurt there are no
 * NodePool objects: pass the pools.
 *
 * @param manifests plain Kubernetes objects
 * @param nodes pools, or further nodes, besides those of the NodePool objects
 * @param labels the cluster, or its labels; text is the node label with the pool's name. By default those of the first pool, or of OpenYurt
 * @throws {@link EdgeError} with EDGE_TYPE, EDGE_NOT_AN_OBJECT or EDGE_MISSING
 * @returns one entry per pool, in the order of the objects and then of the nodes; `String(…)` is a table
 * @category Test where things run
 */
export function placeFleet(
  manifests: readonly object[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[] = [],
  labels?: string | FleetLabels,
): PrintableReport<PoolPlacement[]> {
  checkPlacementInput('placeFleet', manifests, nodes, labels);
  requireManifests('placeFleet', manifests);
  const placements = placementsOf(manifests, nodes, labels).map(
    ({ pool, hostNetwork, runs, excluded, others }): PoolPlacement => ({ pool, hostNetwork, runs, excluded, others }),
  );
  return printable(placements, placementTable);
}

/**
 * The answer of {@link placeFleet}, also without a manifest.
 *
 * @param counts numbers of nodes by pool, where the Nodes are not known
 * @param around everything that is known, also Pods whose controller is among the manifests
 */
export function placementsOf(
  manifests: readonly object[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[],
  labels?: string | FleetLabels,
  counts: ReadonlyMap<string, number> = new Map(),
  around: readonly object[] = manifests,
): RolloutPlacement[] {
  const objects = manifests.filter(isMap);
  const { members: found, ...judged } = membersOf(objects, nodes, labels);
  const { nodePoolLabel, hostNetworkLabel } = judged;
  const members = found.map((member) => {
    const count = counts.get(member.labels[nodePoolLabel] ?? member.name);
    return count === undefined || member.nodes !== undefined ? member : { ...member, count };
  });
  const workloads = objects.flatMap((object) => workloadOf(object) ?? []);
  const results = resultsOf(workloads, members, judged, around.filter(isMap));
  return members.map((node, index): RolloutPlacement => {
    const all = (results[index] ?? []).map(({ workload, outcome, reason }) => ({ workload, outcome, reason }));
    const is =
      <Outcome extends PlacementOutcome>(...outcomes: readonly Outcome[]) =>
      <Result extends { readonly outcome: PlacementOutcome }>(
        result: Result,
      ): result is Result & { outcome: Outcome } =>
        (outcomes as readonly PlacementOutcome[]).includes(result.outcome);
    return {
      pool: node.labels[nodePoolLabel] ?? node.name,
      hostNetwork: isHostNetworkNode(node, hostNetworkLabel),
      runs: all.filter(is('runs')).map(({ workload }) => workload),
      excluded: all.filter(is('excluded')).map(({ workload, reason }) => ({ workload, reason })),
      others: all.filter(is('never starts', 'no room', 'port taken', 'waits', 'unknown')),
      stuckRollouts: (results[index] ?? []).flatMap(({ workload, stuckRollout: reason }) =>
        reason === undefined ? [] : [{ workload, reason }],
      ),
    };
  });
}

function placementTable(placements: readonly PoolPlacement[]): string {
  return poolTable(
    ['POOL', 'NETWORK', 'WORKLOAD', 'OUTCOME'],
    placements.map(({ pool, hostNetwork, runs, excluded, others }) => ({
      pool,
      facts: [hostNetwork ? 'host network' : 'regular'],
      rows: [
        ...runs.map((workload) => [workload, 'runs']),
        ...others.map(({ workload, outcome, reason }) => [workload, `${outcome}: ${reason}`]),
        ...excluded.map(({ workload, reason }) => [
          workload,
          reason.startsWith('excluded') ? reason : `excluded: ${reason}`,
        ]),
      ],
    })),
  );
}

/** Rows of one pool in a table. */
interface PoolRows {
  readonly pool: string;
  /** Cells that are shown once for the pool. */
  readonly facts: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table with several rows for a pool. Pools with the same rows are shown together. */
export function poolTable(head: readonly string[], pools: readonly PoolRows[]): string {
  const groups = new Map<string, PoolRows[]>();
  for (const each of pools) {
    const key = JSON.stringify([each.facts, each.rows]);
    const group = groups.get(key) ?? [];
    group.push(each);
    groups.set(key, group);
  }
  const rows = [...groups.values()].flatMap((group) => {
    const [{ facts, rows: all }] = group as [PoolRows];
    const first = [poolNames(group.map(({ pool }) => pool)), ...facts];
    return (all.length === 0 ? [['no workload', '-']] : all).map((cells, index) => [
      ...(index === 0 ? first : first.map(() => '')),
      ...cells,
    ]);
  });
  return textTable(head, rows);
}

/** `beijing, hangzhou, linyi and 997 more`. */
export function poolNames(pools: readonly string[], most = 3): string {
  const shown = pools.slice(0, most).join(', ');
  return pools.length > most ? `${shown} and ${pools.length - most} more` : shown;
}
