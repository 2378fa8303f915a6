import { isMap, mapAt, nameOf, type PlainMap, valueAt } from '../manifests/kubernetes-object.js';
import { HOST_NETWORK_LABEL, NODE_POOL_LABEL } from '../manifests/labels.js';
import { podTemplatePaths } from '../manifests/pod-template.js';
import { Quantity } from '../manifests/reservation/quantity.js';
import { poolMembers } from './fleet.js';
import type { PlacementNode } from './node.js';
import { whyNotOn } from './pod-placement.js';

/**
 * What a Pod reserves on a node, from the requests of its containers.
 *
 * @category Test where things run
 */
export interface PodRequests {
  /** Kubernetes quantity, `100m`; `0` where nothing is requested. */
  readonly cpu: string;
  /** Kubernetes quantity, `70Mi`; `0` where nothing is requested. */
  readonly memory: string;
}

/**
 * What somebody measured of a component that is at work. Requests and use differ: kubeadm's kube-proxy requests nothing.
 *
 * @category Test where things run
 */
export interface MeasuredUse {
  /** CPU of one Pod, from least to most. */
  readonly cpu: readonly [string, string];
  /** Memory of one Pod, from least to most. */
  readonly memory: readonly [string, string];
  /** Where the figures come from. */
  readonly source: string;
}

/**
 * A workload that host-network nodes of a pool do without.
 *
 * @category Test where things run
 */
export interface SavedWorkload {
  /** `DaemonSet kube-system/kube-proxy` */
  readonly workload: string;
  /** Whether each node is spared a Pod (a DaemonSet), or only may not be chosen for one (a Deployment). */
  readonly onEachNode: boolean;
  /** What one Pod requests. */
  readonly requests: PodRequests;
  /** What was measured of one Pod elsewhere.
   * @default - no figures are known */
  readonly measured?: MeasuredUse;
}

/**
 * What the nodes of one host-network pool do without, and what is still there.
 *
 * @category Test where things run
 */
export interface PoolFootprint {
  /** Name of the pool. */
  readonly pool: string;
  /** What is kept off because the nodes are host-network nodes; ordinary nodes with the same labels would run it. */
  readonly saved: readonly SavedWorkload[];
  /** Requests that each node is spared: the sum over the DaemonSets. */
  readonly savedOnEachNode: PodRequests;
  /** Workloads of the manifests that run there, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** What is there besides, on each node, and is no Pod of the manifests. */
  readonly remains: readonly string[];
}

const PROPOSAL =
  'OpenYurt docs/proposals/20230524-support-nodepool-with-host-network-mode.md (kubectl top in a small cluster)';

/** Figures of the proposal for host-network pools. They are of one small cluster: an order of magnitude. */
const MEASURED: Readonly<Record<string, MeasuredUse>> = {
  'kube-proxy': { cpu: ['1m', '3m'], memory: ['10Mi', '22Mi'], source: PROPOSAL },
  'kube-flannel-ds': { cpu: ['7m', '9m'], memory: ['11Mi', '21Mi'], source: PROPOSAL },
  coredns: { cpu: ['3m', '4m'], memory: ['16Mi', '16Mi'], source: PROPOSAL },
};

/**
 * What each host-network pool of a set of manifests is spared: the workloads that are kept off because its nodes are host-network nodes, with what their
 * containers request. Partial objects for server-side apply are laid over the whole object of the same name, so give both: the objects as they are in
 * the cluster, and what is applied to them.
 *
 * @param manifests plain Kubernetes objects: NodePools, the workloads of the cluster, partial objects after them
 * @param nodes nodes to look at besides those of the NodePool objects, by the name of their pool (without OpenYurt there are no NodePool objects)
 * @param membershipLabel node label that holds the pool's name
 * @returns one entry per host-network pool, in the order of the objects and then of the nodes
 * @category Test where things run
 */
