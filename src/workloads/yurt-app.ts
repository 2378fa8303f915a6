import { itemsOf, listAt } from '../kubernetes/field-values.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { statefulYurtAppSets } from '../cluster/openyurt-capabilities.js';
import { type EdgeWarning, joinPath, ProblemList } from '../base/errors.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';
import { withRequiredTerms } from '../kubernetes/node-affinity.js';
import { findContradictions, excludedTerms, podSpecExcludes } from './exclusion-affinity.js';
import { type HostNetworkLabel, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import { readByGo, isPatchOperation, patched, strategicallyMerged } from '../kubernetes/object-patch.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import type { SelectedPools } from '../pools/declared-pools.js';
import { showValue } from '../base/properties.js';
import { CONTAINER_FIELDS } from './containers.js';

/** The controller of YurtAppDaemon replaces nodeSelector and required affinity by those of each pool that its own selector selects. */
export function yurtAppDaemonWarnings(object: PlainMap): EdgeWarning[] {
  return object.kind !== 'YurtAppDaemon'
    ? []
    : [
        {
          code: 'EDGE_AFFINITY_DROPPED',
          path: 'spec.nodepoolSelector',
          message:
            'the controller of YurtAppDaemon drops nodeSelector and required affinity of the template and selects pools by spec.nodepoolSelector',
          hint: 'write a spec.nodepoolSelector that selects host-network pools only, or use a DaemonSet',
        },
      ];
}

/** A YurtAppSet of StatefulSets: refused where yurt-manager ends because of it, with all its webhooks, and a warning where its status stays empty. */
export function checkStatefulYurtAppSet(object: PlainMap, cluster: EdgeCluster, problems: ProblemList): EdgeWarning[] {
  const path = ['spec', 'workload', 'workloadTemplate', 'statefulSetTemplate'];
  const does = statefulYurtAppSets(cluster);
  if (object.kind !== 'YurtAppSet' || valueAt(object, path) === undefined || does === 'status') {
    return [];
  }
  const hint = 'write a StatefulSet as HostNetworkWorkload for each pool, or deploymentTemplate';
  if (does === 'panics') {
    const why = `yurt-manager of OpenYurt ${cluster.openYurt} ends with a panic when it has made a StatefulSet, and with it its webhooks`;
    problems.at(...path).add('EDGE_FIELD_NOT_IN_RELEASE', why, hint);
    return [];
  }
  const message = `yurt-manager of OpenYurt ${cluster.openYurt} makes the StatefulSets, and the status of the YurtAppSet stays empty (1.6.0 ends with a panic); it does not see its StatefulSets change, so one that is changed or deleted stays so until the YurtAppSet or a NodePool changes (openyurtio/openyurt#2777)`;
  return [{ code: 'EDGE_FIELD_NOT_IN_RELEASE', path: path.reduce<string>(joinPath, ''), message, hint }];
}

/** A pool that a YurtAppSet or YurtAppDaemon names, and where. */
interface NamedPool {
  readonly path: ObjectPath;
  readonly name: unknown;
}

/**
 * The pools that a YurtAppSet names: `spec.pools` in v1beta1, `spec.topology.pools` in v1alpha1. Those of a PlatformAdmin: `spec.nodepools` in v1beta1,
 * `spec.poolName` before (openyurt pkg/apis/iot, platformadmin_types.go).
 */
export function namedPools(object: PlainMap): NamedPool[] {
  const spec = mapAt(object, 'spec');
  if (object.kind === 'PlatformAdmin') {
    return [
      { path: ['spec', 'poolName'], name: spec.poolName },
      ...listAt(spec, 'nodepools').map((name, index) => ({ path: ['spec', 'nodepools', index], name })),
    ];
  }
  return [
    ...listAt(spec, 'pools').map((name, index) => ({ path: ['spec', 'pools', index], name })),
    ...listAt(mapAt(spec, 'topology'), 'pools').map((pool, index) => ({
      path: ['spec', 'topology', 'pools', index, 'name'],
      name: isMap(pool) ? pool.name : pool,
    })),
  ];
}

/**
 * The pools that the terms of a YurtAppSet v1alpha1 select. 1.4 adds the term to the node affinity of the pool's workload; the conversion of 1.5+ makes
 * `spec.pools` of its values, whatever its name is.
 */
function poolsOfTerms(object: PlainMap, membershipLabel: string): NamedPool[] {
  return listAt(mapAt(mapAt(object, 'spec'), 'topology'), 'pools').flatMap((pool, index) =>
    listAt(mapAt(isMap(pool) ? pool : {}, 'nodeSelectorTerm'), 'matchExpressions').flatMap((expression, position) => {
      const { key, operator } = isMap(expression) ? expression : {};
      const values =
        isMap(expression) && key === membershipLabel && operator === 'In' ? listAt(expression, 'values') : [];
      const place = ['spec', 'topology', 'pools', index, 'nodeSelectorTerm', 'matchExpressions', position, 'values'];
      return values.map((name, value) => ({ path: [...place, value], name }));
    }),
  );
}

/**
 * The controller of YurtAppSet replaces the pool in the nodeSelector by each pool in the object (OpenYurt 1.5 to 1.7,
 * workloadmanager/deployment_manager.go), so the object must have the pools of the workload and no others.
 */
export function checkYurtAppPools(object: PlainMap, pools: readonly NodePoolAttributes[], problems: ProblemList): void {
  if (object.kind !== 'YurtAppSet') {
    return;
  }
  for (const { path, name } of namedPools(object)) {
    if (!pools.some(({ poolName }) => poolName === name)) {
      problems
        .at(...path)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: the YurtAppSet runs on ${JSON.stringify(name)}, the HostNetworkWorkload on ${pools.map(({ poolName }) => poolName).join(', ')}`,
          'name the same pools in both',
        );
    }
  }
}

/** The host-network pools that a program has declared. */
export interface HostNetworkPools {
  /** Whether a pool is one of them. */
  readonly isHostNetworkPool?: (poolName: string) => boolean;
  /** Those of them whose NodePools a label selector selects. */
  readonly selectedBy?: (selector: unknown) => readonly string[];
}

/** Reports host-network pools of an excluded YurtAppSet, YurtAppDaemon or PlatformAdmin: its controller makes a workload for each pool, which can never run there. */
export function checkExcludedYurtApp(
  object: PlainMap,
  membershipLabel: string,
  { isHostNetworkPool = () => false, selectedBy = () => [] }: HostNetworkPools,
  problems: ProblemList,
): void {
  const isSet = object.kind === 'YurtAppSet';
  const reported = new Set<unknown>();
  const isNaming = isSet || object.kind === 'PlatformAdmin';
  for (const { path, name } of isNaming ? [...namedPools(object), ...poolsOfTerms(object, membershipLabel)] : []) {
    const place = path.slice(0, 4).join('.');
    if (typeof name === 'string' && isHostNetworkPool(name) && !reported.has(`${place} ${name}`)) {
      reported.add(`${place} ${name}`);
      problems
        .at(...path)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: the ${String(object.kind)} runs on the host-network pool ${name}, the exclusion forbids its nodes`,
          isSet
            ? `remove ${name}, and write a HostNetworkWorkload with a YurtAppSet of its own for it`
            : `name regular pools; or do not exclude the ${String(object.kind)}`,
        );
    }
  }
  const { nodepoolSelector } = mapAt(object, 'spec');
  const selected = isSet || object.kind === 'YurtAppDaemon' ? selectedBy(nodepoolSelector) : [];
  if (selected.length > 0) {
    problems
      .at('spec', 'nodepoolSelector')
      .add(
        'EDGE_CONTRADICTION',
        `conflicting settings: the selector selects the host-network ${selected.length === 1 ? 'pool' : 'pools'} ${selected.join(', ')}, ${isSet ? 'the exclusion forbids their nodes' : 'and the controller of YurtAppDaemon drops the node affinity that excludes their nodes'}`,
        `write a selector for a label that only regular pools have (metadata.labels of the pool)${isSet ? ', or name the pools in spec.pools' : ''}`,
      );
  }
}

