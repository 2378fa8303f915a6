import { ProblemList } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import type { EdgeCluster } from './edge-cluster.js';

/** A kind of declaration in a program, by cluster and name: pools, ports, names of objects. */
export class DeclarationKind<T> {
  /** Only a type: what is recorded for each name. */
  declare public readonly noted: T;

  constructor(public readonly name: string) {}
}

/** Everything that a program has declared so far, by cluster. */
export class Declarations {
  private readonly byCluster = new Map<string, Map<string, Map<string, unknown>>>();
  private readonly byPlace = new WeakMap<object, Map<string, Map<string, unknown>>>();

  /** Declarations for one cluster, for reading and adding. */
  public of<T>(cluster: EdgeCluster, kind: DeclarationKind<T>): Map<string, T> {
    return this.ofIdentity(cluster.identity(), kind);
  }

  /** Declarations that name no cluster, of one place (see `Scope.place`). */
  public at<T>(place: object, kind: DeclarationKind<T>): Map<string, T> {
    const key = this.byPlace.get(place) ?? new Map<string, Map<string, unknown>>();
    this.byPlace.set(place, key);
    const declared = key.get(kind.name) ?? new Map<string, unknown>();
    key.set(kind.name, declared);
    return declared as Map<string, T>;
  }

  /** Declarations for all other clusters. */
  public besides<T>(cluster: EdgeCluster, kind: DeclarationKind<T>): Map<string, T>[] {
    return [...this.byCluster.keys()]
      .filter((identity) => identity !== cluster.identity())
      .map((identity) => this.ofIdentity(identity, kind));
  }

  private ofIdentity<T>(identity: string, { name }: DeclarationKind<T>): Map<string, T> {
    const kinds = this.byCluster.get(identity) ?? new Map<string, Map<string, unknown>>();
    this.byCluster.set(identity, kinds);
    const declared = kinds.get(name) ?? new Map<string, unknown>();
    kinds.set(name, declared);
    return declared as Map<string, T>;
  }
}

/** Where something is declared. This is all that differs between a construct and a component when a plan is made. */
export interface Scope {
  /** Name of the declaration in errors: a construct path, or the name of a component. */
  readonly path: string;
  /** Identity of the declaration: two declarations may have the same path. */
  readonly owner: object;
  /** What the program has declared so far. */
  readonly declared: Declarations;
  /** Namespace of objects that have none.
   * @default - depends on the object */
  readonly namespace?: string;
  /** Identity of what is applied together with the declaration, a chart.
   * @default - not known */
  readonly place?: object;
  /** Paths of properties whose values are unknown.
   * @default - none */
  readonly unknown?: readonly string[];
  /** Whether `atEnd` runs once, so that what is declared afterwards is not seen.
   * @default false */
  readonly endsOnce?: boolean;
  /** An unknown value for other declarations: known only if this declaration is not refused.
   * @default - the value */
  readonly accepted?: (value: unknown) => unknown;
  /** The objects of a kind that the program has besides those of this library, when it is called.
   * @default - not known */
  readonly plainObjects?: (kind: string) => readonly PlainMap[];
  /** A value that is produced when the whole program is declared. */
  readonly atEnd: (produce: () => unknown) => unknown;
}

/** A list for the problems of a declaration, without those about unknown values. */
export function problemsOf({ unknown }: Scope): ProblemList {
  return new ProblemList('', [], unknown);
}
