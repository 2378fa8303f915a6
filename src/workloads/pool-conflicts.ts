import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../errors.js';
import { expressionsOf, findContradictions, REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { mapAt, type ObjectPath, type PlainMap } from '../validation/plain-data.js';
import { checkExcludedYurtApp, type HostNetworkPools } from './yurt-app.js';
import { checkYurtAppPatches, exclusionGuard } from './yurt-app-patches.js';

/** Reports what OpenYurt makes of an excluded YurtAppSet or YurtAppDaemon that is not excluded. */
export function checkYurtApp(
  cluster: EdgeCluster,
  manifest: PlainMap,
  templates: readonly ObjectPath[],
  pools: HostNetworkPools,
  problems: ProblemList,
): void {
  checkExcludedYurtApp(manifest, cluster.nodePoolLabel, pools, problems);
  const find = (podSpec: PlainMap, list: ProblemList): void => {
    findContradictions(podSpec, cluster.hostNetworkLabel, list);
    findPoolContradictions(cluster.nodePoolLabel, pools.isHostNetworkPool ?? (() => false), podSpec, list);
  };
  checkYurtAppPatches(manifest, templates, exclusionGuard(cluster.hostNetworkLabel, find), problems);
}

/** Reports a workload that requires host-network pools: it can never run once it is excluded. */
export function findPoolContradictions(
  membershipLabel: string,
  isHostNetworkPool: (poolName: string) => boolean,
  podSpec: PlainMap,
  problems: ProblemList,
): void {
  const isRefused = (name: unknown): boolean => typeof name === 'string' && isHostNetworkPool(name);
  const hint = 'name a regular pool, or use HostNetworkWorkload instead';
  const selected = mapAt(podSpec, 'nodeSelector')[membershipLabel];
  if (isRefused(selected)) {
    problems
      .at('nodeSelector', membershipLabel)
      .add(
        'EDGE_CONTRADICTION',
        `conflicting scheduling constraints: the nodeSelector requires the host-network pool ${String(selected)}, the exclusion forbids its nodes`,
        hint,
      );
  }
  (requiredTerms(podSpec) ?? []).forEach((term, index) => {
    expressionsOf(term).forEach(({ key, operator, values }, position) => {
      if (key === membershipLabel && operator === 'In' && Array.isArray(values) && values.every(isRefused)) {
        problems
          .at(...REQUIRED_PATH, 'nodeSelectorTerms', index, 'matchExpressions', position)
          .add(
            'EDGE_CONTRADICTION',
            `conflicting scheduling constraints: nodeSelectorTerms[${index}] requires host-network pools (${values.join(', ')}), the exclusion forbids their nodes`,
            hint,
          );
      }
    });
  });
}
