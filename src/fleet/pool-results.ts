import { type ObjectPath, type PlainMap, mapAt } from '../base/plain-data.js';
import { portsClash, showPort } from '../workloads/host-ports.js';
import type { Demand } from '../workloads/workload-size.js';
import type { BoundPods } from './bound-pods.js';
import { FleetJudge, IS_PUT } from './fleet-judge.js';
import type { AskedPool, Workload } from './made-pods.js';
import type { FleetLabels, JudgedLabels } from './node.js';
import type { ClusterNode } from './placement-cluster.js';
import { type PlacementPod, knownRequests, takenPorts } from './placement-pod.js';
import { type ExampleNode, namedNode, shownReason } from './pod-placement.js';
import { type NodeGroup, type PoolNodes, distinguishingLabels, nodeGroups } from './pool-nodes.js';
import { type PlacementOutcome, type Refusal, type Verdict, isRefusal } from './verdict.js';
import { scaled, waitsForNewPods, workloadSpecs } from '../workloads/rollout.js';
import { isAloneOnNode } from './pod-affinity.js';
import { type Room, freeOn, isExtended, shownRoom } from './room.js';

/** What becomes of a workload on the nodes of a pool. */
export interface PoolResult {
  readonly workload: string;
  readonly outcome: PlacementOutcome;
  /** Empty for `runs`. */
  readonly reason: string;
  /** The Pod that was judged, if there is one. */
  readonly pod?: PlacementPod;
  /** The plugin or component that decides; undefined for `runs`. */
  readonly by?: string;
  /** The field of the Pod spec that decides, if it is one of its own. */
  readonly field?: ObjectPath;
  /** The groups of nodes on which one more Pod could be, by index. */
  readonly places?: readonly number[];
  /** Why one more Pod finds no place beside those that are there. */
  readonly more?: Refusal;
  /** Why a change of the workload would not be rolled out there, although it runs. */
  readonly stuckRollout?: string;
}

/** A pool, and the labels of its NodePool object. */
type Member = PoolNodes & { readonly poolLabels?: Readonly<Record<string, unknown>> };

/** Nodes of a pool that no workload tells apart, with the Pods that each of them has, whatever else comes. */
type FilledGroup = NodeGroup & { readonly pods: PlacementPod[] };

/** The results for a pool, in the order of the workloads. */
interface ResultsOfPool {
  readonly all: PoolResult[];
  readonly groups: readonly FilledGroup[];
  readonly asked: AskedPool;
}

/** What is the same for all pools. */
interface Fleet {
  readonly judge: FleetJudge;
  readonly labels: Required<FleetLabels>;
}

/**
 * The results of all workloads, in their order, for each of some pools.
 *
 * @param objects all manifests: volumes, namespaces, policies and classes count, too
 */
export function resultsOf(
  workloads: readonly Workload[],
  members: readonly Member[],
  labels: JudgedLabels,
  objects: readonly PlainMap[],
): PoolResult[][] {
  // each node has the Pods of DaemonSets, whatever comes later
  const order = [...workloads.keys()].sort(
    (a, b) => Number(workloads[b]?.isDaemon) - Number(workloads[a]?.isDaemon) || a - b,
  );
  const ofClasses = objects.filter(({ kind }) => kind === 'RuntimeClass').map((object) => mapAt(object, 'scheduling'));
  const specs = [...workloads.flatMap(({ specs: all }) => all), ...ofClasses];
  const judge = new FleetJudge(objects, labels, specs);
  const ofBound = judge.bound.all.map(({ pod }): PlainMap => ({ affinity: pod.spec.affinity }));
  const keys = [labels.nodePoolLabel, labels.hostNetworkLabel.key];
  const mentioned = distinguishingLabels([...specs, ...ofBound], judge.cluster, keys);
  const results = members.map((member) => {
    const groups = nodeGroups(member, labels.nodePoolLabel, mentioned, judge.bound).map((group) => ({
      ...group,
      pods: judge.bound.on(group.node.name).map(({ pod }) => pod),
    }));
    return resultsOn(workloads, order, member, groups, { judge, labels });
  });
  return withCountedPods(workloads, order, results, judge.bound);
}

