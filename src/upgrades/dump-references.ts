import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../errors.js';
import { CONFIGURATIONS, SERVICE } from '../admission/openyurt-webhooks/configurations.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { nodeFacts } from '../preconditions/node-pool-facts.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';

/** The first names of a list, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** Something that is named, and is not in the dump. */
interface Dangling {
  /** What is named: `NodePool beijing`. */
  readonly named: string;
  /** The object that names it. */
  readonly by: string;
}

/**
 * Refuses a dump in which objects name others of a kind that was read, and these are not there: it is not complete, and a plan would miss steps.
 */
export function checkReferences(cluster: EdgeCluster, objects: readonly PlainMap[], problems: ProblemList): void {
  const dangling = [
    ...danglingPools(cluster, objects),
    ...danglingNodes(objects),
    ...danglingRoles(objects),
    ...danglingServices(objects),
  ];
  const byName = new Map<string, string[]>();
  for (const { named, by } of dangling) {
    byName.set(named, [...(byName.get(named) ?? []), by]);
  }
  for (const [named, by] of byName) {
    problems.add(
      'EDGE_MISSING',
      `it does not contain the ${named}, which is named by ${someOf([...new Set(by)])}`,
      `read ${named.split(' ')[0]}s again, all of them; if the cluster has no such object either, create it or remove what names it`,
    );
  }
}

const namesOfKind = (objects: readonly PlainMap[], kind: string): Set<unknown> =>
  new Set(objects.filter((object) => object.kind === kind).map((object) => mapAt(object, 'metadata').name));

/** NodePools that nodes, YurtAppSets and node selectors of workloads name. */
function danglingPools(cluster: EdgeCluster, objects: readonly PlainMap[]): Dangling[] {
  const pools = namesOfKind(objects, 'NodePool');
  // none at all is told as a kind that was not read
  if (!cluster.hasOpenYurt() || pools.size === 0) {
    return [];
  }
  const named: (readonly [pool: unknown, by: string])[] = [
    ...nodeFacts(objects, cluster.nodePoolLabel).map(({ name, pool }) => [pool, `Node ${name}`] as const),
    ...objects.flatMap((object) =>
      podPlaces(object).map(({ path }) => {
        const selector = valueAt(object, [...path, 'spec', 'nodeSelector']);
        return [isMap(selector) ? selector[cluster.nodePoolLabel] : undefined, nameOf(object)] as const;
      }),
    ),
    ...objects
      .filter(({ kind }) => kind === 'YurtAppSet')
      .flatMap((object) => {
        const listed = mapAt(object, 'spec').pools;
        return (Array.isArray(listed) ? listed : []).map((pool) => [pool, nameOf(object)] as const);
      }),
  ];
  return named
    .filter(([pool]) => typeof pool === 'string' && !pools.has(pool))
    .map(([pool, by]) => ({ named: `NodePool ${String(pool)}`, by }));
}

/** Nodes that running Pods are bound to. */
function danglingNodes(objects: readonly PlainMap[]): Dangling[] {
  const nodes = namesOfKind(objects, 'Node');
  return objects.flatMap((object) => {
    const node = object.kind === 'Pod' && nodes.size > 0 ? mapAt(object, 'spec').nodeName : undefined;
    return typeof node === 'string' && node !== '' && !nodes.has(node)
      ? [{ named: `Node ${node}`, by: nameOf(object) }]
      : [];
  });
}

/** Roles that the bindings of OpenYurt name. */
function danglingRoles(objects: readonly PlainMap[]): Dangling[] {
  const roles = namesOfKind(objects, 'ClusterRole');
  return objects.flatMap((object) => {
    const { kind, name } = mapAt(object, 'roleRef');
    const isOfOpenYurt = object.kind === 'ClusterRoleBinding' && /^yurt-/.test(String(name));
    return isOfOpenYurt && kind === 'ClusterRole' && roles.size > 0 && !roles.has(name)
      ? [{ named: `ClusterRole ${String(name)}`, by: nameOf(object) }]
      : [];
  });
}

/** The Service of yurt-manager that its webhooks name. */
function danglingServices(objects: readonly PlainMap[]): Dangling[] {
  const configurations = objects.filter((object) =>
    Object.values(CONFIGURATIONS).some(({ name }) => mapAt(object, 'metadata').name === name),
  );
  const services = namesOfKind(objects, 'Service');
  return services.size === 0 || services.has(SERVICE)
    ? []
    : configurations.map((object) => ({ named: `Service ${SERVICE}`, by: nameOf(object) }));
}
