import { mapAt, type PlainMap } from '../base/plain-data.js';
import { scaled, waitsForNewPods, workloadSpecs } from '../workloads/rollout.js';
import type { Demand } from '../workloads/workload-size.js';

/** What the rollout of a workload finds on the nodes where its Pods are. */
interface RolloutPlaces {
  readonly demand: Demand;
  /** Whether its Pods take ports of their nodes. */
  readonly takesPorts: boolean;
  /** How many Pods find a place besides those that it has; undefined if that is not known. */
  readonly spare: number | undefined;
}

/**
 * Why a change of a workload would never be rolled out, although its Pods run: no old Pod may go first, and no new one finds a node (pkg/controller/deployment
 * rolling.go, util ResolveFenceposts; pkg/controller/daemon/update.go). Undefined if it is, or if that is not known.
 */
export function stuckRollout(object: PlainMap, places: RolloutPlaces): string | undefined {
  const [found] = workloadSpecs(object);
  if (found?.kind === 'DaemonSet') {
    const { type, rollingUpdate } = mapAt(found.spec, 'updateStrategy');
    const { maxSurge } = mapAt({ rollingUpdate }, 'rollingUpdate');
    return places.takesPorts && type !== 'OnDelete' && scaled(maxSurge ?? 0, 1, true) > 0
      ? `with maxSurge ${scaledText(maxSurge)} the new Pod waits for the port of the old one on the same node; write maxSurge: 0, maxUnavailable: 1`
      : undefined;
  }
  const { demand, spare } = places;
  if (found?.kind !== 'Deployment' || typeof demand !== 'number' || spare === undefined || spare > 0) {
    return undefined;
  }
  const { type, rollingUpdate } = mapAt(found.spec, 'strategy');
  const { maxSurge, maxUnavailable } = mapAt({ rollingUpdate }, 'rollingUpdate');
  return type !== 'Recreate' && waitsForNewPods(maxSurge, maxUnavailable, demand)
    ? `${scaledText(maxUnavailable)} of ${demand} ${demand === 1 ? 'Pod' : 'Pods'} is 0, so no old Pod may go first, and no node has a place for a new one; write maxSurge: 0, maxUnavailable: 1`
    : undefined;
}

/** A number or a percentage. */
function scaledText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '25%';
}
