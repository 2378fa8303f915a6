import type { IConstruct } from 'constructs';
import type { EdgeCluster } from '../manifests/edge-cluster.js';
import type { PortClaim } from '../placement/port-claims.js';

/** What the constructs of one cluster in one tree know of each other. */
export interface Fleet {
  /** Pools by name, and where they were declared. */
  readonly pools: Map<string, DeclaredPool>;
  /** Port claims by pool and port number. */
  readonly claims: Map<string, PortClaim[]>;
  /** Names of admission objects, by kind and name, and the construct that makes them. */
  readonly admission: Map<string, string>;
}

/** A pool that was declared in a tree. */
export interface DeclaredPool {
  readonly hostNetwork: boolean;
  /** What its nodes carry, as text to compare. */
  readonly carries: string;
  /** Path of the construct that makes the NodePool; undefined for a pool that was made elsewhere. */
  readonly madeBy?: string;
}

const fleets = new WeakMap<IConstruct, Map<string, Fleet>>();

/** The fleet of a cluster in the tree of a construct. Held by the tree, so it goes with it. */
export function fleetOf(construct: IConstruct, cluster: EdgeCluster): Fleet {
  const { root } = construct.node;
  const byCluster = fleets.get(root) ?? new Map<string, Fleet>();
  fleets.set(root, byCluster);
  const fleet = byCluster.get(cluster.identity()) ?? { pools: new Map(), claims: new Map(), admission: new Map() };
  byCluster.set(cluster.identity(), fleet);
  return fleet;
}

/** Tells which pools are host-network pools, as far as the tree has declared them when it is asked. */
export function hostNetworkPoolsOf(fleet: Fleet): (poolName: string) => boolean {
  return (poolName) => fleet.pools.get(poolName)?.hostNetwork === true;
}
