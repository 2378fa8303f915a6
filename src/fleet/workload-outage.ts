import { nameOf } from '../kubernetes/object.js';
import { type PlainMap, mapAt } from '../base/plain-data.js';
import type { NodeLifecycle, TimeRange } from './node-lifecycle.js';
import type { FleetNode, NodeGroup } from './outage-fleet.js';
import { type Places, type PlacesState, placesOf } from './outage-places.js';
import { type OutageUnit, type UnitState, unitsOf } from './outage-units.js';
import { ownerOf, stayOf, stayOnNodes } from './pod-stay.js';
import type { CountRange, ZoneRule } from './zone-outage.js';

/**
 * What happens to the Pods of a workload that are on Nodes that are unreachable.
 *
 * @category Foresee an outage
 */
export type PodOutcome = 'not there' | 'stays' | 'evicted' | 'perhaps evicted';

/**
 * What an outage does to one workload.
 *
 * @category Foresee an outage
 */
export interface WorkloadOutage {
  /** `Deployment default/web` */
  readonly workload: string;
  /** Pool of the Deployment or StatefulSet, of which OpenYurt makes one in each pool.
   * @default - it is no YurtAppSet */
  readonly pool?: string;
  /** Its Pods on Nodes that are unreachable. Without Pods in the manifests this is what the scheduler may have done. */
  readonly pods: CountRange;
  /** What happens to them. */
  readonly outcome: PodOutcome;
  /** Pods that are evicted while the outage lasts. */
  readonly evicted: CountRange;
  /** When, in seconds after the beginning.
   * @default - none is evicted */
  readonly evictedAt?: TimeRange;
  /** What happens then. `replaced`: another Pod runs elsewhere, and the evicted one goes on running on its Node until the network is back (two at once).
   * @default - none is evicted */
  readonly then?: AfterEviction;
  /** Pools whose Nodes can run the replacement.
   * @default - none is replaced */
  readonly replacedOn?: readonly string[];
  /** Whether both Pods run at the same time. */
  readonly doubled: boolean;
  /** Why. */
  readonly rule: string;
}

/** The Nodes of a pool. */
export interface PoolState {
  readonly nodes: FleetNode[];
  readonly groups: NodeGroup[];
}

/** What is known of the fleet during the outage. */
export interface OutageState extends UnitState, PlacesState {
  /** Nodes and groups of each pool. */
  readonly ofPools: ReadonlyMap<string, PoolState>;
  readonly zones: ReadonlyMap<string, ZoneRule>;
  /** How long it lasts, in seconds. */
  readonly lasts: number;
  readonly lifecycle: NodeLifecycle;
  /** Minor of kube-controller-manager. */
  readonly kubernetes: string;
}

/** The Pods of the manifests that are on a Node, by the name of their workload, or their own. */
export function podsByWorkload(objects: readonly PlainMap[], workloads: ReadonlySet<string>): Map<string, PlainMap[]> {
  const owners = new Map(objects.map((object) => [nameOf(object), ownerOf(object)]));
  const pods = new Map<string, PlainMap[]>();
  for (const pod of objects) {
    const isOver = ['Succeeded', 'Failed'].includes(String(mapAt(pod, 'status').phase));
    if (pod.kind !== 'Pod' || typeof mapAt(pod, 'spec').nodeName !== 'string' || isOver) {
      continue;
    }
    let name = nameOf(pod);
    for (let steps = 0; steps < 4 && !workloads.has(name); steps++) {
      name = owners.get(name) ?? ownerOf(pod) ?? name;
    }
    const others = pods.get(name);
    if (others === undefined) {
      pods.set(name, [pod]);
    } else {
      others.push(pod);
    }
  }
  return pods;
}

/** Pods of one workload on the Nodes of one zone. */
interface InZone {
  readonly zone: ZoneRule;
  readonly pods: CountRange;
}

/** What the outage does to the Pods of a workload; of a YurtAppSet, in each pool with Nodes that are unreachable. */
export function workloadOutage(object: PlainMap, state: OutageState): WorkloadOutage[] {
  const units = unitsOf(
    object,
    state,
    state.nodes.filter(({ isDown }) => isDown),
  );
  return units.length === 0 ? [notThere(nameOf(object))] : units.map((unit) => unitOutage(unit, state));
}

