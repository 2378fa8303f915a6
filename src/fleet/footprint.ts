import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { type PrintableReport, printable } from '../base/table.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { membersOf, poolTable } from './fleet.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { checkPlacementInput, itemsOf, leavesPods, mergedObjects } from './placement-input.js';
import { asRegular, type FleetLabels, isHostNetworkNode, type PlacementNode } from './node.js';
import { whyNotOn } from './pod-placement.js';
import { type Amounts, NOTHING, plus, type PodRequests, requestsOf, shownRequests } from './pod-requests.js';

/**
 * Measured resource usage of a component. Requests and usage differ: kubeadm's kube-proxy requests nothing.
 *
 * @category Test where things run
 */
export interface MeasuredUse {
  /** CPU of one Pod, minimum and maximum. */
  readonly cpu: readonly [string, string];
  /** Memory of one Pod, minimum and maximum. */
  readonly memory: readonly [string, string];
  /** Where the figures come from. */
  readonly source: string;
}

/**
 * A workload that does not run on the nodes of a pool because they are host-network nodes.
 *
 * @category Test where things run
 */
export interface SavedWorkload {
  /** `DaemonSet kube-system/kube-proxy` */
  readonly workload: string;
  /** Whether a Pod is saved on each node (a DaemonSet), or the nodes are only no candidates for its Pods (every other kind). */
  readonly onEachNode: boolean;
  /** Requests of one Pod; `unknown` if the manifests contain only a partial object, which has no containers. */
  readonly requests: PodRequests;
  /** Measured usage of one Pod.
   * @default - no figures are known */
  readonly measured?: MeasuredUse;
}

/**
 * The resources that one host-network pool saves, and what still runs on its nodes. "Each node" is each node with the labels and taints of the pool: what
 * runs there is one Pod of each DaemonSet, and what runs without Kubernetes.
 *
 * @category Test where things run
 */
export interface PoolFootprint {
  /** Name of the pool. */
  readonly pool: string;
  /** Workloads that are excluded from host-network nodes; regular nodes with the same labels would run them. */
  readonly saved: readonly SavedWorkload[];
  /** Requests saved on each node: the sum over the DaemonSets among the saved workloads; `unknown` if those of one are. */
  readonly savedOnEachNode: PodRequests;
  /** DaemonSets of the manifests that run on each node, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** Other workloads of the manifests that can run on a node of the pool, or are bound to one: `Deployment default/web`. */
  readonly mayRun: readonly string[];
  /** What else runs on each node and is not in the manifests. */
  readonly remains: readonly string[];
}

const PROPOSAL =
  'OpenYurt docs/proposals/20230524-support-nodepool-with-host-network-mode.md (kubectl top in a small cluster)';

/** Measurements in the proposal for host-network pools. They are from one small cluster: an order of magnitude. */
export const MEASURED: Readonly<Record<string, MeasuredUse>> = {
  'kube-proxy': { cpu: ['1m', '3m'], memory: ['10Mi', '22Mi'], source: PROPOSAL },
  'kube-flannel-ds': { cpu: ['7m', '9m'], memory: ['11Mi', '21Mi'], source: PROPOSAL },
  coredns: { cpu: ['3m', '4m'], memory: ['16Mi', '16Mi'], source: PROPOSAL },
};

/**
 * Computes the resources that each host-network pool of a set of manifests saves: the requests of the workloads that are excluded from its nodes. Partial
 * objects for server-side apply are merged into the whole object of the same name: pass both. Workloads without replicas, Pods that have ended, and Pods of
 * other manifests are not counted.
 *
 * @param manifests plain Kubernetes objects: NodePools, the workloads of the cluster, then partial objects; Nodes show to which pool a bound Pod belongs
 * @param nodes pools, or further nodes, besides those of the NodePool objects (without OpenYurt there are no NodePool objects)
 * @param labels the cluster, or its labels; text is the node label with the pool's name
 * @throws {@link EdgeError} with EDGE_QUANTITY if a request is not a quantity, or EDGE_TYPE or EDGE_NOT_AN_OBJECT for other things than plain objects
 * @returns one entry per host-network pool, in the order of the objects and then of the nodes; `String(…)` is a table
 * @category Test where things run
 */
