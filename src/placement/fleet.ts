import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { type PrintableReport, printable, textTable } from '../text/table.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import type { Taint } from '../kubernetes/taint.js';
import { checkPlacementInput } from './manifests.js';
import { type FleetLabels, fleetLabelsOf, isHostNetworkNode, labelsOfEveryNode, type PlacementNode } from './node.js';
import { whyNotOn } from './pod-placement.js';

/**
 * The workloads that the nodes of one pool run, and those that they do not.
 *
 * @category Test where things run
 */
export interface PoolPlacement {
  /** Name of the pool. */
  readonly pool: string;
  /** Whether it is a host-network pool. */
  readonly hostNetwork: boolean;
  /** Workloads that can run on its nodes, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** Workloads that cannot run on its nodes, and why. */
  readonly excluded: readonly ExcludedPlacement[];
}

/**
 * A workload that cannot run on a pool.
 *
 * @category Test where things run
 */
export interface ExcludedPlacement {
  /** The workload, `Deployment default/web`. */
  readonly workload: string;
  /** Why it cannot run there, for example `excluded from host-network nodes`, the taint, or the requirement that the node does not meet. */
  readonly reason: string;
}

/** A node of a pool: an example, and the names of the nodes that the pool has. */
export interface PoolMember extends PlacementNode {
  /** Names of the nodes of the pool, as far as they are known. */
  readonly names?: readonly string[];
}

/** An example node of a pool. */
function memberOf(pool: PlainMap, membershipLabel: string, nodes: readonly PlainMap[]): PoolMember {
  const name = String(mapAt(pool, 'metadata').name);
  const spec = mapAt(pool, 'spec');
  const listed = mapAt(pool, 'status').nodes;
  return {
    name: `${name}-node`,
    names: [
      ...(Array.isArray(listed) ? listed.map(String) : []),
      ...nodes
        .map((node) => mapAt(node, 'metadata'))
        .filter((metadata) => mapAt(metadata, 'labels')[membershipLabel] === name)
        .map((metadata) => String(metadata.name)),
    ],
    labels: {
      ...labelsOfEveryNode(`${name}-node`),
      ...(mapAt(spec, 'labels') as Record<string, string>),
      [membershipLabel]: name,
      ...(spec.hostNetwork === true ? { [HOST_NETWORK_LABEL]: TRUE } : {}),
    },
    taints: Array.isArray(spec.taints) ? (spec.taints as Taint[]) : [],
  };
}

/** A node for each NodePool object. */
export function poolMembers(objects: readonly PlainMap[], membershipLabel: string): PoolMember[] {
  const nodes = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node');
  return objects
    .filter((object) => object.kind === 'NodePool' && String(object.apiVersion).startsWith('apps.openyurt.io/'))
    .map((pool) => memberOf(pool, membershipLabel, nodes));
}

/** An example node of a pool of a program, as soon as it has all of its labels: also those that kubelets may not set. */
export function memberOfPool({ cluster, poolName, hostNetwork, joinLabels, taints }: NodePoolAttributes): PoolMember {
  const { key, value } = cluster.hostNetworkLabel;
  return {
    name: `${poolName}-node`,
    labels: {
      ...labelsOfEveryNode(`${poolName}-node`),
      ...joinLabels,
      ...(hostNetwork ? { [key]: value } : {}),
    },
    taints,
  };
}

/** The example nodes of all pools, and the labels by which they are known. A pool of which the NodePool is there, too, is one pool. */
export function membersOf(
  objects: readonly PlainMap[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[],
  given?: string | FleetLabels,
): { readonly members: readonly PoolMember[] } & Required<FleetLabels> {
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
 * Computes which workloads can run on each pool of a set of manifests. Pools are the NodePool objects, workloads the objects with a Pod template
 * (partial objects for server-side apply included) or another known place of the Pods' node affinity. A workload with several runs on a pool if some of
 * its Pods can. Without OpenYurt there are no NodePool objects: pass the pools.
 *
 * @param manifests plain Kubernetes objects
 * @param nodes pools, or further nodes, besides those of the NodePool objects
 * @param labels the cluster, or its labels; text is the node label with the pool's name. By default those of the first of the pools, or of OpenYurt
 * @throws {@link EdgeError} with EDGE_TYPE or EDGE_NOT_AN_OBJECT for other things than plain objects
 * @returns one entry per pool, in the order of the objects and then of the nodes; `String(…)` is a table
 * @category Test where things run
 */
export function placeFleet(
  manifests: readonly object[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[] = [],
  labels?: string | FleetLabels,
): PrintableReport<PoolPlacement[]> {
  checkPlacementInput('placeFleet', manifests, nodes, labels);
  const objects = manifests.filter(isMap);
  const { members, nodePoolLabel, hostNetworkLabel } = membersOf(objects, nodes, labels);
  const workloads = objects
    .map((object) => ({
      name: nameOf(object),
      isDaemon: object.kind === 'DaemonSet',
      podSpecs: podPlaces(object).map((place) => podSpecAt(object, place)),
    }))
    .filter(({ podSpecs }) => podSpecs.length > 0);
  const placements = members.map((node): PoolPlacement => {
    const runs: string[] = [];
    const excluded: ExcludedPlacement[] = [];
    for (const { name, isDaemon, podSpecs } of workloads) {
      const reasons = podSpecs.map((podSpec) => whyNotOn(podSpec, node, isDaemon, hostNetworkLabel));
      const [reason] = reasons;
      if (reason === undefined || reasons.includes(undefined)) {
        runs.push(name);
      } else {
        excluded.push({ workload: name, reason });
      }
    }
    return {
      pool: node.labels[nodePoolLabel] ?? node.name,
      hostNetwork: isHostNetworkNode(node, hostNetworkLabel),
      runs,
      excluded,
    };
  });
  return printable(placements, placementTable);
}

function placementTable(placements: readonly PoolPlacement[]): string {
  return poolTable(
    ['POOL', 'NETWORK', 'WORKLOAD', 'RUNS'],
    placements.map(({ pool, hostNetwork, runs, excluded }) => ({
      pool,
      facts: [hostNetwork ? 'host network' : 'regular'],
      rows: [
        ...runs.map((workload) => [workload, 'yes']),
        ...excluded.map(({ workload, reason }) => [workload, `no: ${reason}`]),
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
