import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import type { SelectedPools } from '../pools/declared-pools.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { holdsUnknown, isUnknown } from '../validation/unknown.js';
import { CONTAINER_FIELDS } from './containers.js';

const TEMPLATE = ['spec', 'workload', 'workloadTemplate'];
const TWEAKS = ['spec', 'workload', 'workloadTweaks'];

const listAt = (map: PlainMap, field: string): unknown[] =>
  Array.isArray(map[field]) ? (map[field] as unknown[]) : [];

/** The spec of the Deployment or StatefulSet of a YurtAppSet, and where it is. */
function workloadOf(object: PlainMap): { readonly path: ObjectPath; readonly spec: PlainMap } | undefined {
  const [found] = ['deploymentTemplate', 'statefulSetTemplate']
    .map((kind) => [...TEMPLATE, kind, 'spec'])
    .filter((path) => isMap(valueAt(object, path)));
  return found === undefined ? undefined : { path: found, spec: valueAt(object, found) as PlainMap };
}

/** The tweaks of a YurtAppSet v1beta1, each with the names of the pools among these to which it applies; undefined: it is not known which. */
function tweaksOf(
  object: PlainMap,
  names: readonly string[],
  { selectedBy, isMade }: SelectedPools,
): { readonly at: ObjectPath; readonly tweak: PlainMap; readonly pools: readonly string[] | undefined }[] {
  const tweaks = valueAt(object, TWEAKS);
  return (Array.isArray(tweaks) ? (tweaks as unknown[]) : []).filter(isMap).map((tweak, index) => {
    const named = listAt(tweak, 'pools');
    const selected = selectedBy(tweak.nodepoolSelector);
    const isKnown = tweak.nodepoolSelector === undefined || names.every(isMade);
    return {
      at: [...TWEAKS, index],
      tweak,
      pools: isKnown ? names.filter((name) => named.includes(name) || selected.includes(name)) : undefined,
    };
  });
}

/**
 * Reports what a YurtAppSet v1beta1 says of pools on which it does not run, and of containers that it does not have. Its controller takes the union of `pools`
 * and `nodepoolSelector`, and ignores the rest silently (yurtappset/workloadmanager of OpenYurt 1.5 to 1.7: util.go, tweaks.go).
 *
 * @param pools those on which it runs
 */
export function checkYurtAppTweaks(
  object: PlainMap,
  pools: readonly NodePoolAttributes[],
  declared: SelectedPools,
  problems: ProblemList,
): void {
  const names = pools.map(({ poolName }) => poolName);
  const { nodepoolSelector, pools: written } = mapAt(object, 'spec');
  const workload = workloadOf(object);
  if (object.kind !== 'YurtAppSet' || workload === undefined || holdsUnknown([names, nodepoolSelector, written])) {
    return;
  }
  checkSelected(nodepoolSelector, listAt(mapAt(object, 'spec'), 'pools'), names, declared, problems);
  const selector = mapAt(workload.spec, 'selector');
  if (isMap(workload.spec.selector) && !isUnknown(selector.matchLabels) && !isMap(selector.matchLabels)) {
    // deployment_manager.go and statefulset_manager.go write the pool into this map, which is nil
    problems
      .at(...workload.path, 'selector', 'matchLabels')
      .add('EDGE_MISSING', 'yurt-manager fails on a selector without matchLabels', "write matchLabels: { app: 'web' }");
  }
  const podSpec = mapAt(mapAt(workload.spec, 'template'), 'spec');
  const containers = CONTAINER_FIELDS.flatMap((field) => listAt(podSpec, field));
  for (const { at, tweak, pools: applies } of tweaksOf(object, names, declared)) {
    if (holdsUnknown(tweak)) {
      continue;
    }
    listAt(tweak, 'pools').forEach((name, index) => {
      if (!names.includes(name as string)) {
        problems
          .at(...at, 'pools', index)
          .add('EDGE_CONTRADICTION', `conflicting settings: ${notThere(name, names)}`, 'name pools of this workload');
      }
    });
    if (applies?.length === 0 && listAt(tweak, 'pools').length === 0) {
      const isGiven = tweak.nodepoolSelector !== undefined;
      problems
        .at(...at, isGiven ? 'nodepoolSelector' : 'pools')
        .add(
          isGiven ? 'EDGE_CONTRADICTION' : 'EDGE_MISSING',
          `the tweak applies to no pool${isGiven ? `: no label of ${names.join(', ')} matches` : ''}`,
          "write pools: ['…'] in it, or a nodepoolSelector for labels of the pools (metadata.labels)",
        );
    }
    listAt(mapAt(tweak, 'tweaks'), 'containerImages').forEach((image, index) => {
      const { name } = isMap(image) ? image : {};
      if (!holdsUnknown(containers) && !containers.some((one) => isMap(one) && one.name === name)) {
        problems
          .at(...at, 'tweaks', 'containerImages', index, 'name')
          .add('EDGE_VALUE', `the template has no container ${showValue(name)}`, 'write the name of a container of it');
      }
    });
  }
}

const notThere = (name: unknown, names: readonly string[]): string =>
  `the YurtAppSet runs on ${names.join(', ')}, not on ${showValue(name)}`;

