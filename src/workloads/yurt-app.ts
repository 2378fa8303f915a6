import type { EdgeWarning, ProblemList } from '../errors.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';

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

/**
 * The controller of YurtAppSet replaces the pool in the nodeSelector by each pool in the object (OpenYurt 1.5 to 1.7,
 * workloadmanager/deployment_manager.go), so the object must have the pools of the workload and no others.
 */
export function checkYurtAppPools(object: PlainMap, pools: readonly NodePoolAttributes[], problems: ProblemList): void {
  if (object.kind !== 'YurtAppSet') {
    return;
  }
  const spec = mapAt(object, 'spec');
  const topology = mapAt(spec, 'topology').pools;
  const named: [path: (string | number)[], name: unknown][] = [
    ...(Array.isArray(spec.pools) ? (spec.pools as unknown[]) : []).map(
      (name, index): [(string | number)[], unknown] => [['spec', 'pools', index], name],
    ),
    ...(Array.isArray(topology) ? (topology as unknown[]) : []).map((pool, index): [(string | number)[], unknown] => [
      ['spec', 'topology', 'pools', index, 'name'],
      isMap(pool) ? pool.name : pool,
    ]),
  ];
  for (const [path, name] of named) {
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
