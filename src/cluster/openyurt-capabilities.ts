import type { EdgeCluster } from './edge-cluster.js';
import { kubeletFlagRemovedIn } from './kubelet-capabilities.js';
import {
  openYurtRow,
  convertsEarlierNodePools,
  isConvertedLater,
  type NodePoolVersion,
  type OpenYurtRelease,
  OPENYURT_RELEASES,
} from './openyurt-releases.js';

/** What yurt-manager, yurthub and yurtadm of an OpenYurt release support. Sources are in openyurt-releases.ts. */

/**
 * Whether an earlier OpenYurt release stored NodePools in another API version than this one (OpenYurt 1.7+). Until such a pool is written again, the
 * API server can read it only while yurt-manager, which converts it, is up.
 */
export function convertsStoredNodePools(cluster: EdgeCluster): boolean {
  const release = openYurtRow(cluster.openYurt);
  return release !== undefined && convertsEarlierNodePools(release);
}

/**
 * Whether a host-network pool of this release also needs the annotation `nodepool.openyurt.io/hostnetwork=true` (OpenYurt 1.4 to 1.6): without it the
 * upgrade to 1.7 turns it into a regular pool.
 */
export function needsHostNetworkAnnotation(cluster: EdgeCluster): boolean {
  const release = openYurtRow(cluster.openYurt);
  return release !== undefined && isConvertedLater(release);
}

/** The first release that has something, for messages: `OpenYurt 1.7`. */
export function firstOpenYurtWith(has: (release: OpenYurtRelease) => boolean): string {
  return `OpenYurt ${OPENYURT_RELEASES.find(has)?.release ?? ''}`;
}

/** All versions of the NodePool kind, in any release. */
export const NODE_POOL_VERSIONS: readonly NodePoolVersion[] = [
  ...new Set(OPENYURT_RELEASES.flatMap(({ nodePoolVersions }) => nodePoolVersions)),
];

/** The versions of the NodePool kind that the release serves and converts into the one that it stores. */
export function olderNodePoolVersions(cluster: EdgeCluster): NodePoolVersion[] {
  const row = openYurtRow(cluster.openYurt);
  return row?.nodePoolVersions.filter((version) => version !== row.nodePoolVersion) ?? [];
}

/** Whether yurt-manager keeps matchConditions of its own webhooks (OpenYurt 1.5+); 1.4 drops them with its first update. */
export function openYurtKeepsMatchConditions(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.keepsMatchConditions ?? false;
}

/** Whether a controller acts on YurtAppDaemon objects (OpenYurt 1.4 to 1.6). */
export function hasYurtAppDaemonController(cluster: EdgeCluster): boolean {
  const release = openYurtRow(cluster.openYurt);
  return release !== undefined && !release.retiredKinds.includes('YurtAppDaemon');
}

/** Whether the release has YurtAppSet v1beta1, with `workloadTweaks` (OpenYurt 1.5+). */
export function hasWorkloadTweaks(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.yurtAppSetVersion === 'v1beta1';
}

/** What yurt-manager does with a YurtAppSet of StatefulSets. */
export function statefulYurtAppSets(cluster: EdgeCluster): OpenYurtRelease['statefulYurtAppSets'] {
  return openYurtRow(cluster.openYurt)?.statefulYurtAppSets ?? 'status';
}

/** Whether a node can leave its pool by removal of the membership label (OpenYurt 1.7+, and without OpenYurt). */
export function canLeavePool(cluster: EdgeCluster): boolean {
  const release = openYurtRow(cluster.openYurt);
  return release === undefined || release.membership === 'removable';
}

/** Whether yurt-manager runs its own nodelifecycle controller by default, so that the one of kube-controller-manager must be disabled (OpenYurt 1.4 and 1.5). */
export function runsOwnNodeLifecycle(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.nodeLifecycle ?? false;
}

/** Node annotation by which a node is autonomous: its value is a time, or a word for one in releases that know only forever (OpenYurt 1.4 and 1.5). */
export const AUTONOMY_ANNOTATIONS = {
  duration: 'node.openyurt.io/autonomy-duration',
  forever: 'node.beta.openyurt.io/autonomy',
  binding: 'apps.openyurt.io/binding',
} as const;

/** Whether OpenYurt knows a node that is autonomous for a time, not only forever (OpenYurt 1.6+). */
export function hasAutonomyDuration(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.autonomyDuration ?? false;
}

/**
 * Whether yurt-manager sets `tolerationSeconds: 300` for running Pods of every node that is not autonomous, in tolerations with operator Exists and no others
 * (OpenYurt 1.4 and 1.5, addOrUpdateTolerationInPodSpec).
 */
export function resetsTolerations(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.autonomyDuration === false;
}

/** Whether DaemonPodUpdater of yurt-manager acts on a DaemonSet with this update strategy (1.4 by the exact name; `Auto` up to 1.6). */
export function updaterReads(cluster: EdgeCluster, strategy: string): boolean {
  const { names, anyCase } = openYurtRow(cluster.openYurt)?.updateStrategies ?? { names: [], anyCase: false };
  return names.some((name) => name === strategy || (anyCase && name.toLowerCase() === strategy.toLowerCase()));
}

/** Whether the documentation of the OpenYurt release recommends the Service annotation `openyurt.io/topologyKeys` (1.4 to 1.6; 1.7 still reads it). */
export function recommendsTopologyAnnotation(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.topologyAnnotation ?? false;
}

/** Whether yurt-manager converts a node into an edge node once it has the label of an Edge pool (OpenYurt 1.7+). */
export function convertsNodes(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.conversion !== undefined;
}

/** Whether a boot starts yurthub by itself (OpenYurt up to 1.6, and without OpenYurt there is none). */
export function enablesYurthub(cluster: EdgeCluster): boolean {
  return openYurtRow(cluster.openYurt)?.conversion?.unitEnabled ?? true;
}

/** A flag that `yurtadm join` passes to kubelet and that the cluster's kubelet does not have, so that it would not start; undefined if there is none. */
export function flagThatStopsYurtadm(cluster: EdgeCluster): string | undefined {
  return openYurtRow(cluster.openYurt)?.yurtadmKubeletFlags.find(
    (flag) => kubeletFlagRemovedIn(cluster, flag) !== undefined,
  );
}
