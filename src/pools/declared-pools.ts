import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { OWN_LABELS, POOL_TYPE_LABEL } from '../kubernetes/labels.js';
import { hostNetworkTaint, type Taint } from '../kubernetes/taint.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import type { NodePoolInput } from './node-pool-props.js';

/** A pool that a program has declared. */
interface DeclaredPool {
  /** Its name, which may be unknown. */
  readonly poolName: string;
  readonly hostNetwork: boolean;
  readonly taints: readonly Taint[];
  /** Labels of the NodePool, as far as they are known. */
  readonly labels: Readonly<Record<string, unknown>>;
  /** The declaration that has named it first. */
  readonly namedBy: object;
  /** The declaration that creates the NodePool; undefined for a pool that is created elsewhere. */
  readonly madeBy?: { readonly path: string; readonly owner: object };
}

/** The pools of a cluster, by name. */
const POOLS = new DeclarationKind<DeclaredPool>('pools');
/** The name under which a declaration has recorded its pool, so that a fleet is not searched for it. */
const NAMED = new WeakMap<object, string>();

/** Declarations that have already written the list of a cluster's pools: a pool that is declared afterwards is not in it. */
export const WRITTEN_LISTS = new DeclarationKind<string>('written lists of pools');

/** What other declarations need to know of a pool. */
interface Pool extends Pick<DeclaredPool, 'poolName' | 'hostNetwork' | 'taints'> {
  readonly cluster: EdgeCluster;
  readonly type: string;
}

/**
 * Records a pool, for the lists of pools and the exclusion of workloads.
 *
 * @param made metadata of the NodePool; undefined for a pool that is created elsewhere
 */