function resultsOn(
  workloads: readonly Workload[],
  order: readonly number[],
  member: Member,
  groups: readonly FilledGroup[],
  fleet: Fleet,
): ResultsOfPool {
  const { nodePoolLabel } = fleet.labels;
  const asked = {
    pool: member.labels[nodePoolLabel],
    poolLabels: member.poolLabels,
    taints: member.taints ?? [],
    poolLabel: nodePoolLabel,
  };
  const places = groups.map(({ node, pods }) => ({ ...node, pods }));
  const all: PoolResult[] = [];
  for (const index of order) {
    const workload = workloads[index] as Workload;
    const made = workload.podsFor(asked);
    const each = isRefusal(made)
      ? [refused(workload, made)]
      : made.map((pod) => resultOf(workload, pod, places, fleet));
    const [first] = each as [PoolResult, ...PoolResult[]];
    const result = each.find(({ outcome }) => outcome === 'runs') ?? first;
    all[index] = result;
    const { pod } = result;
    if (workload.isDaemon && pod !== undefined) {
      const own = fleet.judge.bound.of(workload);
      for (const place of result.places ?? []) {
        const { pods = [] } = groups[place] ?? {};
        if (!pods.some((there) => own.has(there))) {
          pods.push(pod);
        }
      }
    }
  }
  return { all, groups, asked };
}

/** What becomes of one Pod of a workload on the nodes of a pool. */
function resultOf(
  workload: Workload,
  given: PlacementPod,
  places: readonly (ClusterNode & ExampleNode)[],
  { judge, labels }: Fleet,
): PoolResult {
  const pod = judge.created(given);
  const verdicts = places.map((place) => {
    const node = namedNode(pod.spec, place);
    const before = judge.without(workload, node);
    const verdict = judge.verdict(workload, pod, before);
    // whether one more finds a place, beside those that it has there
    const more = before === node ? verdict : judge.verdict(workload, pod, node);
    return { node, verdict, more, isPut: IS_PUT.has(more.outcome) };
  });
  const { node, verdict, more } = mostTelling(verdicts, workload.isDaemon);
  const isPut = verdicts.flatMap((each, place) => (each.isPut ? [place] : []));
  const { outcome, refusal } = verdict;
  const reason = refusal === undefined ? '' : shownReason(refusal, pod.spec, node, labels.hostNetworkLabel);
  return refusal === undefined
    ? {
        workload: workload.name,
        outcome,
        reason,
        pod,
        places: isPut,
        ...(more.refusal === undefined ? {} : { more: more.refusal }),
      }
    : { ...refused(workload, { ...refusal, reason }), pod, places: isPut };
}

/** Which verdict counts for nodes of a pool that differ: of a DaemonSet, which is to run on each of them, and of another Pod, which needs one. */
const TELLING = {
  ofDaemons: ['never starts', 'no room', 'port taken', 'runs', 'unknown', 'waits', 'excluded'],
  ofOthers: ['never starts', 'runs', 'unknown', 'no room', 'port taken', 'waits', 'excluded'],
} as const satisfies Record<string, readonly PlacementOutcome[]>;

function mostTelling<Each extends { readonly verdict: Verdict }>(verdicts: readonly Each[], isDaemon: boolean): Each {
  const order: readonly PlacementOutcome[] = isDaemon ? TELLING.ofDaemons : TELLING.ofOthers;
  const [most] = [...verdicts].sort((a, b) => order.indexOf(a.verdict.outcome) - order.indexOf(b.verdict.outcome)) as [
    Each,
    ...Each[],
  ];
  return most;
}

function refused({ name }: Pick<Workload, 'name'>, { outcome, reason, by, field }: Refusal): PoolResult {
  return { workload: name, outcome, reason, by, ...(field === undefined ? {} : { field }) };
}

/**
 * Ports and requests of workloads with a number of Pods, on pools with a known number of nodes, of those that can be nowhere else. Pods that name their node
 * are there already, so they come first.
 */
function withCountedPods(
  workloads: readonly Workload[],
  order: readonly number[],
  results: readonly ResultsOfPool[],
  there: BoundPods,
): PoolResult[][] {
  const counted = results.map(({ groups }) => CountedPods.of(groups));
  const isBound = (index: number): boolean => workloads[index]?.specs.some((spec) => isNamed(spec)) === true;
  const bound = new Set(order.filter(isBound));
  for (const index of [...bound, ...order.filter((each) => !bound.has(each))]) {
    const workload = workloads[index] as Workload;
    const possible = [...results.keys()].filter((at) => results[at]?.all[index]?.outcome !== 'excluded');
    if (possible.length > 1 && workload.isOfEachPool !== true && !workload.isDaemon) {
      countOnSeveral(workload, index, possible, results, counted, there);
      continue;
    }
    for (const at of possible) {
      const of = results[at] as ResultsOfPool;
      const { all } = of;
      const result = all[index];
      const demand = stillWanted(workload, of, there);
      if (result?.pod === undefined || !IS_PUT.has(result.outcome) || workload.isDaemon || demand === 'every node') {
        continue;
      }
      const { pod, places = [] } = result;
      const refusal =
        withoutPlace(result, demand, workload.demandIn(of.asked)) ?? counted[at]?.add(pod, demand, places);
      if (refusal !== undefined) {
        all[index] = { ...refused(workload, refusal), pod: result.pod };
      }
    }
  }
  return results.map((result, at) =>
    result.all.map((each, index) => withRollout(workloads[index], each, result, counted[at])),
  );
}

