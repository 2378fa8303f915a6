import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, NODE_POOL_LABEL, TRUE } from '../kubernetes/labels.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import type { Taint } from '../kubernetes/taint.js';
import { checkPlacementInput } from './manifests.js';
import type { PlacementNode } from './node.js';
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
  /** Why it cannot run there, for example `excluded from host-network nodes`, or the taint. */
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
      'kubernetes.io/os': 'linux',
      'kubernetes.io/hostname': `${name}-node`,
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

/**
 * Computes which workloads can run on each pool of a set of manifests. Pools are the NodePool objects, workloads the objects with a Pod template
 * (partial objects for server-side apply included) or another known place of the Pods' node affinity. A workload with several runs on a pool if some of
 * its Pods can. Without OpenYurt there are no NodePool objects: pass `nodes`.
 *
 * @param manifests plain Kubernetes objects
 * @param nodes further nodes, besides those of the NodePool objects
 * @param membershipLabel node label with the pool's name
 * @throws {@link EdgeError} with EDGE_TYPE or EDGE_NOT_AN_OBJECT for other things than plain objects
 * @returns one entry per pool, in the order of the objects and then of the nodes
 * @category Test where things run
 */
export function placeFleet(
  manifests: readonly object[],
  nodes: readonly PlacementNode[] = [],
  membershipLabel: string = NODE_POOL_LABEL,
): PoolPlacement[] {
  checkPlacementInput('placeFleet', manifests, nodes, membershipLabel);
  const objects = manifests.filter(isMap);
  const members = poolMembers(objects, membershipLabel);
  const workloads = objects
    .map((object) => ({
      name: nameOf(object),
      isDaemon: object.kind === 'DaemonSet',
      podSpecs: podPlaces(object).map((place) => podSpecAt(object, place)),
    }))
    .filter(({ podSpecs }) => podSpecs.length > 0);
  return [...members, ...nodes].map((node) => {
    const runs: string[] = [];
    const excluded: ExcludedPlacement[] = [];
    for (const { name, isDaemon, podSpecs } of workloads) {
      const reasons = podSpecs.map((podSpec) => whyNotOn(podSpec, node, isDaemon));
      const [reason] = reasons;
      if (reason === undefined || reasons.includes(undefined)) {
        runs.push(name);
      } else {
        excluded.push({ workload: name, reason });
      }
    }
    return {
      pool: node.labels[membershipLabel] ?? node.name,
      hostNetwork: node.labels[HOST_NETWORK_LABEL] === TRUE,
      runs,
      excluded,
    };
  });
}
