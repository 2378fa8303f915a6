import type { EdgeCluster } from '../manifests/edge-cluster.js';
import type { PortClaim } from '../placement/port-claims.js';

/** What the declarations of one cluster in one program know of each other. */
export interface Fleet {
  /** Pools by name, and where they were declared. */
  readonly pools: Map<string, DeclaredPool>;
  /** Port claims by pool and port number. */
  readonly claims: Map<string, PortClaim[]>;
  /** Names of admission objects, by kind and name, and the declaration that makes them. */
  readonly admission: Map<string, string>;
  /** Published joins, by kind, namespace and name of the object, and the declaration that publishes them. */
  readonly joins: Map<string, string>;
}

/** A pool that was declared. */
export interface DeclaredPool {
  readonly hostNetwork: boolean;
  /** What its nodes carry, as text to compare. */
  readonly carries: string;
  /** Path of the declaration that makes the NodePool; undefined for a pool that was made elsewhere. */
  readonly madeBy?: string;
}

/** All fleets of one program, by cluster. */
export class Fleets {
  private readonly byCluster = new Map<string, Fleet>();

  /** The same fleets for a trial: what is declared in the copy is not declared here. */
  public copy(): Fleets {
    const copy = new Fleets();
    this.byCluster.forEach(({ pools, claims, admission, joins }, identity) =>
      copy.byCluster.set(identity, {
        pools: new Map(pools),
        claims: new Map(claims),
        admission: new Map(admission),
        joins: new Map(joins),
      }),
    );
    return copy;
  }

  /** The fleet of a cluster; an empty one when nothing was declared yet. */
  public of(cluster: EdgeCluster): Fleet {
    const fleet = this.byCluster.get(cluster.identity()) ?? {
      pools: new Map(),
      claims: new Map(),
      admission: new Map(),
      joins: new Map(),
    };
    this.byCluster.set(cluster.identity(), fleet);
    return fleet;
  }

  /** The fleets of all other clusters. */
  public besides(cluster: EdgeCluster): Fleet[] {
    return [...this.byCluster].filter(([identity]) => identity !== cluster.identity()).map(([, fleet]) => fleet);
  }
}

/** Who declares something, and beside what: the one thing that differs between a construct and a component when a plan is made. */
export interface Declaration {
  /** How errors name the declaration: a construct path, or the name of a component. */
  readonly path: string;
  /** What the program has declared so far. */
  readonly fleets: Fleets;
}

/** Tells which pools are host-network pools, as far as they are declared when it is asked. */
export function hostNetworkPoolsOf(fleet: Fleet): (poolName: string) => boolean {
  return (poolName) => fleet.pools.get(poolName)?.hostNetwork === true;
}

/** The names of all declared host-network pools. */
export function hostNetworkPoolNames(fleet: Fleet): string[] {
  return [...fleet.pools].filter(([, { hostNetwork }]) => hostNetwork).map(([name]) => name);
}