/** The result with what its rollout finds, once every Pod has its place. */
function withRollout(
  workload: Workload | undefined,
  result: PoolResult,
  { asked }: ResultsOfPool,
  counted: CountedPods | undefined,
): PoolResult {
  const { outcome, pod, places = [] } = result;
  if (workload === undefined || outcome !== 'runs' || pod === undefined) {
    return result;
  }
  const stuck = stuckRollout(workload.object, {
    demand: workload.demandIn(asked),
    takesPorts: takenPorts(pod.spec).length > 0,
    spare: counted?.spareFor(pod, places),
  });
  return stuck === undefined ? result : { ...result, stuckRollout: stuck };
}

/** Some Pods of a workload are there, and no node has a place for another one. */
function withoutPlace({ more, places = [] }: PoolResult, wanted: number, all: Demand): Refusal | undefined {
  if (more === undefined || wanted === 0 || places.length > 0) {
    return undefined;
  }
  const reason = `${wanted} of ${all} Pods ${wanted === 1 ? 'has' : 'have'} no place: ${more.reason}`;
  // others can be excluded from all nodes, and not from those where some of them are
  return { ...more, outcome: more.outcome === 'excluded' ? 'waits' : more.outcome, reason };
}

/** How many Pods of a workload have no node yet. */
function stillWanted(workload: Workload, { asked, groups }: ResultsOfPool, there: BoundPods): Demand {
  const demand = workload.demandIn(asked);
  const own = there.of(workload);
  if (demand === 'every node' || own.size === 0) {
    return demand;
  }
  const here = groups.map(({ count = 0, pods }) => count * pods.filter((pod) => own.has(pod)).length);
  const bound = workload.isOfEachPool === true ? here.reduce((sum, each) => sum + each, 0) : own.size;
  return Math.max(0, demand - bound);
}

/** A workload that can be in several pools needs a node for each of its Pods with a port; which nodes it takes is not known. */
function countOnSeveral(
  workload: Workload,
  index: number,
  possible: readonly number[],
  results: readonly ResultsOfPool[],
  counted: readonly (CountedPods | undefined)[],
  there: BoundPods,
): void {
  const free = possible.map((at): number | undefined => {
    const { outcome, pod, places = [] } = results[at]?.all[index] ?? {};
    return outcome !== 'runs' || pod === undefined ? undefined : counted[at]?.freeFor(pod, places);
  });
  const [first] = possible.map((at) => results[at]?.all[index]?.pod);
  const ports = first === undefined ? [] : takenPorts(first.spec);
  const demand = possible.map((at) => stillWanted(workload, results[at] as ResultsOfPool, there))[0];
  if (ports.length === 0 || typeof demand !== 'number' || !free.every((each) => each !== undefined)) {
    return;
  }
  const sum = free.reduce((total, each) => total + each, 0);
  if (demand > sum) {
    const reason = `${ports.map(showPort).join(', ')} is free on ${sum} nodes of ${possible.length} pools, for ${demand} Pods`;
    for (const at of possible) {
      const { all } = results[at] as ResultsOfPool;
      const { pod } = all[index] as PoolResult;
      const refusal: Refusal = { by: 'NodePorts', outcome: 'port taken', reason };
      all[index] = { ...refused(workload, refusal), ...(pod === undefined ? {} : { pod }) };
    }
  }
}

