import type { FleetNode } from './outage-fleet.js';
import {
  detectionOf,
  EXCLUDE_DISRUPTION,
  type NodeLifecycle,
  type TimeRange,
  type ZoneState,
  zoneStateOf,
  type ZoneTaints,
  zoneTaints,
} from './node-lifecycle.js';

/**
 * A number between two numbers.
 *
 * @category Foresee an outage
 */
export interface CountRange {
  /** At least so many. */
  readonly min: number;
  /** At most so many. */
  readonly max: number;
}

/**
 * A zone of Nodes, by their labels for zone and region, and what kube-controller-manager does with those that are unreachable.
 *
 * @category Foresee an outage
 */
export interface ZoneOutage {
  /** Labels of region and zone, `region/zone`, `zone` or `region/`; empty for Nodes without them. */
  readonly zone: string;
  /** Pools in the zone. */
  readonly pools: readonly string[];
  /** Number of its Nodes. */
  readonly nodes: number;
  /** Number of those that are not Ready during the outage. */
  readonly notReady: number;
  /** `full`: no Node is Ready. `partial`: too many are not Ready. */
  readonly state: ZoneState;
  /** How many of the Nodes that are unreachable get the taint `NoExecute`, if the outage lasts long enough. */
  readonly tainted: CountRange;
  /** When, in seconds after the beginning; the order of the Nodes is not defined.
   * @default - no Node gets it */
  readonly taintedAt?: TimeRange;
  /** Why. */
  readonly rule: string;
}

/** A zone with the function of the rule. */
export interface ZoneRule {
  readonly report: ZoneOutage;
  /** Number of its Nodes that are unreachable. */
  readonly away: number;
  readonly taints: ZoneTaints;
}

/** More other Nodes than the Nodes of any fleet. */
const MANY = 1e9;

/**
 * The rule for each zone with Nodes that are unreachable.
 *
 * @param others number of Nodes of the cluster that are not in the manifests, all Ready and without labels for zones; undefined if it is not known
 */
export function zoneRules(
  nodes: readonly FleetNode[],
  lifecycle: NodeLifecycle,
  lasts: number,
  others: number | undefined,
): Map<string, ZoneRule> {
  const rules = rulesWith(nodes, lifecycle, lasts, others ?? 0);
  if (others !== undefined) {
    return rules;
  }
  // between none and many there is no third outcome: more Nodes that are Ready only bring a zone nearer to normal
  const withMany = rulesWith(nodes, lifecycle, lasts, MANY);
  return new Map([...rules].map(([zone, rule]) => [zone, either(rule, withMany.get(zone) as ZoneRule, lasts)]));
}

/** A zone of which either may be true. */
function either(one: ZoneRule, other: ZoneRule, lasts: number): ZoneRule {
  const { report, away } = one;
  if (report.state === other.report.state && one.taints.rate === other.taints.rate) {
    return one;
  }
  const taintOf: ZoneTaints['taintOf'] = (position) => {
    const [a, b] = [one.taints.taintOf(position), other.taints.taintOf(position)];
    const earliest = Math.min(a?.earliest ?? Infinity, b?.earliest ?? Infinity);
    const latest = Math.max(a?.latest ?? Infinity, b?.latest ?? Infinity);
    return a === undefined && b === undefined ? undefined : { earliest, ...(latest === Infinity ? {} : { latest }) };
  };
  const taints = { ...one.taints, taintOf };
  const first = taintOf(1)?.earliest ?? Infinity;
  if (first >= lasts) {
    return one;
  }
  const rule = `unknown, because the manifests do not say how many other Nodes the cluster has. With none: ${report.rule}. With many: ${other.report.rule}`;
  const tainted = taintedBy(lasts, away, taints);
  return { away, taints, report: { ...report, tainted, taintedAt: { earliest: first }, rule } };
}