/**
 * One patch that OpenYurt applies to the Deployment or StatefulSet of a pool, after everything else. Sources: `workloadTweaks` of YurtAppSet v1beta1
 * (1.5+, yurtappset/workloadmanager/tweaks.go), `patch` of a pool of YurtAppSet v1alpha1 (1.4, yurtappset/adapter/adapter_util.go; the conversion of
 * 1.5+ drops it), YurtAppOverrider (1.4 to 1.6, webhook/deploymentrender).
 */
interface Patch {
  /** Path of the patch in its object. */
  readonly place: ObjectPath;
  /** What it patches, for the message. */
  readonly about: string;
  readonly apply: (workload: unknown) => unknown;
}

/** Patches that are applied one after the other. */
type Patches = readonly Patch[];

/** The operations in a list of JSON patches. */
function operationsIn(list: readonly unknown[], place: ObjectPath): Patches {
  return list.flatMap((operation, index) =>
    isPatchOperation(operation)
      ? [
          {
            place: [...place, index],
            about: `${operation.operation} ${operation.path}`,
            apply: (workload: unknown) => patched(workload, operation),
          },
        ]
      : [],
  );
}

/**
 * The patches of a YurtAppSet, as its workloads may get them: a tweak applies to the pools that it selects, so each alone, and all of them in order.
 */