function isNamed({ nodeName }: PlainMap): boolean {
  return typeof nodeName === 'string' && nodeName !== '';
}

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
function stuckRollout(object: PlainMap, places: RolloutPlaces): string | undefined {
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

/** Nodes of a pool that no workload tells apart, with the Pods that each of them has, whatever else comes. */
export interface FilledNodes {
  readonly node: { readonly allocatable?: Readonly<Record<string, string>> };
  readonly count?: number;
  readonly pods: readonly PlacementPod[];
}

/** Pods that were put on nodes of a pool, and on how many: each is on the groups of nodes where it could be. */
interface Taken {
  readonly pod: PlacementPod;
  readonly nodes: number;
  readonly places: readonly number[];
}

/** The nodes of a pool, and the Pods that were put there one after the other. */
class CountedPods {
  /** Counts on the nodes of a pool; undefined if their number is not known. */
  public static of(groups: readonly FilledNodes[]): CountedPods | undefined {
    const counts = groups.map(({ count }) => count);
    return counts.every((count) => count !== undefined) ? new CountedPods(groups, counts) : undefined;
  }

  private readonly taken: Taken[] = [];
  /** What the Pods of a series request together, by the groups where they could be and by resource. */
  private readonly requested: { readonly places: readonly number[]; readonly of: ReadonlyMap<string, bigint> }[] = [];

  private constructor(
    private readonly groups: readonly FilledNodes[],
    private readonly counts: readonly number[],
  ) {}

  /**
   * Adds the Pods of a workload; if they do not all find a place, the reason. What is not known of a Pod takes nothing, so that the reason holds anyway.
   *
   * @param places the groups of nodes where they can be
   */
  public add(pod: PlacementPod, demand: Exclude<Demand, 'every node'>, places: readonly number[]): Refusal | undefined {
    if (demand === 0) {
      // all of them are there
      this.taken.push({ pod, nodes: 0, places });
      return undefined;
    }
    const rooms = this.roomsFor(pod, places);
    const refusal =
      this.alone(pod, demand, places) ??
      this.ports(pod, demand, places) ??
      this.fits(pod, demand, places) ??
      this.room(rooms, demand, places);
    if (refusal === undefined) {
      const of = new Map(rooms.map(({ resource, wanted }) => [resource, wanted * BigInt(demand)]));
      this.requested.push({ places, of });
    }
    return refusal;
  }

  private countOf(places: readonly number[]): number {
    return places.reduce((sum, place) => sum + (this.counts[place] ?? 0), 0);
  }

  /** On how many of these nodes a port of a Pod may be free, at most. */
  public freeFor(pod: PlacementPod, places: readonly number[]): number {
    return this.portsFor(pod, places).free;
  }

  /** How many more Pods like this find a place on these nodes, at most; undefined if nothing of a node limits them. */
  public spareFor(pod: PlacementPod, places: readonly number[]): number | undefined {
    const rooms = this.roomsFor(pod, places).map((room) => Number(this.left(room, places) / room.wanted));
    const ports = takenPorts(pod.spec).length === 0 ? [] : [this.freeFor(pod, places)];
    // the Pod is added once for each workload
    const own = isAloneOnNode(pod) ? this.taken.find((each) => each.pod === pod) : undefined;
    const all = [...rooms, ...ports, ...(own === undefined ? [] : [this.countOf(places) - own.nodes])];
    return all.length === 0 ? undefined : Math.max(0, Math.min(...all));
  }

  /** What is left of a resource beside the Pods that can be on no other nodes. */
  private left({ resource, free }: Room, places: readonly number[]): bigint {
    // only what can be on no other node is surely there
    const inside = this.requested.filter((each) => each.places.every((place) => places.includes(place)));
    return inside.reduce((rest, { of }) => rest - (of.get(resource) ?? 0n), free);
  }

  private portsFor(
    pod: PlacementPod,
    places: readonly number[],
  ): { readonly others: readonly Taken[]; readonly free: number } {
    const ports = takenPorts(pod.spec);
    const others = this.taken.filter((each) =>
      takenPorts(each.pod.spec).some((port) => ports.some((own) => portsClash(own, port))),
    );
    // Pods with different ports may share a node, so the port with most of them counts
    const most = Math.max(
      0,
      ...ports.map((own) =>
        others
          .filter((each) => takenPorts(each.pod.spec).some((port) => portsClash(own, port)))
          .reduce((sum, each) => sum + this.within(each, places), 0),
      ),
    );
    return { others, free: Math.max(0, this.countOf(places) - most) };
  }

  private alone(pod: PlacementPod, demand: number, places: readonly number[]): Refusal | undefined {
    const all = this.countOf(places);
    return demand > all && isAloneOnNode(pod)
      ? {
          by: 'InterPodAffinity',
          outcome: 'waits',
          reason: `for more nodes: podAntiAffinity allows one Pod on each, there are ${nodes(all)} for ${demand} Pods`,
        }
      : undefined;
  }

  private ports(pod: PlacementPod, demand: number, places: readonly number[]): Refusal | undefined {
    const ports = takenPorts(pod.spec);
    const all = this.countOf(places);
    const { others, free } = this.portsFor(pod, places);
    this.taken.push({ pod, nodes: Math.min(demand, free), places });
    if (ports.length === 0 || demand <= free) {
      return undefined;
    }
    const by = others.length === 0 ? '' : `, taken by ${others.map((each) => each.pod.title).join(', ')}`;
    return {
      by: 'NodePorts',
      outcome: 'port taken',
      reason: `${ports.map(showPort).join(', ')} is free on ${free} of ${nodes(all)}${by}, for ${demand} ${demand === 1 ? 'Pod' : 'Pods'}`,
    };
  }

  /** How many of these nodes other Pods take at least: they may be on nodes where the asked one cannot be. */
  private within({ nodes: taken, places: theirs }: Taken, places: readonly number[]): number {
    const elsewhere = this.countOf(theirs.filter((place) => !places.includes(place)));
    return Math.max(0, taken - elsewhere);
  }

  /** What is free on a group of nodes for each resource that a Pod requests; kubelet leaves out what its node does not know. */
  private roomsOn(pod: PlacementPod, place: number): readonly Room[] {
    const { node, pods } = this.groups[place] as FilledNodes;
    const { allocatable } = node;
    const requests = knownRequests(pod.spec);
    const isLeftOut = ({ resource }: Room): boolean =>
      isNamed(pod.spec) && isExtended(resource) && allocatable?.[resource] === undefined;
    return allocatable === undefined || requests === undefined
      ? []
      : freeOn(allocatable, pods, requests).filter((room) => room.wanted > 0n && !isLeftOut(room));
  }

  /** For each resource that a Pod requests: what is free on all nodes together where it can be. */
  private roomsFor(pod: PlacementPod, places: readonly number[]): readonly Room[] {
    const each = places.map((place) => ({ count: BigInt(this.counts[place] ?? 0), rooms: this.roomsOn(pod, place) }));
    return (each[0]?.rooms ?? []).flatMap(({ resource, wanted }): readonly Room[] => {
      const free = each.flatMap(({ count, rooms }) =>
        rooms.filter((room) => room.resource === resource).map((room) => count * atLeastZero(room.free)),
      );
      // each node must have written it
      return free.length < each.length ? [] : [{ resource, wanted, free: free.reduce((sum, one) => sum + one, 0n) }];
    });
  }

  /** For how many equal Pods there is room: on each node as many as the scarcest of what they take allows. */
  private fits(pod: PlacementPod, demand: number, places: readonly number[]): Refusal | undefined {
    const ports = takenPorts(pod.spec);
    const scarce = new Set<string>();
    let most = 0;
    for (const place of places) {
      const limits = this.roomsOn(pod, place).map(({ resource, wanted, free }) => ({
        what: resource,
        pods: Number(atLeastZero(free) / wanted),
      }));
      const [least] = [...limits, ...ports.slice(0, 1).map((port) => ({ what: showPort(port), pods: 1 }))].sort(
        (a, b) => a.pods - b.pods,
      );
      if (least === undefined) {
        return undefined;
      }
      scarce.add(least.what);
      most += (this.counts[place] ?? 0) * least.pods;
    }
    return most >= demand
      ? undefined
      : reported(`${[...scarce].join(', ')}: room for ${most} of ${demand} Pods on ${nodes(this.countOf(places))}`);
  }

  private room(rooms: readonly Room[], demand: number, places: readonly number[]): Refusal | undefined {
    const all = BigInt(demand);
    const together = rooms.find((each) => each.wanted * all > this.left(each, places));
    if (together === undefined) {
      return undefined;
    }
    const { resource, wanted } = together;
    const rest = this.left(together, places);
    const [requested, free, missing] = [wanted * all, rest < 0n ? 0n : rest, wanted * all - rest].map((amount) =>
      shownRoom(resource, amount),
    );
    return reported(
      `${resource}: ${demand === 1 ? '1 Pod requests' : `${demand} Pods request`} ${requested}, ${free} is free on ${nodes(this.countOf(places))}: ${missing} too little`,
    );
  }
}

function reported(reason: string): Refusal {
  return { by: 'NodeResourcesFit', outcome: 'no room', reason };
}

/** A node can have more than it takes, by Pods that the scheduler was not asked about. */
function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function nodes(count: number): string {
  return `${count} node${count === 1 ? '' : 's'}`;
}
