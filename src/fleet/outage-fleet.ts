import type { ProblemList } from '../base/errors.js';
import { EDGE_WORKER_LABEL, TRUE } from '../kubernetes/labels.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { nearest } from '../base/properties.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import { annotatedAutonomy } from '../pools/autonomous-nodes.js';
import type { BoundPods } from './bound-pods.js';
import { memberOfPool, poolMembers } from './fleet.js';
import type { FleetLabels, PlacementNode } from './node.js';
import { nodeOf } from './placement-cluster.js';
import type { ListedPool } from './pools-file.js';
import { REGION_LABELS, ZONE_LABELS, zoneOf } from './node-lifecycle.js';

/** A Node of the fleet. Those of a pool without Node objects are made of the pool, and are all alike. */
export interface FleetNode extends PlacementNode {
  readonly pool: string;
  readonly zone: string;
  /** Whether it was Ready before the outage. */
  readonly isReady: boolean;
  readonly isDown: boolean;
  /** How long OpenYurt lets Pods stay on it, by an annotation of it or of its NodePool. */
  readonly autonomy?: Autonomy;
}

/** Name of the pool of Nodes that are in none. */
export const NO_POOL = '(no pool)';

/** What the fleet is made of. */
export interface FleetInput {
  readonly objects: readonly PlainMap[];
  readonly pools: readonly (NodePoolAttributes | ListedPool)[];
  readonly counts: Readonly<Record<string, number>>;
  readonly labels: Required<FleetLabels>;
  readonly zones?: 'pool' | 'none';
  readonly downPools: readonly string[];
  readonly downNodes: readonly string[];
}

/** The Nodes of the manifests, and those that pools without Node objects have. */
export function fleetOf(input: FleetInput, problems: ProblemList): FleetNode[] {
  const { objects, counts, labels } = input;
  const { nodePoolLabel } = labels;
  const real = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node').map(realNode);
  const autonomies = autonomiesOf(objects);
  const realPools = new Set(real.map(({ node }) => node.labels[nodePoolLabel]));
  const found = [
    ...poolMembers(objects, nodePoolLabel).map((node) => ({ node, count: new Set(node.names).size || undefined })),
    ...input.pools.map((pool) => {
      const node = 'poolName' in pool ? memberOfPool(pool) : pool;
      return { node, count: typeof pool.expectedNodes === 'number' ? pool.expectedNodes : undefined };
    }),
  ];
  // a NodePool does not say how many Nodes are expected, and the program that wrote it does
  const declared = new Map<string, { node: PlacementNode; count: number | undefined }>();
  for (const { node, count } of found) {
    const pool = node.labels[nodePoolLabel] ?? node.name;
    declared.set(pool, {
      node: declared.get(pool)?.node ?? node,
      count: counts[pool] ?? declared.get(pool)?.count ?? count,
    });
  }
  const nodes = real.map(({ node, isReady, autonomy }) => placed(node, isReady, input, autonomy));
  const already = new Map<string, number>();
  nodes.forEach(({ pool }) => already.set(pool, (already.get(pool) ?? 0) + 1));
  checkPoolNames([...new Set([...declared.keys(), ...already.keys()])], input, problems);
  // a name that is wrong is told before what is missing
  const areKnown = problems.problems.length === 0;
  for (const [pool, { node, count }] of declared) {
    if (realPools.has(pool) && counts[pool] === undefined) {
      continue;
    }
    if (count === undefined && !areKnown) {
      continue;
    }
    if (count === undefined) {
      problems
        .at('nodes', pool)
        .add(
          'EDGE_MISSING',
          `it is not known how many nodes pool ${pool} has, and the share of nodes that are unreachable decides what is evicted`,
          `write nodes: { '${pool}': 4 } (--nodes ${pool}=4), or expectedNodes at the pool`,
        );
      continue;
    }
    for (let index = already.get(pool) ?? 0; index < count; index++) {
      const name = `${pool}-${index + 1}`;
      const own = { ...node.labels, [nodePoolLabel]: pool, 'kubernetes.io/hostname': name };
      nodes.push(placed({ ...node, name, labels: own }, true, input, autonomies.get(pool)));
    }
  }
  checkNodeNames(nodes, input, problems);
  return nodes;
}

/** What the NodePools write on their Nodes. */
function autonomiesOf(objects: readonly PlainMap[]): Map<string, Autonomy | undefined> {
  const pools = objects.filter(
    ({ apiVersion, kind, spec }) =>
      kind === 'NodePool' &&
      String(apiVersion).startsWith('apps.openyurt.io/') &&
      // no Node of a pool of the cloud is an edge node
      mapAt({ spec }, 'spec').type !== 'Cloud',
  );
  return new Map(
    pools.map((pool) => [String(mapAt(pool, 'metadata').name), annotatedAutonomy(mapAt(pool, 'spec').annotations)]),
  );
}

