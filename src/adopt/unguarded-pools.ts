import { mapAt } from '../base/plain-data.js';
import type { ImportModel } from './import-model.js';
import { LIST_OF_POOLS, textsIn } from './recognized-admission.js';

/** A policy with a list of pools, and those that it does not name. */
export interface UnguardedPools {
  /** `MutatingAdmissionPolicy edge-nodepools-node-label` */
  readonly policy: string;
  readonly pools: readonly string[];
}

/** Policies whose list of pools is older than the pools: a list that is kept as it is lacks those that were added without the program of the policies. */
export function unguardedPools({ objects, sets, namedPools }: ImportModel): UnguardedPools[] {
  const declared = objects
    .filter(({ recognized }) => recognized?.className === 'HostNetworkNodePool')
    .map(({ object }) => String(mapAt(object, 'metadata').name));
  const pools = [...new Set([...declared, ...namedPools.keys()])].sort();
  return sets
    .flatMap(({ recognized }) => recognized.kept ?? [])
    .flatMap(({ kind, name, fields }): UnguardedPools[] => {
      const lists = fields.flatMap(({ value }) =>
        typeof value === 'string' ? (value.match(LIST_OF_POOLS) ?? []) : [],
      );
      const missing = pools.filter((pool) => lists.some((list) => !textsIn(list).includes(pool)));
      return missing.length === 0 ? [] : [{ policy: `${kind} ${name}`, pools: missing }];
    });
}