function patchesOf(object: PlainMap): Patches[] {
  const spec = mapAt(object, 'spec');
  const tweaks = listAt(mapAt(spec, 'workload'), 'workloadTweaks').map((tweak, index) =>
    operationsIn(listAt(mapAt(isMap(tweak) ? tweak : {}, 'tweaks'), 'patches'), [
      ...['spec', 'workload', 'workloadTweaks', index, 'tweaks', 'patches'],
    ]),
  );
  const ofPools = listAt(mapAt(spec, 'topology'), 'pools').flatMap((pool, index): Patches[] => {
    const patch = isMap(pool) ? pool.patch : undefined;
    const place = ['spec', 'topology', 'pools', index, 'patch'];
    return isMap(patch) ? [[{ place, about: 'it', apply: (workload) => strategicallyMerged(workload, patch) }]] : [];
  });
  return [...tweaks, ...(tweaks.length > 1 ? [tweaks.flat()] : []), ...ofPools];
}

/** What patches must not undo. */
interface PatchGuard {
  /** What they would undo, for the message. */
  readonly undoes: string;
  /** Why a patched Pod spec has it no more; undefined if it has it. */
  readonly why: (podSpec: PlainMap) => string | undefined;
}

/**
 * The exclusion.
 *
 * @param find reports constraints of a Pod spec that conflict with it
 */
export function exclusionGuard(
  label: HostNetworkLabel,
  find: (podSpec: PlainMap, problems: ProblemList) => void,
): PatchGuard {
  return {
    undoes: 'the exclusion',
    why: (podSpec) => {
      if (!podSpecExcludes(podSpec, label)) {
        return 'the required node affinity no longer excludes host-network nodes in every term';
      }
      const problems = new ProblemList();
      find(podSpec, problems);
      return problems.problems[0]?.message;
    },
  };
}

const HINT =
  'patch replicas, images or other fields only; write node constraints in the template, or for one pool in a YurtAppSet of its own';

/** Reports the patch after which a workload lacks what it had before. */
function checkPatches(workload: unknown, lists: readonly Patches[], guard: PatchGuard, problems: ProblemList): void {
  const reported = new Set<string>();
  for (const patches of lists) {
    let current = workload;
    let culprit: { readonly patch: Patch; readonly why: string } | undefined;
    for (const patch of patches) {
      current = patch.apply(current);
      const podSpec = valueAt(readByGo(current, 'Deployment'), ['spec', 'template', 'spec']);
      const why = guard.why(isMap(podSpec) ? podSpec : {});
      culprit = why === undefined ? undefined : (culprit ?? { patch, why });
    }
    if (culprit === undefined || reported.has(culprit.patch.place.join('/'))) {
      continue;
    }
    reported.add(culprit.patch.place.join('/'));
    const message = `conflicting settings: ${culprit.patch.about} undoes ${guard.undoes}: ${culprit.why}`;
    problems.at(...culprit.patch.place).add('EDGE_CONTRADICTION', message, HINT);
  }
}

/**
 * Reports patches of a YurtAppSet that undo something in its Pod templates. A patch counts as the JSON patch or strategic merge patch that it is.
 * OpenYurt 1.5 to 1.7 reads the result into the unpatched object, so that `remove` and `{}` have no effect there; the next release may do what they say.
 *
 * @param manifest the object as it is written
 * @param templates paths of its Pod templates
 */
