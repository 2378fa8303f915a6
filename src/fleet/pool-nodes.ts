import type { BoundPods } from './bound-pods.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { HOSTNAME, OPEN_LABELS } from './node-affinity-match.js';
import type { PlacementNode } from './node.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import { nodeNameOf } from './placement-pod.js';
import type { ExampleNode } from './pod-placement.js';

/** Nodes of a pool that no workload tells apart. */
export interface NodeGroup {
  /** One of them, or an example. */
  readonly node: ClusterNode & ExampleNode;
  /** Undefined if it is not known. */
  readonly count?: number;
}

/** What a pool is known by: an example node, and its Nodes if all are in the manifests. */
export interface PoolNodes extends PlacementNode, ExampleNode {
  /** Number of nodes of the pool.
   * @default - unknown */
  readonly count?: number;
  /** All nodes of the pool.
   * @default - they are not known */
  readonly nodes?: readonly ClusterNode[];
}

/** What workloads tell nodes apart by. */
export interface DistinguishingLabels {
  readonly labels: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** The labels and the names of nodes that Pods, volumes and classes mention. */
export function distinguishingLabels(
  specs: readonly PlainMap[],
  cluster: PlacementCluster,
  labels: readonly string[],
): DistinguishingLabels {
  const found = { labels: new Set([...labels, ...OPEN_LABELS, 'kubernetes.io/os']), names: new Set<string>() };
  for (const spec of specs) {
    Object.entries(mapAt(spec, 'nodeSelector')).forEach(([key, value]) => mention(found, key, [value]));
    (requiredTerms(spec) ?? []).forEach((term) => mentionTerm(found, term));
    const name = nodeNameOf(spec);
    if (name !== undefined) {
      found.names.add(name);
    }
    const { topologySpreadConstraints: constraints } = spec;
    listOf(constraints).forEach(({ topologyKey }) => mention(found, String(topologyKey), []));
    for (const field of ['podAffinity', 'podAntiAffinity']) {
      const terms = mapAt(mapAt(spec, 'affinity'), field).requiredDuringSchedulingIgnoredDuringExecution;
      listOf(terms).forEach(({ topologyKey }) => mention(found, String(topologyKey), []));
    }
  }
  for (const volume of cluster.volumes.values()) {
    const { nodeSelectorTerms } = mapAt(mapAt(mapAt(volume, 'spec'), 'nodeAffinity'), 'required');
    listOf(nodeSelectorTerms).forEach((term) => mentionTerm(found, term));
  }
  for (const { allowedTopologies } of cluster.storageClasses.values()) {
    listOf(allowedTopologies).forEach((term) =>
      listOf(term.matchLabelExpressions).forEach(({ key, values }) =>
        mention(found, String(key), Array.isArray(values) ? values : []),
      ),
    );
  }
  return found;
}

function listOf(value: unknown): PlainMap[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

function mention(
  { labels, names }: { labels: Set<string>; names: Set<string> },
  key: string,
  values: readonly unknown[],
): void {
  if (key === HOSTNAME || key === 'metadata.name') {
    values.forEach((value) => names.add(String(value)));
  } else {
    labels.add(key);
  }
}

function mentionTerm(found: { labels: Set<string>; names: Set<string> }, term: PlainMap): void {
  [...expressionsOf(term), ...listOf(term.matchFields)].forEach(({ key, values }) =>
    mention(found, String(key), Array.isArray(values) ? values : []),
  );
}

/** The nodes of a pool, as far as workloads and the Pods on them tell them apart. */
export function nodeGroups(
  pool: PoolNodes,
  poolLabel: string,
  { labels, names }: DistinguishingLabels,
  bound: Pick<BoundPods, 'textOf'>,
): NodeGroup[] {
  const { nodes, count } = pool;
  if (nodes !== undefined) {
    const groups = new Map<string, { readonly node: ClusterNode & ExampleNode; count: number }>();
    for (const node of nodes) {
      const { taints, isUnschedulable, isSilent, allocatable, declaredFeatures, hasStrictGroups } = node;
      const own = Object.entries(node.labels).filter(([key]) => labels.has(key));
      const name = names.has(node.name) || names.has(node.labels[HOSTNAME] ?? '') ? node.name : '';
      const there = bound.textOf(node.name);
      const told = [taints, isUnschedulable, isSilent, allocatable, declaredFeatures, hasStrictGroups];
      const key = JSON.stringify([name, own.sort(), told, there]);
      const same = groups.get(key);
      if (same === undefined) {
        groups.set(key, { node: { ...node, poolLabel }, count: 1 });
      } else {
        same.count++;
      }
    }
    return [...groups.values()];
  }
  const example: ClusterNode & ExampleNode = { ...pool, poolLabel, pods: [] };
  const all = new Set(pool.names);
  const named = [...names].filter((name) => name !== pool.name && all.has(name));
  const alone = named.map((name) => ({
    node: { ...example, name, labels: { ...example.labels, [HOSTNAME]: name } },
    count: 1,
  }));
  const rest = count === undefined ? undefined : count - named.length;
  return rest !== undefined && rest <= 0 && alone.length > 0
    ? alone
    : [...alone, { node: example, ...(rest === undefined ? {} : { count: rest }) }];
}
