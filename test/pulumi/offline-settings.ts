import type { EdgeCluster } from 'edge-nodepools';

/** Settings for nodes that are unreachable that the kind of the workload can have. */
export function offlineSettings(on: EdgeCluster, kind: string, settings: Record<string, unknown>): object {
  const { rollout, nodesAway, autonomy, ...others } = settings;
  const isOfDaemons = on.hasOpenYurt() ? rollout : rollout === 'rolling' ? rollout : 'on-delete';
  const chosen = kind === 'DaemonSet' ? isOfDaemons : kind === 'Deployment' ? 'rolling' : 'on-delete';
  return {
    ...others,
    ...(autonomy === undefined || (kind === 'DaemonSet' && autonomy === '90s') ? {} : { autonomy }),
    ...(rollout === undefined ? {} : { rollout: chosen }),
    ...(rollout === undefined || !['rolling', 'advanced-rolling'].includes(String(chosen)) || nodesAway === undefined
      ? {}
      : { nodesAway }),
  };
}
