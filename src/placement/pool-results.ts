import { CountedPods } from './counted-pods.js';
import { judge } from './kubelet.js';
import type { Workload } from './made-pods.js';
import { type FleetLabels, type PlacementNode } from './node.js';
import type { ClusterNode } from './placement-cluster.js';
import { nodeNameOf, type PlacementPod } from './placement-pod.js';
import { type ExampleNode, namedNode, NOTHING_KNOWN, shownReason } from './pod-placement.js';
import type { PlacementOutcome, Refusal, Verdict } from './verdict.js';

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
}

type Member = PlacementNode &
  ExampleNode & {
    readonly count?: number;
    readonly sizes?: readonly NodeSize[];
    readonly poolLabels?: Readonly<Record<string, unknown>>;
  };

/** Nodes of a pool that can allocate the same. */
export interface NodeSize {
  readonly allocatable: Readonly<Record<string, string>>;
  readonly count: number;
}

/** The results for a pool, in the order of the workloads, and the Pods that each of its nodes has. */
interface ResultsOfPool {
  readonly all: PoolResult[];
  readonly daemons: readonly PlacementPod[];
}

/** The results of all workloads, in their order, for each of some nodes that stand for pools. */
export function resultsOf(
  workloads: readonly Workload[],
  members: readonly Member[],
  labels: Required<FleetLabels>,
): PoolResult[][] {
  // each node has the Pods of DaemonSets, whatever comes later
  const order = [...workloads.keys()].sort(
    (a, b) => Number(workloads[b]?.isDaemon) - Number(workloads[a]?.isDaemon) || a - b,
  );
  const results = members.map((member) => resultsOn(workloads, order, member, labels));
  return withCountedPods(workloads, order, members, results);
}

function resultsOn(
  workloads: readonly Workload[],
  order: readonly number[],
  member: Member,
  { nodePoolLabel, hostNetworkLabel }: Required<FleetLabels>,
): ResultsOfPool {
  const pods: PlacementPod[] = [];
  const node: ClusterNode & ExampleNode = { ...member, poolLabel: nodePoolLabel, pods };
  const { sizes = [] } = member;
  const ofSizes = (sizes.length === 0 ? [node] : sizes.map(({ allocatable }) => ({ ...node, allocatable }))).map(
    (size) => ({ size, alone: { ...NOTHING_KNOWN, nodes: [size] } }),
  );
  const asked = {
    pool: member.labels[nodePoolLabel],
    poolLabels: member.poolLabels,
    taints: member.taints ?? [],
    poolLabel: nodePoolLabel,
  };
  const results: PoolResult[] = [];
  for (const index of order) {
    const workload = workloads[index] as Workload;
    const made = workload.podsFor(asked);
    const each = isRefusal(made)
      ? [refused(workload, made)]
      : made.map((pod): PoolResult => {
          const verdicts = ofSizes.map(({ size, alone }) => {
            const on = namedNode(pod.spec, size);
            return { on, ...judge(pod, on, on === size ? alone : { ...alone, nodes: [on] }, hostNetworkLabel) };
          });
          const [{ on, outcome, refusal }] = mostTelling(verdicts, workload.isDaemon);
          return refusal === undefined
            ? { workload: workload.name, outcome, reason: '', pod }
            : {
                ...refused(workload, { ...refusal, reason: shownReason(refusal, pod.spec, on, hostNetworkLabel) }),
                pod,
              };
        });
    const [first] = each as [PoolResult, ...PoolResult[]];
    const result = each.find(({ outcome }) => outcome === 'runs') ?? first;
    results[index] = result;
    if (workload.isDaemon && isScheduled(result) && result.pod !== undefined) {
      pods.push(result.pod);
    }
  }
  return { all: results, daemons: pods };
}

/** The verdict for the nodes of a pool that differ in size: a DaemonSet is to run on each of them, another Pod on one. */
function mostTelling<Each extends Verdict>(verdicts: readonly Each[], isDaemon: boolean): readonly [Each] {
  const [first] = verdicts as readonly [Each, ...Each[]];
  return [verdicts.find(({ outcome }) => (outcome === 'no room') === isDaemon) ?? first];
}

function isRefusal(made: readonly PlacementPod[] | Refusal): made is Refusal {
  return !Array.isArray(made);
}

function refused({ name }: Pick<Workload, 'name'>, { outcome, reason, by }: Refusal): PoolResult {
  return { workload: name, outcome, reason, by };
}

/** A Pod that never starts is on its node, with its ports and requests. */
function isScheduled({ outcome }: PoolResult): boolean {
  return outcome === 'runs' || outcome === 'never starts';
}

/**
 * Ports and requests of workloads with a number of Pods, on pools with a known number of nodes, of those that can be nowhere else. Pods that name their node
 * are there already, so they come first.
 */
function withCountedPods(
  workloads: readonly Workload[],
  order: readonly number[],
  members: readonly Member[],
  results: readonly ResultsOfPool[],
): PoolResult[][] {
  const counted = members.map(({ count, sizes }, member) =>
    count === undefined
      ? undefined
      : new CountedPods(
          count,
          sizes?.map((size) => ({ ...size, pods: results[member]?.daemons ?? [] })),
        ),
  );
  const isBound = (index: number): boolean => {
    const pod = results.find(({ all }) => all[index]?.pod !== undefined)?.all[index]?.pod;
    return pod !== undefined && nodeNameOf(pod.spec) !== undefined;
  };
  const bound = new Set(order.filter(isBound));
  for (const index of [...bound, ...order.filter((each) => !bound.has(each))]) {
    const { isDaemon, demand, name } = workloads[index] as Workload;
    const places = [...members.keys()].filter((member) => results[member]?.all[index]?.outcome !== 'excluded');
    const [place = -1] = places;
    const result = results[place]?.all[index];
    const pod = result?.pod;
    const isCounted = !isDaemon && places.length === 1 && result !== undefined && isScheduled(result);
    if (!isCounted || pod === undefined || demand === 'every node') {
      continue;
    }
    const refusal = counted[place]?.add(pod, demand);
    if (refusal !== undefined) {
      (results[place] as ResultsOfPool).all[index] = { ...refused({ name }, refusal), pod };
    }
  }
  return results.map(({ all }) => all);
}