export function checkYurtAppPatches(
  manifest: PlainMap,
  templates: readonly ObjectPath[],
  guard: PatchGuard,
  problems: ProblemList,
): void {
  if (manifest.kind !== 'YurtAppSet') {
    return;
  }
  const lists = patchesOf(manifest);
  for (const path of lists.some((patches) => patches.length > 0) ? templates : []) {
    // the controller patches an object with the spec of deploymentTemplate or statefulSetTemplate
    const spec = mapAt(valueAt(manifest, path.slice(0, -2)) as PlainMap, 'spec');
    const podSpec = mapAt(mapAt(spec, 'template'), 'spec');
    const { affinity, nodeSelector, nodeName, tolerations, hostNetwork, dnsPolicy } = podSpec;
    if (holdsUnknown([affinity, nodeSelector, nodeName, tolerations, hostNetwork, dnsPolicy, patchedBy(manifest)])) {
      // the same check runs when they are known
      continue;
    }
    checkPatches({ spec: withSelector(spec) }, lists, guard, problems);
  }
}

function patchedBy(manifest: PlainMap): unknown {
  const { workload, topology } = mapAt(manifest, 'spec');
  return [isMap(workload) ? workload.workloadTweaks : workload, topology];
}

/** The controllers always set a nodeSelector before they patch. */
function withSelector(spec: PlainMap): PlainMap {
  const template = mapAt(spec, 'template');
  const podSpec = mapAt(template, 'spec');
  return { ...spec, template: { ...template, spec: { ...podSpec, nodeSelector: mapAt(podSpec, 'nodeSelector') } } };
}

/** An excluded Deployment without anything else. */
const EXCLUDED_DEPLOYMENT: PlainMap = {
  spec: {
    template: {
      metadata: { labels: {}, annotations: {} },
      spec: withRequiredTerms({ nodeSelector: {}, tolerations: [] }, excludedTerms(undefined, OPENYURT_HOST_NETWORK)),
    },
  },
};

/** Whether an object is a YurtAppOverrider of OpenYurt 1.4 to 1.6, which patches the Deployments of a YurtAppSet or YurtAppDaemon. */
export function isYurtAppOverrider({ apiVersion, kind }: PlainMap): boolean {
  return kind === 'YurtAppOverrider' && String(apiVersion).startsWith('apps.openyurt.io/');
}

/** The YurtAppSet or YurtAppDaemon that a YurtAppOverrider patches, as far as it names it. */
export function overriddenBy(object: PlainMap): PlainMap {
  const { kind, name } = mapAt(object, 'subject');
  return { kind, metadata: { name, namespace: mapAt(object, 'metadata').namespace } };
}

/** Reports patches of a YurtAppOverrider that undo the exclusion of its subject, whatever else the subject has. */
export function checkYurtAppOverrider(object: PlainMap, problems: ProblemList): void {
  const entries = listAt(object, 'entries');
  if (holdsUnknown(entries)) {
    return;
  }
  const lists = entries.map((entry, index) => operationsIn(listAt(entry, 'patches'), ['entries', index, 'patches']));
  const label = OPENYURT_HOST_NETWORK;
  const guard = exclusionGuard(label, (podSpec, found) => findContradictions(podSpec, label, found));
  checkPatches(EXCLUDED_DEPLOYMENT, lists, guard, problems);
}

const TEMPLATE = ['spec', 'workload', 'workloadTemplate'];
const TWEAKS = ['spec', 'workload', 'workloadTweaks'];

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
  return itemsOf(tweaks)
    .filter(isMap)
    .map((tweak, index) => {
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
      const where = problems.at(...at, isGiven ? 'nodepoolSelector' : 'pools');
      const message = `the tweak applies to no pool${isGiven ? `: no label of ${names.join(', ')} matches` : ''}`;
      const hint = "write pools: ['…'] in it, or a nodepoolSelector for labels of the pools (metadata.labels)";
      where.add(isGiven ? 'EDGE_CONTRADICTION' : 'EDGE_MISSING', message, hint);
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
  return itemsOf(tweaks).flatMap((tweak, index): EdgeWarning[] => {
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
    : itemsOf(tweaks).flatMap((tweak) =>
        isUnknown(tweak) ? [tweak] : (mapAt(mapAt({ tweak }, 'tweak'), 'tweaks').replicas ?? []),
      );
}

/** The most Pods that a YurtAppSet has in one of its pools, by its tweaks. */
export function mostReplicas(object: PlainMap): number {
  return Math.max(0, ...tweakedReplicas(object).filter((count) => typeof count === 'number'));
}
