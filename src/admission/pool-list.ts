import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { Scope } from '../cluster/scope.js';
import { declaredPools, isRegularPool, WRITTEN_LISTS } from '../pools/declared-pools.js';
import { compute, isUnknown } from '../base/unknown.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';

/** Length of a name in a list of CEL: two quotes, a comma and a blank. */
export const LISTED_NAME_EXTRA = 4;

/** Makes a part of a policy from the names of the declared host-network pools and `otherPools` when the whole program is declared. */
export type ByPools = (part: (names: readonly string[], breakGlassGroups: readonly string[]) => unknown) => unknown;

export function partByPools(
  { cluster, breakGlassGroups, otherPools }: PoolAdmissionProps,
  scope: Scope,
  part: Parameters<ByPools>[0],
): unknown {
  return scope.atEnd(() => {
    if (scope.endsOnce === true) {
      scope.declared.of(cluster, WRITTEN_LISTS).set(scope.path, scope.path);
    }
    const declared = declaredPools(scope, cluster).hostNetwork;
    return compute({ declared, others: otherPools, groups: breakGlassGroups }, ({ others = [], groups, ...known }) =>
      part([...known.declared, ...others], groups ?? []),
    );
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
  return checkPoolCount(props.pools ?? 'listed', [...hostNetwork, ...others], all, problems, elsewhere);
}

/** Warns of a toleration of a taint that no pool has. */
export function untaintedWarnings({ cluster, otherPools }: PoolAdmissionProps, scope: Scope): EdgeWarning[] {
  const { hostNetwork, tainted } = declaredPools(scope, cluster);
  // of a pool by its name alone the taints are not known
  const isKnown = hostNetwork.length > 0 && otherPools === undefined;
  return !isKnown || tainted
    ? []
    : [
        {
          code: 'EDGE_UNUSED',
          path: 'guarantees.hostNetworkToleration',
          message: 'this tolerates the taint with which nodes of a pool register, and no pool here has it',
          hint: 'write registrationTaint: true for the pools, or leave it out',
        },
      ];
}

/** With up to so many pools, `live` adds only a few milliseconds to a write of a Node (measured: 1 ms at 10 pools, 8 ms at 100, 86 ms at 1,000). */
const LIVE_POOLS = 50;

/** Characters of names that fit into one object: etcd takes requests of 1.5 MiB (--max-request-bytes), and the last applied configuration must fit, too. */
const LISTED_CHARACTERS = 700_000;

/** From so many characters on, `kubectl apply` needs --server-side: an annotation holds at most 256 KiB (apimachinery, TotalAnnotationSizeLimitB). */
const CLIENT_SIDE_CHARACTERS = 250_000;

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
  const size = pools === 'listed' ? known.reduce((sum, name) => sum + name.length + LISTED_NAME_EXTRA, 0) : 0;
  if (size > LISTED_CHARACTERS) {
    problems
      .at('pools')
      .add('EDGE_VALUE', `the names of ${known.length} pools do not fit into one policy`, "write pools: 'live'");
  } else if (size > CLIENT_SIDE_CHARACTERS) {
    return [
      {
        code: 'EDGE_POLICY_COST',
        path: 'pools',
        message: `the policy with the names of ${known.length} pools is too large for kubectl apply`,
        hint: 'use kubectl apply --server-side',
      },
    ];
  }
  if (pools === 'live' && allPools > LIVE_POOLS) {
    return [
      {
        code: 'EDGE_POLICY_COST',
        path: 'pools',
        message: `every write of a Node reads each of the ${allPools} NodePools`,
        hint: "leave pools: 'live' out",
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
            hint: "declare HostNetworkNodePools in this app, or name pools that are created elsewhere: otherPools: ['beijing'], or write pools: 'live'",
          }),
    },
  ];
}