function notThere(workload: string): WorkloadOutage {
  const none = { min: 0, max: 0 };
  const rule = 'no Pod of it is on a Node that is unreachable';
  return { workload, pods: none, outcome: 'not there', evicted: none, doubled: false, rule };
}

/** The Nodes of a part of a workload. */
export function stateOf({ pool }: OutageUnit, state: OutageState): OutageState {
  return pool === undefined ? state : { ...state, ...state.ofPools.get(pool) };
}

/** What the outage does to the Pods of a part of a workload. */
export function unitOutage(unit: OutageUnit, all: OutageState): WorkloadOutage {
  const { there, pool } = unit;
  const state = stateOf(unit, all);
  const name = { workload: unit.workload, ...(pool === undefined ? {} : { pool }) };
  const places = placesOf(unit, state);
  const zones = there === undefined ? expected(unit, places, state) : seen(there, places, state);
  const pods = sum(zones.map((each) => each.pods));
  const total = there === undefined ? unit.demand : undefined;
  // all its Pods, if there is no other Node for them
  const counted = typeof total === 'number' ? atMost(pods, total, places) : pods;
  const stay = stayIn(unit, places);
  if (counted.max === 0) {
    return { ...notThere(unit.workload), ...name };
  }
  const none = { min: 0, max: 0 };
  if (stay.seconds === Infinity || !state.lifecycle.taintEviction) {
    const why = stay.seconds === Infinity ? stay.rule : 'the taint-eviction-controller is off';
    const rule = unit.unknown === undefined ? why : `${why}; ${unit.unknown}`;
    return { ...name, pods: counted, outcome: 'stays', evicted: none, doubled: false, rule };
  }
  const evictions = zones
    .filter((each) => each.pods.max > 0)
    .map((each) => evictionIn(each, stay.seconds, places, state));
  const added = sum(evictions.map(({ evicted }) => evicted));
  const certain = evictions.every(({ all }) => all) && !stay.differs && unit.unknown === undefined;
  const evicted = {
    min: certain ? counted.min : stay.differs || unit.unknown !== undefined ? 0 : Math.min(added.min, counted.min),
    max: Math.min(added.max, counted.max),
  };
  const reasons = [...new Set(evictions.map(({ rule }) => rule))];
  const more = reasons.length > 2 ? `; and ${reasons.length - 2} more` : '';
  const rule = [
    `${reasons.slice(0, 2).join('; ')}${more}`,
    stay.rule,
    ...(unit.unknown === undefined ? [] : [unit.unknown]),
  ].join('; ');
  if (evicted.max === 0) {
    return { ...name, pods: counted, outcome: 'stays', evicted, doubled: false, rule };
  }
  const evictedAt = timesOf(evictions);
  const isCertain = certain && counted.min > 0;
  const { why, ...after } = afterEviction(unit, places, counted);
  return {
    ...name,
    pods: counted,
    outcome: isCertain ? 'evicted' : 'perhaps evicted',
    evicted,
    evictedAt,
    ...after,
    rule: [certain ? stay.rule : rule, ...why].join('; '),
  };
}

/** How long its Pods stay: as the Pods that are there, or those of its template, say. */
function stayIn(
  { kind, pod: ofTemplate, there, isStatic }: OutageUnit,
  { down }: Places,
): ReturnType<typeof stayOnNodes> {
  const isDaemon = kind === 'DaemonSet';
  if (isStatic) {
    return { seconds: Infinity, rule: 'kubelet runs static Pods, and nothing evicts them', differs: false };
  }
  const [pod] = there ?? [];
  const own = stayOf(pod === undefined ? ofTemplate.spec : mapAt(pod, 'spec'), isDaemon, pod === undefined);
  // what the controller has done is written in the Pods
  return stayOnNodes(own, isDaemon, pod === undefined ? down.map(({ autonomy }) => autonomy) : []);
}