function checkSelected(
  selector: unknown,
  written: readonly unknown[],
  names: readonly string[],
  { selectedBy, isMade }: SelectedPools,
  problems: ProblemList,
): void {
  if (selector === undefined) {
    return;
  }
  const selected = selectedBy(selector);
  const others = selected.filter((name) => !names.includes(name));
  const missing = names.filter((name) => isMade(name) && !selected.includes(name) && !written.includes(name));
  if (others.length > 0 || missing.length > 0) {
    problems
      .at('spec', 'nodepoolSelector')
      .add(
        'EDGE_CONTRADICTION',
        others.length > 0
          ? `conflicting settings: ${notThere(others.join(', '), names)}, which the selector selects too`
          : `conflicting settings: the selector does not select ${missing.join(', ')}`,
        'write a selector for labels that exactly these pools have (metadata.labels of the pool)',
      );
  }
}

/** Warnings of numbers of Pods that a later tweak of the same pool replaces: the controller applies all in their order (workloadmanager/tweaks.go). */
function repeatedTweaks(tweaks: ReturnType<typeof tweaksOf>): EdgeWarning[] {
  const replicasOf = (tweak: PlainMap): unknown => mapAt(tweak, 'tweaks').replicas;
  return tweaks.flatMap(({ at, tweak, pools = [] }, index): EdgeWarning[] => {
    const replicas = replicasOf(tweak);
    const later = tweaks
      .slice(index + 1)
      .find(
        (other) =>
          typeof replicas === 'number' &&
          typeof replicasOf(other.tweak) === 'number' &&
          replicasOf(other.tweak) !== replicas &&
          pools.length > 0 &&
          pools.every((pool) => other.pools?.includes(pool)),
      );
    return later === undefined
      ? []
      : [
          {
            code: 'EDGE_UNUSED',
            path: [...at, 'tweaks', 'replicas'].reduce<string>(joinPath, ''),
            message: `a later tweak of ${pools.join(', ')} replaces the number by ${String(replicasOf(later.tweak))}`,
            hint: 'leave one of them out',
          },
        ];
  });
}

/** Warnings of tweaks that change nothing. */
function emptyTweaks(object: PlainMap): EdgeWarning[] {
  const tweaks = valueAt(object, TWEAKS);
  return (Array.isArray(tweaks) ? (tweaks as unknown[]) : []).flatMap((tweak, index): EdgeWarning[] => {
    const changes = mapAt({ tweak }, 'tweak').tweaks;
    const isEmpty = (one: unknown): boolean => one === undefined || (Array.isArray(one) && one.length === 0);
    return isMap(changes) && Object.values(changes).every(isEmpty)
      ? [
          {
            code: 'EDGE_UNUSED',
            path: [...TWEAKS, index, 'tweaks'].reduce<string>(joinPath, ''),
            message: 'the tweak changes nothing',
            hint: 'write replicas, containerImages or patches, or leave the tweak out',
          },
        ]
      : [];
  });
}

/** Warnings of replicas in tweaks that do not fit on the nodes of a pool, and of tweaks that change nothing. */
export function tweakWarnings(
  object: PlainMap,
  pools: readonly NodePoolAttributes[],
  declared: SelectedPools,
): EdgeWarning[] {
  const names = pools.map(({ poolName }) => poolName);
  if (object.kind !== 'YurtAppSet' || holdsUnknown([names, valueAt(object, TWEAKS)])) {
    return [];
  }
  const tooMany = tweaksOf(object, names, declared).flatMap(({ at, tweak, pools: applies = [] }) => {
    const { replicas } = mapAt(tweak, 'tweaks');
    return pools
      .filter(
        ({ poolName, expectedNodes }) =>
          applies.includes(poolName) &&
          typeof expectedNodes === 'number' &&
          typeof replicas === 'number' &&
          replicas > expectedNodes,
      )
      .map(({ poolName, expectedNodes }): EdgeWarning => ({
        code: 'EDGE_REPLICAS',
        path: [...at, 'tweaks', 'replicas'].reduce<string>(joinPath, ''),
        message: `${replicas as number} Pods in ${poolName}, which has ${expectedNodes} nodes`,
        hint: 'lower the number: Pods with a host port need a node each',
      }));
  });
  return [...tooMany, ...emptyTweaks(object), ...repeatedTweaks(tweaksOf(object, names, declared))];
}

/** The numbers of Pods in the tweaks of a YurtAppSet. */
export function tweakedReplicas(object: PlainMap): unknown[] {
  const tweaks = valueAt(object, TWEAKS);
  return isUnknown(tweaks)
    ? [tweaks]
    : (Array.isArray(tweaks) ? (tweaks as unknown[]) : []).flatMap((tweak) =>
        isUnknown(tweak) ? [tweak] : (mapAt(mapAt({ tweak }, 'tweak'), 'tweaks').replicas ?? []),
      );
}

/** The most Pods that a YurtAppSet has in one of its pools, by its tweaks. */
export function mostReplicas(object: PlainMap): number {
  return Math.max(0, ...tweakedReplicas(object).filter((count) => typeof count === 'number'));
}
