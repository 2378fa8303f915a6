import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { checkTaints } from '../kubernetes/taint.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type PlainMap, requireTree } from '../base/plain-data.js';
import { whatIs as what } from '../base/properties.js';
import { isSuspended } from '../workloads/workload-size.js';
import type { FleetLabels } from './node.js';
import { controllersOf } from './pod-controllers.js';

/**
 * Checks the arguments of a function that reads manifests.
 *
 * @param name name of the function
 * @throws {@link EdgeError} with EDGE_TYPE or EDGE_NOT_AN_OBJECT
 */
export function checkPlacementInput(name: string, manifests: unknown, nodes: unknown, labels: unknown): void {
  // a pool is a construct, which knows its tree
  requireTree([manifests, Array.isArray(nodes) ? nodes.filter((node) => !isPool(node)) : nodes], name);
  const problems = new ProblemList();
  if (Array.isArray(manifests)) {
    manifests.forEach((manifest: unknown, index) => checkManifest(manifest, problems.at('manifests', index)));
  } else {
    problems
      .at('manifests')
      .add('EDGE_TYPE', `the manifests are ${what(manifests)}, not a list`, listOf(name, manifests));
  }
  if (Array.isArray(nodes)) {
    nodes.forEach((node: unknown, index) => {
      if (isPool(node)) {
        checkPool(node, problems.at('nodes', index));
      } else if (!isMap(node) || typeof node.name !== 'string' || !isMap(node.labels)) {
        problems
          .at('nodes', index)
          .add(
            'EDGE_TYPE',
            'a node needs a name and labels',
            "write { name: 'edge-1', labels: { 'apps.openyurt.io/nodepool': 'beijing' } }, or a pool",
          );
      } else {
        checkTaints(node.taints, problems.at('nodes', index, 'taints'));
      }
    });
  } else {
    problems
      .at('nodes')
      .add(
        'EDGE_TYPE',
        `the nodes are ${what(nodes)}, not a list`,
        `write ${name}(manifests, [{ name: 'edge-1', labels: {} }])`,
      );
  }
  const { nodePoolLabel, hostNetworkLabel } =
    typeof labels === 'object' && labels !== null ? (labels as FleetLabels) : {};
  const isText = typeof labels === 'string' || labels === undefined;
  if (!isText && typeof nodePoolLabel !== 'string' && !isMap(hostNetworkLabel)) {
    problems
      .at('labels')
      .add(
        'EDGE_TYPE',
        `the labels are ${what(labels)}, neither a cluster nor text`,
        "write the EdgeCluster, or 'apps.openyurt.io/nodepool', or leave it out",
      );
  }
  problems.throwIfAny(name);
}

/** Refuses an empty list: a test that goes through the answer would find nothing wrong. */
export function requireManifests(name: string, manifests: readonly object[]): void {
  if (manifests.length === 0) {
    const problems = new ProblemList();
    const hint = `write ${name}(manifestsOf(app)); is the app empty, or was another file read?`;
    problems.at('manifests').add('EDGE_MISSING', 'there is no manifest', hint);
    problems.throwIfAny(name);
  }
}

/** The attributes of a pool of a Pulumi program are Outputs. */
function checkPool({ poolName, nodeLabels, taints }: NodePoolAttributes, problems: ProblemList): void {
  if (typeof poolName !== 'string' || !isMap(nodeLabels) || !Array.isArray(taints)) {
    problems.add(
      'EDGE_TYPE',
      'the attributes of this pool are Outputs',
      "write a node of it: { name: 'edge-1', labels: { 'apps.openyurt.io/nodepool': 'beijing', 'nodepool.openyurt.io/hostnetwork': 'true' } }",
    );
  }
}

function checkManifest(manifest: unknown, problems: ProblemList): void {
  // an empty YAML document is null
  if (manifest === undefined || manifest === null || isMap(manifest)) {
    return;
  }
  problems.add(
    'EDGE_NOT_AN_OBJECT',
    `a manifest is a plain Kubernetes object, and this is ${what(manifest)}`,
    typeof manifest === 'string'
      ? 'parse the YAML text first'
      : isConstruct(manifest)
        ? 'write manifestsOf(app)'
        : Array.isArray(manifest)
          ? 'write one list: manifests.flat()'
          : 'write { apiVersion, kind, metadata, spec }',
  );
}

function listOf(name: string, manifests: unknown): string {
  if (isConstruct(manifests)) {
    return `write ${name}(manifestsOf(${typeof manifests.toJson === 'function' ? 'chart' : 'app'}))`;
  }
  return isMap(manifests) ? `write ${name}([manifest])` : `write ${name}(manifestsOf(app)), or a list of plain objects`;
}

/** Whether this is a construct, without loading their library. */
function isConstruct(value: unknown): value is { readonly toJson?: unknown } {
  return typeof value === 'object' && value !== null && 'node' in value && !isMap(value);
}

/**
 * Whether an object counts: not one whose controller is among the objects, because the controller counts; none without replicas, no Pod that has ended,
 * and no static Pod of yurthub, which a footprint lists apart.
 *
 * @param isIdleLeft whether a workload without replicas counts
 */
export function leavesPods(objects: readonly PlainMap[], isIdleLeft = false): (object: PlainMap) => boolean {
  // a CronJob that is suspended says nothing of the Jobs that it has made
  const names = new Set(objects.filter((object) => !(object.kind === 'CronJob' && isSuspended(object))).map(nameOf));
  return (object) => {
    const { name } = mapAt(object, 'metadata');
    const isOwned = controllersOf(object).some((each) => names.has(each));
    const isOver = ['Succeeded', 'Failed'].includes(String(mapAt(object, 'status').phase));
    const isYurthub = object.kind === 'Pod' && /^yurt-?hub-/.test(String(name));
    const isIdle = !isIdleLeft && (mapAt(object, 'spec').replicas === 0 || isSuspended(object));
    return !(isOwned || isIdle || (object.kind === 'Pod' && isOver) || isYurthub);
  };
}

/** Merges objects of the same kind and name: maps field by field, everything else is replaced, as server-side apply does with atomic fields. */
export function mergedObjects(objects: readonly PlainMap[]): PlainMap[] {
  const byName = new Map<string, PlainMap>();
  for (const object of objects) {
    const key = nameOf(object);
    const earlier = byName.get(key);
    byName.set(key, earlier === undefined ? object : mergedObject(earlier, object));
  }
  return [...byName.values()];
}

function mergedObject(below: PlainMap, above: PlainMap): PlainMap {
  const fields = Object.entries(above).map(([field, value]) => {
    const under = below[field];
    return [field, isMap(value) && isMap(under) ? mergedObject(under, value) : value] as const;
  });
  return { ...below, ...Object.fromEntries(fields) };
}

/** The objects in a List, as `kubectl get --output=yaml` prints it, also in one within another, which kubectl reads alike. */
export function itemsOf(object: PlainMap): PlainMap[] {
  const { kind, items } = object;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items
        .filter(isMap)
        .flatMap((item) => itemsOf({ apiVersion: object.apiVersion, kind: kind.replace(/List$/, ''), ...item }))
    : [object];
}
