import { kubernetesRow } from '../cluster/kubernetes-minors.js';

// The rules of kube-controller-manager's node-lifecycle-controller, which are the same in 1.30 and 1.36 but for the default grace period
// (pkg/controller/nodelifecycle/node_lifecycle_controller.go). Times are seconds.

/** The flags of kube-controller-manager that decide when Nodes get taints, and what the kubelets do. */
export interface NodeLifecycle {
  readonly nodeMonitorPeriod: number;
  readonly nodeMonitorGracePeriod: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly unhealthyZoneThreshold: number;
  readonly largeClusterSizeThreshold: number;
  /** How often a kubelet renews its Lease: a quarter of nodeLeaseDurationSeconds. */
  readonly leaseRenewInterval: number;
  /** Whether the node-lifecycle-controller runs. */
  readonly nodeLifecycle: boolean;
  /** Whether the taint-eviction-controller runs. */
  readonly taintEviction: boolean;
}

/** The defaults of a minor of the table (pkg/controller/nodelifecycle/config/v1alpha1/defaults.go, cmd/kube-controller-manager/app/options). */
export function nodeLifecycleOf(minor: string): NodeLifecycle {
  return {
    nodeMonitorPeriod: 5,
    nodeMonitorGracePeriod: kubernetesRow(minor).nodeMonitorGracePeriod,
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    unhealthyZoneThreshold: 0.55,
    largeClusterSizeThreshold: 50,
    leaseRenewInterval: 10,
    nodeLifecycle: true,
    taintEviction: true,
  };
}

type Labels = Readonly<Record<string, string>>;

/** Labels that make the zone of a Node, the ones that count first first. */
export const ZONE_LABELS = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'] as const;
export const REGION_LABELS = ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'] as const;

/** The zone of a Node, `region/zone`, `zone` or `region/`; Nodes without these labels are one zone (GetZoneKey). */
export function zoneOf(labels: Labels): string {
  const [zone = '', region = ''] = [ZONE_LABELS, REGION_LABELS].map(
    ([beta, stable]) => (Object.hasOwn(labels, beta) ? labels[beta] : labels[stable]) ?? '',
  );
  return region === '' ? zone : `${region}/${zone}`;
}

/** A Node with this label, whatever its value, does not count for the state of its zone; it gets its taint all the same. */
export const EXCLUDE_DISRUPTION = 'node.kubernetes.io/exclude-disruption';

/**
 * State of a zone.
 *
 * @category Foresee an outage
 */
export type ZoneState = 'normal' | 'partial' | 'full';

/** ComputeZoneState, which divides in single precision. */
export function zoneStateOf(notReady: number, nodes: number, unhealthyZoneThreshold: number): ZoneState {
  if (notReady > 0 && notReady === nodes) {
    return 'full';
  }
  const share = Math.fround(Math.fround(notReady) / Math.fround(nodes));
  return notReady > 2 && share >= Math.fround(unhealthyZoneThreshold) ? 'partial' : 'normal';
}

/** Nodes of a zone that get a NoExecute taint in a second (setLimiterInZone): with all Nodes away the same as in normal operation. */
export function evictionRateOf(state: ZoneState, nodes: number, lifecycle: NodeLifecycle): number {
  if (state !== 'partial') {
    return lifecycle.nodeEvictionRate;
  }
  return nodes > lifecycle.largeClusterSizeThreshold ? lifecycle.secondaryNodeEvictionRate : 0;
}

/**
 * Times between which something happens; without `latest` it need not happen.
 *
 * @category Foresee an outage
 */
export interface TimeRange {
  /** In seconds after the beginning. */
  readonly earliest: number;
  /** In seconds after the beginning.
   * @default - it need not happen */
  readonly latest?: number;
}

/** When Nodes are found to be away. */
export interface Detection {
  readonly earliest: number;
  readonly latest: number;
  /** Time between the first and the last Node, at most. */
  readonly spread: number;
}

/**
 * When the Nodes that lose their network at 0 are found. A probe counts from the pass that saw the last renewal, and a pass comes each
 * nodeMonitorPeriod.
 */
export function detectionOf(lifecycle: NodeLifecycle): Detection {
  const { nodeMonitorGracePeriod, nodeMonitorPeriod, leaseRenewInterval } = lifecycle;
  const passes = nodeMonitorPeriod === 0 ? 0 : Math.ceil(leaseRenewInterval / nodeMonitorPeriod);
  return {
    earliest: Math.max(0, nodeMonitorGracePeriod - leaseRenewInterval),
    latest: nodeMonitorGracePeriod + 2 * nodeMonitorPeriod,
    spread: nodeMonitorPeriod === 0 ? leaseRenewInterval : passes * nodeMonitorPeriod,
  };
}

/** What happens to the Nodes of one zone that are unreachable. */
export interface ZoneTaints {
  readonly state: ZoneState;
  /** Nodes with a NoExecute taint in a second, once all of them are found. */
  readonly rate: number;
  /** Nodes that get the taint before the zone is in its state, at most: its rate is that of a normal zone until then, and one is due at once. */
  readonly before: number;
  /** When the first, the second … of them gets the NoExecute taint; those after the last one never do. Which of them is first is not defined. */
  readonly taintOf: (position: number) => TimeRange | undefined;
}

/**
 * The rule of one zone.
 *
 * @param zone numbers of the Nodes that count for its state, and of all that are unreachable
 * @param stops whether all zones are without a Ready Node: then nothing gets a taint any more
 * @param detection when the Nodes are found
 */
export function zoneTaints(
  zone: { readonly nodes: number; readonly notReady: number; readonly away: number },
  stops: boolean,
  lifecycle: NodeLifecycle,
  detection: Detection = detectionOf(lifecycle),
): ZoneTaints {
  const state = zoneStateOf(zone.notReady, zone.nodes, lifecycle.unhealthyZoneThreshold);
  const rate = stops ? 0 : evictionRateOf(state, zone.nodes, lifecycle);
  const normal = lifecycle.nodeEvictionRate;
  const early = 1 + normal * detection.spread;
  const before = Math.min(zone.away, Math.floor(early));
  return {
    state,
    rate,
    before,
    taintOf: (position) => {
      if (position > zone.away || (rate === 0 && position > before)) {
        return undefined;
      }
      const earliest =
        position <= early
          ? detection.earliest + (position === 1 ? 0 : (position - 1) / normal)
          : detection.earliest + detection.spread + (position - early) / rate;
      // the new limiter of a zone that had none begins empty (RateLimitedTimedQueue.SwapLimiter)
      return rate === 0 ? { earliest } : { earliest, latest: detection.latest + position / rate };
    },
  };
}
