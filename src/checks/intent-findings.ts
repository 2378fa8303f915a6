import { misplacedExclusion } from '../workloads/misplaced-exclusion.js';
import { misspeltPools } from '../workloads/misspelt-pool.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';

/** Warnings about what an API server accepts, and nobody means. */
export function intentFindings(placed: readonly PlacedObject[], label: string, pools: readonly string[]): Finding[] {
  const known = new Set(pools);
  return placed.flatMap((each) =>
    [...misplacedExclusion(each.object), ...misspeltPools(each.object, label, known)].map((problem) =>
      findingAt(each, 'warning', problem),
    ),
  );
}
