import { type EdgeWarning, joinPath } from '../errors.js';
import { expressionsOf, REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';

/**
 * Warns of the name of a pool that there is not, and that is almost the name of one: the Pods stay Pending.
 *
 * @param workload an object that is written by hand
 * @param label the label with the name of the pool
 * @param pools the names of all known pools
 */
export function misspeltPools(workload: PlainMap, label: string, pools: ReadonlySet<string>): EdgeWarning[] {
  return namedPools(workload, label).flatMap(({ name, path }): EdgeWarning[] => {
    const meant = typeof name === 'string' && !pools.has(name) ? poolMeant(name, pools) : undefined;
    return meant === undefined
      ? []
      : [
          {
            code: 'EDGE_MATCHES_NOTHING',
            path: path.reduce<string>(joinPath, ''),
            message: `${nameOf(workload)} needs a node of the pool ${String(name)}, and no pool here has this name: its Pods would stay Pending`,
            hint: `did you mean ${meant}? Nothing to do if the pool is declared elsewhere`,
          },
        ];
  });
}

/** Names of pools in an object: of a NodePool, of the pool of a Node, and of those that a workload requires. */
export function poolNamesIn(object: PlainMap, label: string): string[] {
  const metadata = mapAt(object, 'metadata');
  const own = [
    object.kind === 'NodePool' ? metadata.name : undefined,
    object.kind === 'Node' ? mapAt(metadata, 'labels')[label] : undefined,
  ];
  const names = [...own, ...namedPools(object, label).map(({ name }) => name)];
  return names.filter((name) => typeof name === 'string');
}

/** The pools that a workload requires, with the paths of their names. */
function namedPools(
  workload: PlainMap,
  label: string,
): { readonly name: unknown; readonly path: readonly (string | number)[] }[] {
  return [...listedPools(workload), ...selectedPools(workload, label)];
}

/** The pools that a YurtAppSet lists: spec.pools (v1beta1). */
function listedPools(workload: PlainMap): ReturnType<typeof namedPools> {
  const { pools } = workload.kind === 'YurtAppSet' ? mapAt(workload, 'spec') : {};
  return Array.isArray(pools)
    ? (pools as unknown[]).map((name, index) => ({ name, path: ['spec', 'pools', index] }))
    : [];
}

function selectedPools(workload: PlainMap, label: string): ReturnType<typeof namedPools> {
  return podPlaces(workload)
    .filter(({ isTemplate }) => isTemplate)
    .flatMap((place) => {
      const podSpec = podSpecAt(workload, place);
      const at = [...place.path, 'spec'];
      const selected = { name: mapAt(podSpec, 'nodeSelector')[label], path: [...at, 'nodeSelector', label] };
      const required = (requiredTerms(podSpec) ?? []).flatMap((term, index) =>
        expressionsOf(term).flatMap(({ key, operator, values }, number) =>
          key === label && operator === 'In' && Array.isArray(values)
            ? (values as unknown[]).map((name, which) => ({
                name,
                path: [
                  ...[...at, ...REQUIRED_PATH, 'nodeSelectorTerms', index],
                  ...['matchExpressions', number, 'values', which],
                ],
              }))
            : [],
        ),
      );
      return [selected, ...required];
    });
}

/**
 * The pool that was meant by a name that is not one. Pools have names that differ by little on purpose (`shop-1`, `shop-2`; `north`, `south`), so only a long
 * part of a name may differ, and by one letter.
 */
export function poolMeant(name: string, pools: ReadonlySet<string>): string | undefined {
  const plainOf = (text: string): string => text.toLowerCase().replace(/[_. ]/g, '-');
  return [...pools].find((pool) => {
    const [given, known] = [plainOf(name).split('-'), plainOf(pool).split('-')];
    const apart = given.flatMap((part, index) => (part === known[index] ? [] : [[part, known[index] ?? ''] as const]));
    const [[wrong, right] = ['', '']] = apart;
    return (
      given.length === known.length &&
      (apart.length === 0 ||
        (apart.length === 1 &&
          digitsOf(wrong) === digitsOf(right) &&
          (Math.min(wrong.length, right.length) >= LONG ? isOneLetterOff(wrong, right) : isSwapped(wrong, right))))
    );
  });
}

/** Words of this length that differ by one letter are one word that is misspelt. */
const LONG = 5;

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Whether two letters of a word of four are swapped: names that differ so on purpose are rarer than the mistake. */
function isSwapped(a: string, b: string): boolean {
  return a.length === LONG - 1 && isOneLetterOff(a, b) && [...a].sort().join('') === [...b].sort().join('');
}

/** One letter is another, is missing or too much, or two are swapped. */
function isOneLetterOff(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const at = [...short].findIndex((letter, index) => letter !== long[index]);
  const begin = at === -1 ? short.length : at;
  const [restShort, restLong] = [short.slice(begin), long.slice(begin)];
  return (
    restShort === restLong.slice(1) ||
    (a.length === b.length &&
      (restShort.slice(1) === restLong.slice(1) ||
        (restShort.slice(2) === restLong.slice(2) && restShort[0] === restLong[1] && restShort[1] === restLong[0])))
  );
}
