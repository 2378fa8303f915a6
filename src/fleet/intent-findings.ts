import { misplacedExclusion, misspeltPools } from '../workloads/misplaced-workloads.js';
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
