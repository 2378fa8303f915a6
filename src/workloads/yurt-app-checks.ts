import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { statefulYurtAppSets } from '../cluster/openyurt-capabilities.js';
import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';

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

const listAt = (map: PlainMap, field: string): unknown[] =>
  Array.isArray(map[field]) ? (map[field] as unknown[]) : [];

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
