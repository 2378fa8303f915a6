import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, NODE_POOL_LABEL, TRUE } from '../kubernetes/labels.js';
import { podTemplatePaths } from '../kubernetes/pod-template.js';
import type { Taint } from '../kubernetes/taint.js';
import type { PlacementNode } from './node.js';
import { whyNotOn } from './pod-placement.js';

/**
 * One pool of a fleet, and what its nodes run.
 *
 * @category Test where things run
 */
export interface PoolPlacement {
  /** Name of the pool. */
  readonly pool: string;
  /** Whether it is a host-network pool. */
  readonly hostNetwork: boolean;
  /** Workloads that its nodes may run, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** Workloads that are kept off, and by what. */
  readonly keptOff: readonly KeptOff[];
}

/**
 * A workload that is kept off a pool.
 *
 * @category Test where things run
 */
export interface KeptOff {
  /** The workload, `Deployment default/web`. */
  readonly workload: string;
  /** What keeps it off, for example `excluded from host-network nodes`. */
  readonly reason: string;
}

/** A node as a member of the pool would look. */
function memberOf(pool: PlainMap, membershipLabel: string): PlacementNode {
  const name = String(mapAt(pool, 'metadata').name);
  const spec = mapAt(pool, 'spec');
  return {
    name: `${name}-node`,
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
export function poolMembers(objects: readonly PlainMap[], membershipLabel: string): PlacementNode[] {
  return objects
    .filter((object) => object.kind === 'NodePool' && String(object.apiVersion).startsWith('apps.openyurt.io/'))
    .map((pool) => memberOf(pool, membershipLabel));
}

/**
 * What each pool of a set of manifests runs and what it keeps off. Pools are the NodePool objects, workloads the objects with a Pod template
 * (partial objects for server-side apply included). Without OpenYurt there are no NodePool objects: pass the nodes to look at.
 *
 * @param manifests plain Kubernetes objects
 * @param nodes nodes to look at besides those of the NodePool objects, by the name of their pool
 * @param membershipLabel node label that holds the pool's name
 * @returns one entry per pool, in the order of the objects and then of the nodes
 * @category Test where things run
 */
export function placeFleet(
  manifests: readonly object[],
  nodes: readonly PlacementNode[] = [],
  membershipLabel: string = NODE_POOL_LABEL,
): PoolPlacement[] {
  const objects = manifests.filter(isMap);
  const members = poolMembers(objects, membershipLabel);
  const workloads = objects.flatMap((object) =>
    podTemplatePaths(object).map((path) => ({
      name: nameOf(object),
      isDaemon: object.kind === 'DaemonSet',
      podSpec: mapAt(valueAt(object, path) as PlainMap, 'spec'),
    })),
  );
  return [...members, ...nodes].map((node) => {
    const runs: string[] = [];
    const keptOff: KeptOff[] = [];
    for (const { name, isDaemon, podSpec } of workloads) {
      const reason = whyNotOn(podSpec, node, isDaemon);
      if (reason === undefined) {
        runs.push(name);
      } else {
        keptOff.push({ workload: name, reason });
      }
    }
    return {
      pool: node.labels[membershipLabel] ?? node.name,
      hostNetwork: node.labels[HOST_NETWORK_LABEL] === TRUE,
      runs,
      keptOff,
    };
  });
}