function rulesWith(
  nodes: readonly FleetNode[],
  lifecycle: NodeLifecycle,
  lasts: number,
  others: number,
): Map<string, ZoneRule> {
  const byZone = new Map<string, FleetNode[]>();
  for (const node of nodes) {
    const members = byZone.get(node.zone);
    if (members === undefined) {
      byZone.set(node.zone, [node]);
    } else {
      members.push(node);
    }
  }
  const counted = [...byZone].map(([zone, members]) => {
    const counting = members.filter(({ labels }) => !Object.hasOwn(labels, EXCLUDE_DISRUPTION));
    const notReady = counting.filter(({ isReady, isDown }) => isDown || !isReady).length;
    const more = zone === '' ? others : 0;
    const away = members.filter(({ isDown }) => isDown).length;
    return { zone, members, nodes: counting.length + more, notReady, away };
  });
  const states = counted
    .filter((zone) => zone.nodes > 0)
    .map((zone) => zoneStateOf(zone.notReady, zone.nodes, lifecycle.unhealthyZoneThreshold));
  // other Nodes are a zone of their own, if none of the manifests is without labels
  const stops = (others === 0 || byZone.has('')) && states.length > 0 && states.every((state) => state === 'full');
  const rules = counted
    .filter(({ away }) => away > 0)
    .map(({ zone, members, ...counts }): [string, ZoneRule] => {
      const taints = zoneTaints(counts, stops, lifecycle);
      const first = lifecycle.nodeLifecycle ? taints.taintOf(1) : undefined;
      const last = taints.taintOf(counts.away);
      const latest = last?.latest;
      const rule = ruleOf(counts, taints, stops, lifecycle);
      const isTainted = first !== undefined && first.earliest < lasts;
      const report: ZoneOutage = {
        zone,
        pools: [...new Set(members.map(({ pool }) => pool))],
        nodes: counts.nodes,
        notReady: counts.notReady,
        state: taints.state,
        tainted: isTainted ? taintedBy(lasts, counts.away, taints) : { min: 0, max: 0 },
        ...(isTainted ? { taintedAt: { earliest: first.earliest, ...(latest === undefined ? {} : { latest }) } } : {}),
        rule: isTainted || !lifecycle.nodeLifecycle ? rule : backBefore(lasts, lifecycle),
      };
      return [zone, { report, away: counts.away, taints }];
    });
  return new Map(rules);
}

/** How many Nodes have the taint at a time. */
function taintedBy(time: number, away: number, { taintOf }: ZoneTaints): CountRange {
  const until = (reached: (range: TimeRange) => boolean): number => {
    // the times grow with the position
    let [low, high] = [0, away];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const range = taintOf(middle);
      if (range !== undefined && reached(range)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  };
  return {
    min: until(({ latest }) => latest !== undefined && latest <= time),
    max: until(({ earliest }) => earliest <= time),
  };
}

function backBefore(lasts: number, lifecycle: NodeLifecycle): string {
  return `back after ${lasts} s, before they are found to be away (from ${detectionOf(lifecycle).earliest} s on)`;
}

function ruleOf(
  { nodes, notReady }: { readonly nodes: number; readonly notReady: number },
  { state, rate }: ZoneTaints,
  stops: boolean,
  lifecycle: NodeLifecycle,
): string {
  const { unhealthyZoneThreshold, largeClusterSizeThreshold } = lifecycle;
  const share = `${notReady} of ${nodes < MANY ? nodes : 'many'} Nodes not Ready`;
  if (!lifecycle.nodeLifecycle) {
    return 'the node-lifecycle-controller is off: no Node gets a taint';
  }
  if (stops) {
    return `${share}, as in every other zone: all evictions stop`;
  }
  const speed = `${rate} Nodes in a second`;
  if (state === 'full') {
    return `${share}: a whole zone, ${speed} as in normal operation`;
  }
  if (state === 'normal') {
    return `${share}, ${notReady <= 2 ? 'at most 2' : `less than ${unhealthyZoneThreshold}`}: normal operation, ${speed}`;
  }
  return nodes > largeClusterSizeThreshold
    ? `${share}, at least ${unhealthyZoneThreshold}, and more than ${largeClusterSizeThreshold} Nodes: ${speed}`
    : `${share}, at least ${unhealthyZoneThreshold}, and at most ${largeClusterSizeThreshold} Nodes: evictions stop`;
}
