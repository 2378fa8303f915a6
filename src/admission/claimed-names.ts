import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';

/** Which property determines a name, and what to do if the name is taken. */
export interface NameSource {
  /** Path of the property. */
  readonly path: readonly string[];
  /** What to do if another declaration has the same object. */
  readonly hint: string;
}

/** Which declaration creates each admission object of a cluster, by kind and name. */
const ADMISSION_OBJECTS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('admission objects');

/** Records the names of admission objects. A name that another declaration for the same cluster has is a problem. */
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
      problems.at(...source).add('EDGE_DUPLICATE', `${earlier.path} already creates the ${name}`, hint);
      return;
    }
  }
  names.forEach((name) => made.set(name, { path, owner }));
}

/** Kind and name of a cluster-scoped object; empty while the name is unknown or is made from the construct path. */
function admissionName({ object: { kind, metadata } }: PlannedObject): string[] {
  const name: unknown = metadata?.name;
  return typeof name === 'string' ? [`${kind} ${name}`] : [];
}