function timesOf(evictions: readonly Eviction[]): TimeRange {
  const times = evictions.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const latest = Math.max(...times.map((time) => time.latest ?? Infinity));
  return {
    earliest: Math.min(...times.map(({ earliest }) => earliest)),
    ...(Number.isFinite(latest) && times.length === evictions.length ? { latest } : {}),
  };
}

function sum(ranges: readonly CountRange[]): CountRange {
  return {
    min: ranges.reduce((all, { min }) => all + min, 0),
    max: ranges.reduce((all, { max }) => all + max, 0),
  };
}

function atMost(range: CountRange, total: number, { up, down, onePerNode }: Places): CountRange {
  const most = Math.min(total, range.max);
  const rest = onePerNode ? Math.max(0, total - up) : up === 0 ? total : 0;
  return { min: down.length === 0 ? 0 : Math.min(rest, most), max: most };
}

/** Pods of a workload on the zones' Nodes that are unreachable, as its controller or the scheduler may have placed them. */
function expected({ kind, demand }: OutageUnit, { down, onePerNode }: Places, { zones }: OutageState): InZone[] {
  const byZone = new Map<string, number>();
  down.forEach(({ zone }) => byZone.set(zone, (byZone.get(zone) ?? 0) + 1));
  return [...byZone].map(([zone, nodes]) => {
    const isEach = demand === 'every node';
    const most = isEach ? nodes : onePerNode ? Math.min(nodes, demand) : demand;
    // a static Pod is on the Nodes that have its file
    const least = isEach && kind !== 'YurtStaticSet' ? nodes : 0;
    return { zone: zones.get(zone) as ZoneRule, pods: { min: least, max: most } };
  });
}

/** The Pods that are there. One that is on its Node and never starts is none. */
function seen(pods: readonly PlainMap[], places: Places, { nodes, zones }: OutageState): InZone[] {
  const able = new Set(places.down.map(({ name }) => name));
  const down = new Map(nodes.filter(({ isDown }) => isDown).map(({ name, zone }) => [name, zone]));
  const byZone = new Map<string, number>();
  for (const pod of pods) {
    const on = String(mapAt(pod, 'spec').nodeName);
    const zone = down.get(on);
    if (zone !== undefined && (able.has(on) || mapAt(pod, 'status').phase !== 'Pending')) {
      byZone.set(zone, (byZone.get(zone) ?? 0) + 1);
    }
  }
  return [...byZone].map(([zone, count]) => ({ zone: zones.get(zone) as ZoneRule, pods: { min: count, max: count } }));
}

interface Eviction {
  readonly evicted: CountRange;
  /** Whether every Pod is evicted for certain. */
  readonly all: boolean;
  readonly at?: TimeRange;
  readonly rule: string;
}

/** Evictions in one zone: tolerationSeconds after the taint, if the Node is not back before. */
function evictionIn({ zone, pods }: InZone, seconds: number, { onePerNode }: Places, state: OutageState): Eviction {
  const { lasts, lifecycle } = state;
  const first = lifecycle.nodeLifecycle ? zone.taints.taintOf(1) : undefined;
  // until the API server hears of a Node again, and the next pass takes the taint away
  const back = lasts + lifecycle.leaseRenewInterval + lifecycle.nodeMonitorPeriod;
  if (first === undefined || first.earliest >= lasts) {
    return { evicted: { min: 0, max: 0 }, all: false, rule: zone.report.rule };
  }
  if (first.earliest + seconds >= back) {
    return {
      evicted: { min: 0, max: 0 },
      all: false,
      rule: `back after ${lasts} s, before the eviction (${first.earliest + seconds} s at the earliest)`,
    };
  }
  const last = zone.taints.taintOf(zone.away)?.latest;
  const all = last !== undefined && last + seconds <= lasts;
  const possible = countUntil(zone, (range) => range.earliest + seconds < back);
  const sure = countUntil(zone, ({ latest }) => latest !== undefined && latest + seconds <= lasts);
  return {
    evicted: {
      // with one Pod on each Node of the zone, every tainted Node evicts one
      min: onePerNode && pods.min === pods.max ? Math.max(0, sure - (zone.away - pods.min)) : all ? pods.min : 0,
      max: onePerNode ? Math.min(pods.max, possible) : pods.max,
    },
    all,
    at: { earliest: first.earliest + seconds, ...(last === undefined ? {} : { latest: last + seconds }) },
    rule: zone.report.rule,
  };
}

