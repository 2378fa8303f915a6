import type { EdgeWarning, ProblemList } from '../errors.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isUnknown } from '../validation/unknown.js';
import { compareClaims, type PortClaim } from './port-claims.js';

/** A claim and its declaration. */
export interface OwnedClaim extends PortClaim {
  readonly owner: object;
  /** Whether it is a static Pod of a join: a machine has those of one join only.
   * @default false */
  readonly isOfJoin?: boolean;
}

/** Port claims, by pool and port number. */
const PORTS = new DeclarationKind<readonly OwnedClaim[]>('ports');

/** Where workloads run, and what two of them on one port are. */
export interface ClaimedPools {
  readonly pools: readonly NodePoolAttributes[];
  /** @default error */
  readonly portConflicts?: 'error' | 'warn';
}

/**
 * Records port claims of one declaration, and reports two workloads on one port of one pool that cannot both run.
 *
 * @param claims each with the problems of its workload
 */
export function claimPorts(
  claims: readonly { readonly claim: OwnedClaim; readonly at: ProblemList }[],
  { pools, portConflicts }: ClaimedPools,
  { declared, owner }: Pick<Scope, 'declared' | 'owner'>,
  warnings: EdgeWarning[],
): void {
  const [cluster] = pools.map((pool) => pool.cluster);
  if (cluster === undefined) {
    return;
  }
  const known = declared.of(cluster, PORTS);
  const mine = new Map<string, OwnedClaim[]>();
  let isRefused = false;
  // a claim of the same declaration is the same claim
  const foreign = (key: string): OwnedClaim[] => (known.get(key) ?? []).filter((other) => other.owner !== owner);
  for (const { claim, at } of claims) {
    const keys = pools.flatMap((pool) =>
      [...new Set(claim.ports.map(({ port }) => port))].map((port) => ({ pool, key: `${pool.poolName}:${port}` })),
    );
    for (const { pool, key } of keys) {
      const before = mine.get(key) ?? [];
      mine.set(key, [...before, claim]);
      // a static Pod of a join, and the YurtStaticSet that replaces it, are one Pod
      const isOther = (other: OwnedClaim): boolean =>
        !(claim.isOfJoin && other.isOfJoin) && other.workload !== claim.workload;
      const others = [...foreign(key).filter(isOther), ...before];
      // while the number of nodes is unknown, claims cannot be compared
      for (const other of isUnknown(pool.expectedNodes) ? [] : others) {
        isRefused = report(claim, other, pool, portConflicts, at, warnings) || isRefused;
      }
    }
  }
  if (!isRefused && claims.every(({ at }) => at.problems.length === 0)) {
    mine.forEach((added, key) => known.set(key, [...foreign(key), ...added]));
  }
}

/** @returns whether the claim is refused */
function report(
  claim: OwnedClaim,
  other: OwnedClaim,
  pool: NodePoolAttributes,
  portConflicts: ClaimedPools['portConflicts'],
  problems: ProblemList,
  warnings: EdgeWarning[],
): boolean {
  const verdict = compareClaims(claim, other, pool.expectedNodes);
  if (verdict.kind === 'free') {
    return false;
  }
  const message = `port ${verdict.port} on the pool ${pool.poolName} is also used by ${other.workload}`;
  if (verdict.kind === 'conflict' && portConflicts !== 'warn') {
    problems.add('EDGE_PORT_CONFLICT', message, remedyFor(claim, other, pool));
    return true;
  }
  warnings.push({
    code: 'EDGE_PORT_CONFLICT',
    path: problems.path,
    message,
    hint: 'both can run only on different nodes: give one of them another port',
  });
  return false;
}

function remedyFor(a: OwnedClaim, b: PortClaim, pool: NodePoolAttributes): string {
  const mayFit = a.demand !== 'every node' && b.demand !== 'every node' && pool.expectedNodes === undefined;
  return [
    'give one of them another port or another pool',
    ...(mayFit ? ['set expectedNodes on the pool if there is a node for each Pod'] : []),
    ...(a.isOfJoin ? [] : ["write portConflicts: 'warn' if something else separates them"]),
  ].join(', or ');
}
