import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';

/** Where a name comes from, and what to do when it is taken. */
export interface NameSource {
  /** Path of the property that gives the name. */
  readonly path: readonly string[];
  /** What to do when another declaration makes the same object. */
  readonly hint: string;
}

/** Who makes the admission objects of a cluster, by kind and name. */
const ADMISSION_OBJECTS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('admission objects');

/** Notes the names of admission objects, and refuses one that another declaration makes for the same cluster. */
export function claimAdmissionNames(
  { path, owner, declared }: Scope,
  cluster: EdgeCluster,
  objects: readonly PlannedObject[],
  { path: source, hint }: NameSource,
  problems: ProblemList,
): void {
  if (problems.problems.length > 0) {
    return;
  }
  const made = declared.of(cluster, ADMISSION_OBJECTS);
  const names = objects.flatMap(admissionName);
  for (const name of names) {
    const earlier = made.get(name);
    if (earlier !== undefined && earlier.owner !== owner) {
      problems.at(...source).add('EDGE_DUPLICATE', `${earlier.path} already makes the ${name}`, hint);
      return;
    }
  }
  names.forEach((name) => made.set(name, { path, owner }));
}

/** Kind and name of an object of which a cluster has one; none while the name is unknown, or made from the place in the tree. */
function admissionName({ object: { kind, metadata } }: PlannedObject): string[] {
  const name: unknown = metadata?.name;
  return typeof name === 'string' ? [`${kind} ${name}`] : [];
}
