import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../errors.js';
import type { ObjectPath, PlainMap } from '../validation/plain-data.js';
import { findContradictions, findPoolContradictions } from './exclusion-contradictions.js';
import { checkExcludedYurtApp, type HostNetworkPools } from './yurt-app-checks.js';
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
