import { type EdgeWarning, joinPath } from '../base/errors.js';
import { expressionsOf, REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { mapAt, type PlainMap, isMap, valueAt } from '../base/plain-data.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../kubernetes/labels.js';

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

/** Kinds on which somebody may expect the annotation to count for all Pods there. */
const OF_MANY_PODS = ['NodePool.apps.openyurt.io', 'Node', 'Namespace'];

/**
 * Warns of the exclusion annotation in a place where nobody reads it. The webhook of OpenYurt (pkg/yurtmanager/webhook/pod) and the policies of this library read
 * it in the metadata of Pods, which a controller copies from the template.
 *
 * @param object an object that is written by hand
 */
export function misplacedExclusion(object: PlainMap): EdgeWarning[] {
  const warnings: EdgeWarning[] = [];
  const add = (path: readonly (string | number)[], message: string, hint: string): void =>
    void warnings.push({ code: 'EDGE_UNUSED', path: path.reduce<string>(joinPath, ''), message, hint });
  const metadata = mapAt(object, 'metadata');
  const isAnnotated = mapAt(metadata, 'annotations')[EXCLUDE_ANNOTATION] === TRUE;
  if (isAnnotated && OF_MANY_PODS.includes(groupKindOf(object))) {
    add(
      ['metadata', 'annotations', EXCLUDE_ANNOTATION],
      `the annotation excludes Pods, and has no effect on ${nameOf(object)}`,
      'write it in the Pod template of each workload, at spec.template.metadata.annotations',
    );
  }
  for (const { path, isTemplate } of podPlaces(object)) {
    const template = valueAt(object, path);
    const own = isTemplate && isMap(template) ? mapAt(template, 'metadata') : undefined;
    if (own === undefined || mapAt(own, 'annotations')[EXCLUDE_ANNOTATION] !== undefined) {
      continue;
    }
    const place = [...path, 'metadata', 'annotations'].reduce<string>(joinPath, '');
    if (mapAt(own, 'labels')[EXCLUDE_ANNOTATION] !== undefined) {
      add(
        [...path, 'metadata', 'labels', EXCLUDE_ANNOTATION],
        'this is an annotation, and has no effect as a label',
        `write it in ${place}`,
      );
    } else if (isAnnotated) {
      add(
        ['metadata', 'annotations', EXCLUDE_ANNOTATION],
        `the annotation is on ${nameOf(object)} itself, and is read on its Pods: they are not excluded`,
        `write it in ${place}`,
      );
    }
  }
  return warnings;
}

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
