import { ProblemList } from '../errors.js';
import type { EdgeCluster } from './edge-cluster.js';

/** A kind of thing that a program declares for a cluster, by name: pools, ports, names of objects. Each room has its own. */
export class DeclarationKind<T> {
  /** Only the type: what is noted for each name. */
  declare public readonly noted: T;

  constructor(public readonly name: string) {}
}

/** What a program has declared so far, by cluster. */
export class Declarations {
  private readonly byCluster = new Map<string, Map<string, Map<string, unknown>>>();

  /** What was declared for one cluster, to read and to write. */
  public of<T>(cluster: EdgeCluster, kind: DeclarationKind<T>): Map<string, T> {
    return this.ofIdentity(cluster.identity(), kind);
  }

  /** What was declared for all other clusters. */
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

/** Where something is declared: all that differs between a construct and a component when a plan is made. */
export interface Scope {
  /** How errors name the declaration: a construct path, or the name of a component. */
  readonly path: string;
  /** The declaration itself, so that it is told apart from others of the same path. */
  readonly owner: object;
  /** What the program has declared so far. */
  readonly declared: Declarations;
  /** Namespace of objects that name none.
   * @default - the one of the noun */
  readonly namespace?: string;
  /** Paths of properties whose values are not there yet.
   * @default - none */
  readonly unknown?: readonly string[];
  /** Whether the end comes once, so that what is declared after it is too late.
   * @default false */
  readonly endsOnce?: boolean;
  /** A value that is known when the whole program is declared. */
  readonly atEnd: (produce: () => unknown) => unknown;
}

/** A list for the problems of a declaration. What is said of values that are not there yet is left out. */
export function problemsOf({ unknown }: Scope): ProblemList {
  return new ProblemList('', [], unknown);
}
