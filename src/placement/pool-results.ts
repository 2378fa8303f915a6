import { portsClash, showPort } from '../workloads/host-ports.js';
import { judge } from './kubelet.js';
import type { Workload } from './made-pods.js';
import { type FleetLabels, type PlacementNode } from './node.js';
import type { ClusterNode } from './placement-cluster.js';
import { type PlacementPod, takenPorts } from './placement-pod.js';
import { type ExampleNode, namedNode, NOTHING_KNOWN, shownReason } from './pod-placement.js';
import type { PlacementOutcome, Refusal } from './verdict.js';

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
  ExampleNode & { readonly count?: number; readonly poolLabels?: Readonly<Record<string, unknown>> };

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
  return withCountedPorts(workloads, order, members, results);
}

function resultsOn(
  workloads: readonly Workload[],
  order: readonly number[],
  member: Member,
  { nodePoolLabel, hostNetworkLabel }: Required<FleetLabels>,
): PoolResult[] {
  const pods: PlacementPod[] = [];
  const node: ClusterNode & ExampleNode = { ...member, poolLabel: nodePoolLabel, pods };
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
          const on = namedNode(pod.spec, node);
          const { outcome, refusal } = judge(pod, on, { ...NOTHING_KNOWN, nodes: [on] }, hostNetworkLabel);
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
  return results;
}

function isRefusal(made: readonly PlacementPod[] | Refusal): made is Refusal {
  return !Array.isArray(made);
}

function refused({ name }: Workload, { outcome, reason, by }: Refusal): PoolResult {
  return { workload: name, outcome, reason, by };
}

/** A Pod that never starts is on its node, with its ports and requests. */
function isScheduled({ outcome }: PoolResult): boolean {
  return outcome === 'runs' || outcome === 'never starts';
}

/** Ports of workloads with a number of Pods, on pools with a known number of nodes, of those that can be nowhere else. */
function withCountedPorts(
  workloads: readonly Workload[],
  order: readonly number[],
  members: readonly Member[],
  results: PoolResult[][],
): PoolResult[][] {
  const taken = members.map((): { readonly pod: PlacementPod; readonly nodes: number }[] => []);
  for (const index of order) {
    const { isDaemon, demand, name } = workloads[index] as Workload;
    const places = [...members.keys()].filter((member) => results[member]?.[index]?.outcome !== 'excluded');
    const [place] = places;
    const result = place === undefined ? undefined : results[place]?.[index];
    const count = place === undefined ? undefined : members[place]?.count;
    const pod = result?.pod;
    const isCounted =
      !isDaemon && places.length === 1 && result !== undefined && isScheduled(result) && pod !== undefined;
    if (!isCounted || count === undefined || demand === 'every node' || place === undefined) {
      continue;
    }
    const ports = takenPorts(pod.spec);
    const others = (taken[place] ?? []).filter((each) =>
      takenPorts(each.pod.spec).some((port) => ports.some((own) => portsClash(own, port))),
    );
    const free = Math.max(0, count - others.reduce((sum, { nodes }) => sum + nodes, 0));
    if (ports.length > 0 && demand > free) {
      const by = others.length === 0 ? '' : `, taken by ${others.map((each) => each.pod.title).join(', ')}`;
      const reason = `${ports.map(showPort).join(', ')} is free on ${free} of ${count} nodes${by}, for ${demand} Pods`;
      (results[place] as PoolResult[])[index] = { workload: name, outcome: 'port taken', reason, pod, by: 'NodePorts' };
    }
    taken[place]?.push({ pod, nodes: Math.min(demand, free) });
  }
  return results;
}