export function footprint(
  manifests: readonly object[],
  nodes: readonly PlacementNode[] = [],
  membershipLabel: string = NODE_POOL_LABEL,
): PoolFootprint[] {
  const objects = merged(manifests.filter(isMap));
  const workloads = objects.flatMap((object) =>
    podTemplatePaths(object).map((path) => ({
      workload: nameOf(object),
      name: String(mapAt(object, 'metadata').name),
      onEachNode: object.kind === 'DaemonSet',
      podSpec: mapAt(valueAt(object, path) as PlainMap, 'spec'),
    })),
  );
  const hasOpenYurt = objects.some(({ kind }) => kind === 'NodePool');
  return [...poolMembers(objects, membershipLabel), ...nodes]
    .filter((node) => HOST_NETWORK_LABEL in node.labels)
    .map((node) => {
      const labels = Object.fromEntries(Object.entries(node.labels).filter(([key]) => key !== HOST_NETWORK_LABEL));
      const ordinary = { ...node, labels };
      const runsOn = (on: PlacementNode, { podSpec, onEachNode }: (typeof workloads)[number]): boolean =>
        whyNotOn(podSpec, on, onEachNode) === undefined;
      const saved = workloads.filter((each) => runsOn(ordinary, each) && !runsOn(node, each));
      return {
        pool: node.labels[membershipLabel] ?? node.name,
        saved: saved.map(({ workload, name, onEachNode, podSpec }) => ({
          workload,
          onEachNode,
          requests: shown(requestsOf(podSpec)),
          ...(MEASURED[name] === undefined ? {} : { measured: MEASURED[name] }),
        })),
        savedOnEachNode: shown(
          saved
            .filter(({ onEachNode }) => onEachNode)
            .map(({ podSpec }) => requestsOf(podSpec))
            .reduce(plus, NOTHING),
        ),
        runs: workloads.filter((each) => runsOn(node, each)).map(({ workload }) => workload),
        remains: ['kubelet', 'the container runtime', ...(hasOpenYurt ? ['yurthub, a static Pod'] : [])],
      };
    });
}

/** Objects of the same kind and name as one: maps field by field, everything else by the later object, as server-side apply does with atomic fields. */
function merged(objects: readonly PlainMap[]): PlainMap[] {
  const byName = new Map<string, PlainMap>();
  for (const object of objects) {
    const key = nameOf(object);
    const earlier = byName.get(key);
    byName.set(key, earlier === undefined ? object : overlaid(earlier, object));
  }
  return [...byName.values()];
}

function overlaid(below: PlainMap, above: PlainMap): PlainMap {
  const fields = Object.entries(above).map(([field, value]) => {
    const under = below[field];
    return [field, isMap(value) && isMap(under) ? overlaid(under, value) : value] as const;
  });
  return { ...below, ...Object.fromEntries(fields) };
}

interface Amounts {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const NOTHING: Amounts = { cpu: Quantity.ZERO, memory: Quantity.ZERO };

function plus(a: Amounts, b: Amounts): Amounts {
  return { cpu: a.cpu.plus(b.cpu), memory: a.memory.plus(b.memory) };
}

function larger(a: Amounts, b: Amounts): Amounts {
  const most = (one: Quantity, other: Quantity): Quantity => (one.nano >= other.nano ? one : other);
  return { cpu: most(a.cpu, b.cpu), memory: most(a.memory, b.memory) };
}

function shown({ cpu, memory }: Amounts): PodRequests {
  return { cpu: cpu.toString(), memory: memory.toString() };
}

/**
 * What the scheduler counts for a Pod (component-helpers, PodRequests): all containers and sidecars together, or the largest init container beside the
 * sidecars that run before it, whichever is more; and the overhead of its runtime class. A limit without a request is the request.
 */
function requestsOf(podSpec: PlainMap): Amounts {
  const listOf = (field: string): PlainMap[] => {
    const list = podSpec[field];
    return Array.isArray(list) ? list.filter(isMap) : [];
  };
  let sidecars = NOTHING;
  let starting = NOTHING;
  for (const container of listOf('initContainers')) {
    if (container.restartPolicy === 'Always') {
      sidecars = plus(sidecars, containerRequests(container));
      starting = larger(starting, sidecars);
    } else {
      starting = larger(starting, plus(sidecars, containerRequests(container)));
    }
  }
  const running = listOf('containers').map(containerRequests).reduce(plus, sidecars);
  return plus(larger(running, starting), amountsIn(mapAt(podSpec, 'overhead')));
}

function containerRequests(container: PlainMap): Amounts {
  const { requests, limits } = mapAt(container, 'resources');
  return amountsIn({ ...(isMap(limits) ? limits : {}), ...(isMap(requests) ? requests : {}) });
}

/** Texts that are no quantity count as nothing: the API server refuses them. */
function amountsIn({ cpu, memory }: PlainMap): Amounts {
  const read = (value: unknown): Quantity =>
    (typeof value === 'string' || typeof value === 'number' ? Quantity.parse(String(value)) : undefined) ??
    Quantity.ZERO;
  return { cpu: read(cpu), memory: read(memory) };
}
