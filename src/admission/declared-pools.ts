import type { EdgeWarning, ProblemList } from '../errors.js';
import type { Scope } from '../cluster/scope.js';
import { declaredPools, isRegularPool, WRITTEN_LISTS } from '../pools/node-pool.js';
import { compute, isUnknown } from '../validation/unknown.js';
import { listedPoolsData } from './guarantees/node-label.js';
import { type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';

/** The `data` of the ConfigMap of `pools: 'listed'`, when the whole program is declared: the declared pools and `otherPools`. */
export function listedData(props: PoolAdmissionProps, scope: Scope): unknown {
  const { cluster } = props;
  return scope.atEnd(() => {
    if (scope.endsOnce === true) {
      scope.declared.of(cluster, WRITTEN_LISTS).set(scope.path, scope.path);
    }
    const names = { declared: declaredPools(scope, cluster).hostNetwork, others: props.otherPools };
    return compute(names, ({ declared, others = [] }) => listedPoolsData([...declared, ...others]));
  });
}

/** Whether the list of pools is empty, with the pools that are declared so far. */
export function isListEmpty({ cluster, otherPools }: PoolAdmissionProps, scope: Scope): boolean {
  const isDeclared = declaredPools(scope, cluster).hostNetwork.length > 0;
  return !isDeclared && compute(otherPools, (others = []) => others.length === 0, isUnknown(otherPools) && otherPools);
}

/** Checks `pools` and `otherPools` against the pools that are declared so far. */
export function checkDeclaredPools(props: PoolAdmissionProps, scope: Scope, problems: ProblemList): EdgeWarning[] {
  const { cluster, otherPools } = props;
  const others = Array.isArray(otherPools) ? otherPools : [];
  others.forEach((name, index) => {
    if (isRegularPool(scope, cluster, name)) {
      problems
        .at('otherPools', index)
        .add(
          'EDGE_CONTRADICTION',
          `${name} is declared in this app as a regular pool, and its nodes would get the label`,
          'remove it from otherPools, or declare a HostNetworkNodePool',
        );
    }
  });
  if (isUnknown(otherPools)) {
    return [];
  }
  const { hostNetwork, all, elsewhere } = declaredPools(scope, cluster);
  return checkPoolCount(poolsOf(props), [...hostNetwork, ...others], all, problems, elsewhere);
}

/** With up to so many pools, `live` adds only a few milliseconds to a write of a Node (measured: 1 ms at 10 pools, 8 ms at 100, 86 ms at 1,000). */
const LIVE_POOLS = 50;

// core validation: MaxSecretSize, for a ConfigMap's data too
const CONFIG_MAP_LIMIT = 1024 * 1024;

/**
 * Checks `pools` against the number of pools.
 *
 * @param elsewhere host-network pools of the same program that are declared for another cluster
 */
export function checkPoolCount(
  pools: 'live' | 'listed',
  hostNetworkPools: readonly string[],
  allPools: number,
  problems: ProblemList,
  elsewhere: readonly string[] = [],
): EdgeWarning[] {
  const known = hostNetworkPools.filter((name) => !isUnknown(name));
  const size = Object.entries(listedPoolsData(known)).flat().join('').length;
  if (pools === 'listed' && size > CONFIG_MAP_LIMIT) {
    problems
      .at('pools')
      .add('EDGE_VALUE', `${hostNetworkPools.length} pools do not fit into one ConfigMap`, "write pools: 'live'");
  }
  if (pools === 'live' && allPools > LIVE_POOLS) {
    return [
      {
        code: 'EDGE_POLICY_COST',
        path: 'pools',
        message: `every write of a Node reads each of the ${allPools} NodePools`,
        hint: "write pools: 'listed'",
      },
    ];
  }
  if (pools === 'live' || hostNetworkPools.length > 0) {
    return [];
  }
  const message = 'the list of host-network pools is empty, so no node gets the label';
  const others =
    elsewhere
      .filter((name) => !isUnknown(name))
      .sort()
      .slice(0, 3)
      .join(', ') + (elsewhere.length > 3 ? ' …' : '');
  return [
    {
      code: 'EDGE_NOT_GUARANTEED',
      path: 'pools',
      ...(elsewhere.length > 0
        ? {
            message: `${message}; pools of this app that are declared with another EdgeCluster are not in it: ${others}`,
            hint: 'use one EdgeCluster for the pools and PoolAdmission, or give both the same name',
          }
        : {
            message,
            hint: "declare HostNetworkNodePools in this app, or name pools that are created elsewhere: otherPools: ['beijing']",
          }),
    },
  ];
}
