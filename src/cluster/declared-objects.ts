import { EdgeError, type EdgeWarning } from '../base/errors.js';
import { identityOf, nameOf } from '../kubernetes/object.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import type { EdgeCluster } from './edge-cluster.js';
import type { Plan, PlannedObject } from './plan.js';
import { DeclarationKind, type Declarations, type Scope } from './scope.js';

/** The declaration that creates an object, and where. */
export interface DeclaredObject {
  readonly path: string;
  readonly owner: object;
  readonly object: PlainMap;
  /** Identity of what is applied together with it. */
  readonly place?: object | undefined;
  /** Namespace of an object that has none. */
  readonly namespace?: string | undefined;
}

/** The objects that a program creates, by group, kind, namespace and name. */
const OBJECTS = new DeclarationKind<DeclaredObject>('objects');

/** The same, of those that are not from this library and are known to it. */
const PLAIN_OBJECTS = new DeclarationKind<DeclaredObject>('plain objects');

/** The clusters of a chart, with the first declaration for each. */
const CLUSTERS = new DeclarationKind<{ readonly path: string; readonly cluster: EdgeCluster }>('clusters');

/**
 * The plan, with the objects that it creates recorded, and a warning for each that another declaration for the same cluster creates too: the one that is
 * applied last would replace the other. Where both are surely applied together, it is an error.
 *
 * @throws {@link EdgeError} with EDGE_DUPLICATE
 */
export function withDeclaredObjects<Attributes>(plan: Plan<Attributes>, scope: Scope): Plan<Attributes> {
  const { cluster } = plan;
  const { path, owner, place, namespace } = scope;
  if (cluster === undefined && place === undefined) {
    return plan;
  }
  const warnings = plan.objects
    .filter(isCreatedOnce)
    .flatMap(({ object }) => declareObject({ path, owner, object, place, namespace }, cluster, scope, plan.subject));
  warnings.push(...otherClusters(cluster, path, scope));
  return warnings.length === 0 ? plan : { ...plan, warnings: [...plan.warnings, ...warnings] };
}

/** Warns of a chart with objects for two clusters, of which kubectl would apply all to one; once for each further cluster. */
function otherClusters(cluster: EdgeCluster | undefined, path: string, { declared, place }: Scope): EdgeWarning[] {
  if (cluster === undefined || place === undefined) {
    return [];
  }
  const clusters = declared.at(place, CLUSTERS);
  const [first] = clusters.values();
  if (clusters.has(cluster.identity())) {
    return [];
  }
  clusters.set(cluster.identity(), { path, cluster });
  return first === undefined
    ? []
    : [
        {
          code: 'EDGE_WRONG_CLUSTER',
          path: 'cluster',
          message: `the chart has objects for ${titleOf(first.cluster)} (${first.path}), and this is for ${titleOf(cluster)}: a chart is applied to one cluster`,
          hint: 'give both the same EdgeCluster, or give each cluster a chart of its own',
        },
      ];
}

/** The clusters for which the declarations of a chart are. */
export function clustersAt(place: object, { declared }: Pick<Scope, 'declared'>): readonly EdgeCluster[] {
  return [...declared.at(place, CLUSTERS).values()].map(({ cluster }) => cluster);
}

/** The name of a cluster in messages. */
export function titleOf(cluster: EdgeCluster): string {
  return cluster.name === undefined ? String(cluster) : `the cluster ${cluster.name}`;
}

/** Records an object that a declaration creates. Warns if another declaration creates it too. */
function declareObject(
  declaration: DeclaredObject,
  cluster: EdgeCluster | undefined,
  { declared, place = {} }: Scope,
  subject: string,
): EdgeWarning[] {
  // what names no cluster is for that of its chart, and two charts may be for two clusters
  const objects = cluster === undefined ? declared.at(place, OBJECTS) : declared.of(cluster, OBJECTS);
  const identity = identityOf(declaration.object, declaration.namespace);
  if (identity === undefined) {
    return [];
  }
  const earlier = objects.get(identity);
  const plain = cluster && declared.of(cluster, PLAIN_OBJECTS).get(identity);
  if (earlier === undefined) {
    objects.set(identity, declaration);
  } else if (earlier.owner !== declaration.owner && areTogether(earlier, declaration)) {
    throw new EdgeError(subject, [duplicateObject(earlier, declaration.object)]);
  }
  return [earlier, plain]
    .filter((other) => other !== undefined && other.owner !== declaration.owner)
    .map((other) => duplicateObject(other as DeclaredObject, declaration.object));
}

/** Records an object that the program creates without this library. Warns if a declaration of this library creates it too. */
export function declarePlainObject(
  declaration: DeclaredObject,
  cluster: EdgeCluster,
  declared: Declarations,
): EdgeWarning[] {
  const identity = identityOf(declaration.object);
  if (identity === undefined) {
    return [];
  }
  declared.of(cluster, PLAIN_OBJECTS).set(identity, declaration);
  const own = declared.of(cluster, OBJECTS).get(identity);
  return own === undefined ? [] : [duplicateObject(own, declaration.object)];
}

/** The warning about an object that an earlier declaration also creates. */
export function duplicateObject({ path }: Pick<DeclaredObject, 'path'>, object: PlainMap): EdgeWarning {
  return {
    code: 'EDGE_DUPLICATE',
    path: '',
    message: `${path} already creates ${nameOf(object)}: the one that is applied last replaces the other`,
    hint: 'give one of them another name or namespace (or each cluster a name, if these are two clusters)',
  };
}

/** Whether two objects of one identity are surely applied together. Where only one has a namespace, the client decides whether the other has the same. */
export function areTogether(one: DeclaredObject, other: DeclaredObject): boolean {
  const [a, b] = [one, other].map(({ object, namespace }) => mapAt(object, 'metadata').namespace ?? namespace);
  return one.place !== undefined && one.place === other.place && a === b;
}

/** Whether an object is created as a whole, and by one declaration: two whose names contain a hash of their content are the same. */
export function isCreatedOnce({ apply, object }: Pick<PlannedObject, 'apply' | 'object'>): boolean {
  return apply === 'create' && object.immutable !== true;
}
