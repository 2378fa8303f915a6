import { type EdgeWarning, joinPath } from '../errors.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';

type PoolWith = (label: string, value: string) => string | undefined;

/**
 * Warns of a workload that can run on host-network pools only, and has no host network: kubelet never starts its Pods there.
 *
 * @param workload an object of which this library has changed nothing
 * @param poolWith name of the host-network pool whose nodes alone have a label; undefined if there is none
 */
export function pinnedWarnings(workload: PlainMap, poolWith: PoolWith): EdgeWarning[] {
  return podPlaces(workload)
    .filter(({ isTemplate }) => isTemplate)
    .flatMap((place): EdgeWarning[] => {
      const podSpec = podSpecAt(workload, place);
      const pool = podSpec.hostNetwork === true ? undefined : pinnedTo(podSpec, poolWith);
      return pool === undefined
        ? []
        : [
            {
              code: 'EDGE_NO_POD_NETWORK',
              path: [...place.path, 'spec', 'hostNetwork'].reduce<string>(joinPath, ''),
              message: `${nameOf(workload)} runs on the host-network pool ${pool} only, whose nodes have no Pod network: its Pods never start`,
              hint: 'declare it as HostNetworkWorkload, or name a regular pool',
            },
          ];
    });
}

/** The host-network pool that a Pod requires, or the first of those among which it chooses. */
function pinnedTo(podSpec: PlainMap, poolWith: PoolWith): string | undefined {
  const selector = mapAt(podSpec, 'nodeSelector');
  const selected = Object.entries(selector).flatMap(([key, value]) => poolWith(key, String(value)) ?? [])[0];
  const terms = requiredTerms(podSpec) ?? [];
  const required = terms.map((term) =>
    expressionsOf(term).flatMap(({ key, operator, values }) => {
      const named =
        operator === 'In' && Array.isArray(values) ? values.map((value) => poolWith(String(key), String(value))) : [];
      return named.length > 0 && named.every((pool) => pool !== undefined) ? named.slice(0, 1) : [];
    }),
  );
  return (
    selected ?? (required.length > 0 && required.every((found) => found.length > 0) ? required[0]?.[0] : undefined)
  );
}
