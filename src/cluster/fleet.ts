import type { EdgeCluster } from './edge-cluster.js';
import type { PortClaim } from '../workloads/port-claims.js';
import { type Clock, Registry } from './registry.js';

/** What the declarations of one cluster in one program know of each other. */
export interface Fleet {
  /** Pools by name, and where they were declared. */
  readonly pools: Registry<DeclaredPool>;
  /** Port claims by pool and port number. */
  readonly claims: Registry<readonly PortClaim[]>;
  /** Names of admission objects, by kind and name, and the declaration that makes them. */
  readonly admission: Registry<string>;
  /** Published joins, by kind, namespace and name of the object, and the declaration that publishes them. */
  readonly joins: Registry<string>;
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
  private readonly clock: Clock;
  private readonly until: number;

  /** @param past the fleets before, of a copy */
  constructor(private readonly past?: Fleets) {
    this.clock = past?.clock ?? { now: 0 };
    this.until = this.clock.now;
  }

  /** The same fleets for a trial, as they are now: what is declared in the copy is not declared here, nor the other way round. */
  public copy(): Fleets {
    return new Fleets(this);
  }

  /** The fleet of a cluster; an empty one when nothing was declared yet. */
  public of(cluster: EdgeCluster): Fleet {
    return this.ofIdentity(cluster.identity());
  }

  /** The fleets of all other clusters. */
  public besides(cluster: EdgeCluster): Fleet[] {
    return this.identities()
      .filter((identity) => identity !== cluster.identity())
      .map((identity) => this.ofIdentity(identity));
  }

  private ofIdentity(identity: string): Fleet {
    const fleet = this.byCluster.get(identity) ?? this.fleetAfter(this.past?.ofIdentity(identity));
    this.byCluster.set(identity, fleet);
    return fleet;
  }

  private fleetAfter(before: Fleet | undefined): Fleet {
    const after = <V>(registry: Registry<V> | undefined): Registry<V> =>
      new Registry(this.clock, registry === undefined ? undefined : { registry, until: this.until });
    return {
      pools: after(before?.pools),
      claims: after(before?.claims),
      admission: after(before?.admission),
      joins: after(before?.joins),
    };
  }

  private identities(): string[] {
    return [...new Set([...(this.past?.identities() ?? []), ...this.byCluster.keys()])];
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
  return fleet.pools
    .entries()
    .filter(([, { hostNetwork }]) => hostNetwork)
    .map(([name]) => name);
}