interface RealNode {
  readonly node: PlacementNode;
  readonly isReady: boolean;
  readonly autonomy: Autonomy | undefined;
}

function realNode(object: PlainMap): RealNode {
  const { conditions } = mapAt(object, 'status');
  const ready = (Array.isArray(conditions) ? conditions.filter(isMap) : []).find(({ type }) => type === 'Ready');
  const { annotations } = mapAt(object, 'metadata');
  const node = nodeOf(object);
  return {
    // PodBinding reads it of edge nodes only (pod_binding_controller.go, reconcilePod)
    autonomy: node.labels[EDGE_WORKER_LABEL] === TRUE ? annotatedAutonomy(annotations) : undefined,
    node,
    // a Node in a manifest has no status
    isReady: ready === undefined || ready.status === 'True',
  };
}

function placed(node: PlacementNode, isReady: boolean, input: FleetInput, autonomy?: Autonomy): FleetNode {
  const pool = node.labels[input.labels.nodePoolLabel] ?? NO_POOL;
  const labels = withZones(node.labels, pool, input.zones);
  return {
    ...node,
    labels,
    // what the controller has given is not what the Node is like
    taints: (node.taints ?? []).filter(({ key }) => !/^node\.kubernetes\.io\/(?:unreachable|not-ready)$/.test(key)),
    pool,
    zone: zoneOf(labels),
    isReady,
    isDown: input.downPools.includes(pool) || input.downNodes.includes(node.name),
    ...(autonomy === undefined ? {} : { autonomy }),
  };
}

function withZones(labels: PlacementNode['labels'], pool: string, zones: FleetInput['zones']): PlacementNode['labels'] {
  if (zones === undefined) {
    return labels;
  }
  const ours: readonly string[] = [...ZONE_LABELS, ...REGION_LABELS];
  const others = Object.fromEntries(Object.entries(labels).filter(([key]) => !ours.includes(key)));
  return zones === 'pool' && pool !== NO_POOL ? { ...others, [ZONE_LABELS[1]]: pool } : others;
}

function checkPoolNames(
  all: readonly string[],
  { downPools, counts }: Pick<FleetInput, 'downPools' | 'counts'>,
  problems: ProblemList,
): void {
  const pools = all.filter((pool) => pool !== NO_POOL);
  const refuse = (pool: string, at: ProblemList): void => {
    if (pools.length > 0 && !pools.includes(pool)) {
      refuseName(pool, pools, 'pool', at);
    }
  };
  downPools.forEach((pool, index) => refuse(pool, problems.at('down', 'pools', index)));
  Object.keys(counts).forEach((pool) => refuse(pool, problems.at('nodes', pool)));
}

function checkNodeNames(nodes: readonly FleetNode[], { downNodes }: FleetInput, problems: ProblemList): void {
  if (problems.problems.length > 0 || nodes.length === 0) {
    return;
  }
  const names = new Set(nodes.map(({ name }) => name));
  downNodes.forEach((name, index) => {
    if (!names.has(name)) {
      refuseName(name, [...names], 'node', problems.at('down', 'nodes', index));
    }
  });
}

function refuseName(name: string, all: readonly string[], what: string, problems: ProblemList): void {
  const near = nearest(name, all);
  const some = all.length > 10 ? `${all.slice(0, 10).join(', ')} and ${all.length - 10} more` : all.join(', ');
  const hint = near === undefined ? `write one of: ${some}` : `did you mean ${near}?`;
  problems.add('EDGE_MATCHES_NOTHING', `there is no ${what} ${name}`, hint);
}

/** Nodes that no workload can tell apart, of one pool. */
export interface NodeGroup {
  readonly example: FleetNode;
  readonly up: number;
  readonly down: readonly FleetNode[];
}

/** Groups the Nodes: by pool, labels other than the hostname, taints, size, and the Pods that they have. */
export function groupsOf(nodes: readonly FleetNode[], bound: Pick<BoundPods, 'textOf'>): NodeGroup[] {
  const groups = new Map<string, { example: FleetNode; up: number; down: FleetNode[] }>();
  for (const node of nodes) {
    const labels = Object.entries(node.labels).filter(([key]) => key !== 'kubernetes.io/hostname');
    const key = JSON.stringify([node.pool, labels.sort(), node.taints, node.allocatable, bound.textOf(node.name)]);
    const group = groups.get(key) ?? { example: node, up: 0, down: [] };
    if (node.isDown) {
      group.down.push(node);
    } else if (node.isReady) {
      group.up += 1;
    }
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Each Node as a group of its own, for a workload that names Nodes. */
export function singles(nodes: readonly FleetNode[]): NodeGroup[] {
  return nodes.map((node) => ({
    example: node,
    up: !node.isDown && node.isReady ? 1 : 0,
    down: node.isDown ? [node] : [],
  }));
}
