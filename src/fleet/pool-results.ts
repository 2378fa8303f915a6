import { mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { showPort } from '../workloads/host-ports.js';
import type { Demand } from '../workloads/workload-size.js';
import type { BoundPods } from './bound-pods.js';
import { CountedPods } from './counted-pods.js';
import { FleetJudge, IS_PUT } from './fleet-judge.js';
import type { AskedPool, Workload } from './made-pods.js';
import type { FleetLabels } from './node.js';
import type { ClusterNode } from './placement-cluster.js';
import { type PlacementPod, takenPorts } from './placement-pod.js';
import { type ExampleNode, namedNode, shownReason } from './pod-placement.js';
import { nodeGroups, type NodeGroup, type PoolNodes, distinguishingLabels } from './pool-nodes.js';
import { stuckRollout } from './stuck-rollout.js';
import { isRefusal, type PlacementOutcome, type Refusal, type Verdict } from './verdict.js';

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
  labels: Required<FleetLabels>,
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