export function footprint(
  manifests: readonly object[],
  nodes: readonly (PlacementNode | NodePoolAttributes)[] = [],
  labels?: string | FleetLabels,
): PrintableReport<PoolFootprint[]> {
  checkPlacementInput('footprint', manifests, nodes, labels);
  const objects = mergedObjects(manifests.filter(isMap).flatMap(itemsOf));
  const problems = new ProblemList();
  const workloads = objects.filter(leavesPods(objects)).flatMap((object) =>
    podPlaces(object)
      .filter(({ isTemplate }) => isTemplate)
      .map((place) => ({
        workload: nameOf(object),
        name: String(mapAt(object, 'metadata').name),
        onEachNode: object.kind === 'DaemonSet',
        podSpec: podSpecAt(object, place),
        requested: requestsOf(podSpecAt(object, place), problems.at(nameOf(object), ...place.path, 'spec')),
      })),
  );
  problems.throwIfAny('footprint');
  const hasOpenYurt = objects.some(({ kind }) => kind === 'NodePool');
  const { members, nodePoolLabel, hostNetworkLabel } = membersOf(objects, nodes, labels);
  const footprints = members
    .filter((node) => isHostNetworkNode(node, hostNetworkLabel))
    .map((node): PoolFootprint => {
      const regular = asRegular(node, hostNetworkLabel);
      const runsOn = (on: PlacementNode, { podSpec, onEachNode }: (typeof workloads)[number]): boolean =>
        whyNotOn(podSpec, on, onEachNode) === undefined;
      const saved = workloads.filter((each) => runsOn(regular, each) && !runsOn(node, each));
      const running = workloads.filter((each) => runsOn(node, each));
      const namesOf = (isOnEach: boolean): string[] =>
        running.filter(({ onEachNode }) => onEachNode === isOnEach).map(({ workload }) => workload);
      return {
        pool: node.labels[nodePoolLabel] ?? node.name,
        saved: saved.map(({ workload, name, onEachNode, requested }) => ({
          workload,
          onEachNode,
          requests: shownRequests(requested),
          ...(Object.hasOwn(MEASURED, name) ? { measured: MEASURED[name] } : {}),
        })),
        savedOnEachNode: shownRequests(
          saved
            .filter(({ onEachNode }) => onEachNode)
            .map(({ requested }) => requested)
            .reduce(sum, NOTHING),
        ),
        runs: namesOf(true),
        mayRun: namesOf(false),
        remains: ['kubelet', 'the container runtime', ...(hasOpenYurt ? [YURTHUB] : [])],
      };
    });
  return printable(footprints, footprintTable);
}

function footprintTable(footprints: readonly PoolFootprint[]): string {
  return poolTable(
    ['POOL', 'WORKLOAD', 'ON ITS NODES', 'REQUESTS OF A POD'],
    footprints.map(({ pool, saved, savedOnEachNode, runs, mayRun, remains }) => ({
      pool,
      facts: [],
      rows: [
        ...saved.map(({ workload, onEachNode, requests }) => [
          workload,
          onEachNode ? 'gone from each' : 'no longer scheduled to them',
          amounts(requests),
        ]),
        ['all DaemonSets above', 'saved on each', amounts(savedOnEachNode)],
        ...[...remains, ...runs].map((workload) => [workload, 'still on each', '']),
        ...mayRun.map((workload) => [workload, 'may run', '']),
      ],
    })),
  );
}

function amounts({ cpu, memory }: PodRequests): string {
  return cpu === 'unknown' ? 'unknown' : `cpu ${cpu}, memory ${memory}`;
}

const YURTHUB = 'yurthub, a static Pod';

/** A sum with an unknown part is unknown. */
function sum(a: Amounts | undefined, b: Amounts | undefined): Amounts | undefined {
  return a === undefined || b === undefined ? undefined : plus(a, b);
}