function countUntil({ taints, away }: ZoneRule, holds: (range: TimeRange) => boolean): number {
  let [low, high] = [0, away];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const range = taints.taintOf(middle);
    [low, high] = range !== undefined && holds(range) ? [middle, high] : [low, middle - 1];
  }
  return low;
}

/**
 * What follows an eviction; a Node without network goes on running the Pod until it is back. `unknown`: a controller that is not in the manifests decides.
 *
 * @category Foresee an outage
 */
export type AfterEviction =
  'replaced' | 'waits for a Node' | 'waits for the same Node' | 'not created again' | 'unknown';

/** What follows an eviction, in the fields of the report. */
interface Following {
  readonly then: AfterEviction;
  readonly replacedOn?: readonly string[];
  readonly doubled: boolean;
  /** Why, where the kind of the workload does not say it. */
  readonly why: readonly string[];
}

/** What the controller does after an eviction. The kubelet of a Node without network never hears of it: its Pod goes on, and stays Terminating. */
function afterEviction(
  { kind, spec, pod, demand: total, controller }: OutageUnit,
  { groups, up, onePerNode, unread: ofPod }: Places,
  away: CountRange,
): Following {
  // Nodes on which the port is free
  const free = onePerNode && typeof total === 'number' ? up - (total - away.max) : up;
  if (kind === 'Pod') {
    return controller === undefined
      ? { then: 'not created again', doubled: false, why: [] }
      : { then: 'unknown', doubled: false, why: [`${controller}, which is not in the manifests, controls it`] };
  }
  // the API server removes it at once, whatever its kubelet does (pkg/registry/core/pod, CheckGracefulDelete)
  const isRemoved = pod.spec.terminationGracePeriodSeconds === 0;
  // a StatefulSet waits until a Pod of that name is gone
  if (kind === 'DaemonSet' || (kind === 'StatefulSet' && !isRemoved)) {
    return { then: 'waits for the same Node', doubled: false, why: [] };
  }
  const waits = isRemoved ? undefined : whyJobWaits(kind, spec);
  if (waits !== undefined) {
    return { then: 'waits for the same Node', doubled: false, why: [waits] };
  }
  const { volumeClaimTemplates: made } = spec;
  const unread = [...ofPod, ...(Array.isArray(made) && made.length > 0 ? ['volumeClaimTemplates'] : [])];
  return up === 0 || free <= 0
    ? { then: 'waits for a Node', doubled: false, why: [] }
    : {
        then: 'replaced',
        replacedOn: [...new Set(groups.filter((group) => group.up > 0).map(({ example }) => example.pool))],
        doubled: true,
        why: [
          ...(isRemoved && kind === 'StatefulSet'
            ? ['with terminationGracePeriodSeconds 0 its Pod is removed at once']
            : []),
          ...(unread.length === 0 ? [] : [`if its ${unread.join(' and ')}, not considered here, allows it`]),
        ],
      };
}

/**
 * Why the Job controller makes no other Pod while the old one is Terminating (pkg/controller/job isPodFailed, onlyReplaceFailedPods; SetDefaults_Job: with
 * podFailurePolicy the default is Failed). The Node must be back, or gone, before the Pod is Failed.
 */
function whyJobWaits(kind: string, spec: PlainMap): string | undefined {
  const { podReplacementPolicy, podFailurePolicy } =
    kind === 'Job' ? spec : kind === 'CronJob' ? mapAt(mapAt(spec, 'jobTemplate'), 'spec') : {};
  return (podReplacementPolicy ?? (podFailurePolicy === undefined ? undefined : 'Failed')) === 'Failed'
    ? `podReplacementPolicy Failed${podReplacementPolicy === undefined ? ', by podFailurePolicy' : ''}: a Terminating Pod is not replaced`
    : undefined;
}