export function declarePool(
  { cluster, poolName, hostNetwork, type, taints }: Pool,
  made: Pick<NodePoolInput, 'metadata'> | undefined,
  scope: Scope,
  problems: ProblemList,
): void {
  const pools = scope.declared.of(cluster, POOLS);
  const key = String(poolName);
  const earlier = pools.get(key);
  const at = problems.at('poolName');
  if (earlier?.madeBy !== undefined && made !== undefined && earlier.madeBy.owner !== scope.owner) {
    at.add(
      'EDGE_DUPLICATE',
      `the pool ${poolName} is already created by ${earlier.madeBy.path}`,
      'give each pool a unique name (or each cluster a name, if these are two clusters)',
    );
  } else if (earlier !== undefined && (earlier.hostNetwork !== hostNetwork || differ(earlier.taints, taints))) {
    at.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the pool ${poolName} is declared twice, with different taints or modes`,
      'use the HostNetworkNodePool or RegularNodePool that creates the pool, or give fromPoolName the same taints',
    );
  }
  // in the second run, what the first one has declared under a name that was unknown
  const former = NAMED.get(scope.owner) ?? key;
  const before = former === key || pools.get(former)?.namedBy !== scope.owner ? undefined : pools.get(former);
  const writtenBy = scope.declared.of(cluster, WRITTEN_LISTS).values().next().value;
  if (hostNetwork && writtenBy !== undefined && earlier === undefined && before === undefined) {
    at.add(
      'EDGE_CONTRADICTION',
      `the pool list of ${writtenBy} was already written when the program first awaited something`,
      `declare the pool before the program awaits anything, or add it to otherPools of ${writtenBy}`,
      'for any value',
    );
  }
  if (problems.problems.length === 0 && (earlier === undefined || made !== undefined)) {
    // those that the NodePool is created with, and the one that OpenYurt's webhook sets (1.5+)
    const labels = made?.metadata?.labels;
    // a list of pools still gets the unknown name, because the true one may be a secret
    const name = before?.poolName ?? poolName;
    pools.set(key, {
      poolName: (scope.accepted?.(name) ?? name) as string,
      hostNetwork,
      taints,
      labels: {
        ...(made === undefined ? {} : { ...(isUnknown(labels) ? {} : labels), ...OWN_LABELS }),
        ...(cluster.hasPodWebhook() ? { [POOL_TYPE_LABEL]: compute(type, (known) => known.toLowerCase()) } : {}),
      },
      namedBy: scope.owner,
      ...(made === undefined ? {} : { madeBy: { path: scope.path, owner: scope.owner } }),
    });
    NAMED.set(scope.owner, key);
  }
  if (before !== undefined) {
    pools.delete(former);
  }
}

/** Whether two lists of taints differ, as far as they are known. */
function differ(one: readonly Taint[], other: readonly Taint[]): boolean {
  return !holdsUnknown([one, other]) && JSON.stringify(one) !== JSON.stringify(other);
}

/** What a program knows of its NodePools. */
export interface SelectedPools {
  /** Names of the declared pools whose NodePools a selector selects. */
  readonly selectedBy: (selector: unknown) => readonly string[];
  /** Whether the program creates the NodePool, so that its labels are known. */
  readonly isMade: (poolName: string) => boolean;
}

/** What a declaration asks of the host-network pools of a program. */
export interface HostNetworkPools {
  readonly isHostNetworkPool: (poolName: string) => boolean;
  readonly selectedBy: (selector: unknown) => readonly string[];
}

/** Questions about the declared host-network pools of a cluster, answered by the pools that are declared when they are asked. */
export function declaredHostNetworkPools({ declared }: Scope, cluster: EdgeCluster): HostNetworkPools {
  const pools = (): Map<string, DeclaredPool> => declared.of(cluster, POOLS);
  return {
    isHostNetworkPool: (poolName) => pools().get(poolName)?.hostNetwork === true,
    selectedBy: (selector) =>
      [...pools().values()]
        .filter(({ hostNetwork, labels }) => hostNetwork && selectsLabels(selector, labels))
        .flatMap(({ poolName }) => (isUnknown(poolName) ? [] : [poolName])),
  };
}

/** What a program knows of the NodePools of a cluster, of both modes. */
export function declaredNodePools({ declared }: Scope, cluster: EdgeCluster): SelectedPools {
  const pools = declared.of(cluster, POOLS);
  return {
    selectedBy: (selector) =>
      [...pools.values()]
        .filter(({ labels }) => !isUnknown(selector) && selectsLabels(selector, labels))
        .flatMap(({ poolName }) => (isUnknown(poolName) ? [] : [poolName])),
    isMade: (poolName) => {
      const { madeBy, labels } = pools.get(poolName) ?? {};
      return madeBy !== undefined && !holdsUnknown(labels);
    },
  };
}

/** The pools that a program has declared for a cluster. */
export function declaredPools(
  { declared }: Scope,
  cluster: EdgeCluster,
): {
  readonly hostNetwork: string[];
  readonly all: number;
  readonly elsewhere: string[];
  /** Whether a pool has the host-network taint, or may have it: one of elsewhere, and one whose taints are unknown. */
  readonly tainted: boolean;
} {
  const namesIn = (pools: Map<string, DeclaredPool>): string[] =>
    [...pools.values()].filter(({ hostNetwork }) => hostNetwork).map(({ poolName }) => poolName);
  const pools = declared.of(cluster, POOLS);
  const taint = hostNetworkTaint(cluster.hostNetworkLabel);
  return {
    hostNetwork: namesIn(pools),
    all: pools.size,
    elsewhere: declared.besides(cluster, POOLS).flatMap(namesIn),
    tainted: [...pools.values()].some(
      ({ taints, madeBy }) =>
        madeBy === undefined ||
        holdsUnknown(taints) ||
        taints.some(({ key, effect }) => key === taint.key && effect === taint.effect),
    ),
  };
}

/** Whether a pool is declared as a regular one. */
export function isRegularPool({ declared }: Scope, cluster: EdgeCluster, poolName: string): boolean {
  return declared.of(cluster, POOLS).get(poolName)?.hostNetwork === false;
}
