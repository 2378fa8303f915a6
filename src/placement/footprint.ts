import { ProblemList } from '../errors.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, NODE_POOL_LABEL } from '../kubernetes/labels.js';
import { podTemplatePaths } from '../kubernetes/pod-template.js';
import { showValue } from '../validation/properties.js';
import { Quantity } from '../kubernetes/quantity.js';
import { poolMembers } from './fleet.js';
import type { PlacementNode } from './node.js';
import { whyNotOn } from './pod-placement.js';

/**
 * Resource requests of a Pod, from those of its containers.
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
  /** Whether a Pod is saved on each node (a DaemonSet), or the nodes are only no candidates for its Pods (a Deployment). */
  readonly onEachNode: boolean;
  /** Requests of one Pod. */
  readonly requests: PodRequests;
  /** Measured usage of one Pod.
   * @default - no figures are known */
  readonly measured?: MeasuredUse;
}

/**
 * The resources that one host-network pool saves, and what still runs on its nodes.
 *
 * @category Test where things run
 */
export interface PoolFootprint {
  /** Name of the pool. */
  readonly pool: string;
  /** Workloads that are excluded from host-network nodes; regular nodes with the same labels would run them. */
  readonly saved: readonly SavedWorkload[];
  /** Requests saved on each node: the sum over the DaemonSets. */
  readonly savedOnEachNode: PodRequests;
  /** Workloads of the manifests that run there, `DaemonSet default/collector`. */
  readonly runs: readonly string[];
  /** What else runs on each node and is not in the manifests. */
  readonly remains: readonly string[];
}

const PROPOSAL =
  'OpenYurt docs/proposals/20230524-support-nodepool-with-host-network-mode.md (kubectl top in a small cluster)';

/** Measurements in the proposal for host-network pools. They are from one small cluster: an order of magnitude. */
const MEASURED: Readonly<Record<string, MeasuredUse>> = {
  'kube-proxy': { cpu: ['1m', '3m'], memory: ['10Mi', '22Mi'], source: PROPOSAL },
  'kube-flannel-ds': { cpu: ['7m', '9m'], memory: ['11Mi', '21Mi'], source: PROPOSAL },
  coredns: { cpu: ['3m', '4m'], memory: ['16Mi', '16Mi'], source: PROPOSAL },
};

/**
 * Computes the resources that each host-network pool of a set of manifests saves: the requests of the workloads that are excluded from its nodes. Partial
 * objects for server-side apply are merged into the whole object of the same name, so pass both: the objects as they are in the cluster, and what is
 * applied to them.
 *
 * @param manifests plain Kubernetes objects: NodePools, the workloads of the cluster, then partial objects
 * @param nodes further nodes, besides those of the NodePool objects (without OpenYurt there are no NodePool objects)
 * @param membershipLabel node label with the pool's name
 * @throws {@link EdgeError} with EDGE_QUANTITY if a request is not a quantity
 * @returns one entry per host-network pool, in the order of the objects and then of the nodes
 * @category Test where things run
 */
export function footprint(
  manifests: readonly object[],
  nodes: readonly PlacementNode[] = [],
  membershipLabel: string = NODE_POOL_LABEL,
): PoolFootprint[] {
  const objects = merged(manifests.filter(isMap).flatMap(itemsOf));
  const problems = new ProblemList();
  const workloads = objects.flatMap((object) =>
    podTemplatePaths(object).map((path) => ({
      workload: nameOf(object),
      name: String(mapAt(object, 'metadata').name),
      onEachNode: object.kind === 'DaemonSet',
      podSpec: mapAt(valueAt(object, path) as PlainMap, 'spec'),
      requested: requestsOf(
        mapAt(valueAt(object, path) as PlainMap, 'spec'),
        problems.at(nameOf(object), ...path, 'spec'),
      ),
    })),
  );
  problems.throwIfAny('footprint');
  const hasOpenYurt = objects.some(({ kind }) => kind === 'NodePool');
  return [...poolMembers(objects, membershipLabel), ...nodes]
    .filter((node) => HOST_NETWORK_LABEL in node.labels)
    .map((node) => {
      const labels = Object.fromEntries(Object.entries(node.labels).filter(([key]) => key !== HOST_NETWORK_LABEL));
      const regular = { ...node, labels };
      const runsOn = (on: PlacementNode, { podSpec, onEachNode }: (typeof workloads)[number]): boolean =>
        whyNotOn(podSpec, on, onEachNode) === undefined;
      const saved = workloads.filter((each) => runsOn(regular, each) && !runsOn(node, each));
      return {
        pool: node.labels[membershipLabel] ?? node.name,
        saved: saved.map(({ workload, name, onEachNode, requested }) => ({
          workload,
          onEachNode,
          requests: shown(requested),
          ...(MEASURED[name] === undefined ? {} : { measured: MEASURED[name] }),
        })),
        savedOnEachNode: shown(
          saved
            .filter(({ onEachNode }) => onEachNode)
            .map(({ requested }) => requested)
            .reduce(plus, NOTHING),
        ),
        runs: workloads.filter((each) => runsOn(node, each)).map(({ workload }) => workload),
        remains: ['kubelet', 'the container runtime', ...(hasOpenYurt ? ['yurthub, a static Pod'] : [])],
      };
    });
}

/** Merges objects of the same kind and name: maps field by field, everything else is replaced, as server-side apply does with atomic fields. */
function merged(objects: readonly PlainMap[]): PlainMap[] {
  const byName = new Map<string, PlainMap>();
  for (const object of objects) {
    const key = nameOf(object);
    const earlier = byName.get(key);
    byName.set(key, earlier === undefined ? object : mergedObject(earlier, object));
  }
  return [...byName.values()];
}

function mergedObject(below: PlainMap, above: PlainMap): PlainMap {
  const fields = Object.entries(above).map(([field, value]) => {
    const under = below[field];
    return [field, isMap(value) && isMap(under) ? mergedObject(under, value) : value] as const;
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
 * The requests of a Pod as the scheduler computes them (component-helpers, PodRequests): the sum of all containers and sidecars, or the largest init
 * container plus the sidecars started before it, whichever is larger; Pod-level requests (spec.resources, Kubernetes 1.34+) replace that; plus the
 * overhead of the runtime class. A limit without a request counts as a request.
 */
function requestsOf(podSpec: PlainMap, problems: ProblemList): Amounts {
  const requestsIn = (field: string): { readonly isSidecar: boolean; readonly requests: Amounts }[] => {
    const list: unknown[] = Array.isArray(podSpec[field]) ? podSpec[field] : [];
    return list.map((container, index) => ({
      isSidecar: isMap(container) && container.restartPolicy === 'Always',
      requests: amountsIn(requestedBy(isMap(container) ? container : {}), problems.at(field, index, 'resources')),
    }));
  };
  let sidecars = NOTHING;
  let starting = NOTHING;
  for (const { isSidecar, requests } of requestsIn('initContainers')) {
    if (isSidecar) {
      sidecars = plus(sidecars, requests);
      starting = larger(starting, sidecars);
    } else {
      starting = larger(starting, plus(sidecars, requests));
    }
  }
  const running = requestsIn('containers')
    .map(({ requests }) => requests)
    .reduce(plus, sidecars);
  const all = larger(running, starting);
  const { requests, limits } = mapAt(podSpec, 'resources');
  const ofPod = amountsIn(requestedBy(podSpec), problems.at('resources'));
  // a limit of the Pod is its request only for what no container requests
  const isOfPod = (name: keyof Amounts): boolean =>
    (isMap(requests) && requests[name] !== undefined) ||
    (isMap(limits) && limits[name] !== undefined && all[name].nano === Quantity.ZERO.nano);
  const counted = { cpu: isOfPod('cpu') ? ofPod.cpu : all.cpu, memory: isOfPod('memory') ? ofPod.memory : all.memory };
  return plus(counted, amountsIn(mapAt(podSpec, 'overhead'), problems.at('overhead')));
}

function requestedBy(containerOrPod: PlainMap): PlainMap {
  const { requests, limits } = mapAt(containerOrPod, 'resources');
  return { ...(isMap(limits) ? limits : {}), ...(isMap(requests) ? requests : {}) };
}

function amountsIn({ cpu, memory }: PlainMap, problems: ProblemList): Amounts {
  const read = (name: string, value: unknown): Quantity => {
    const quantity = typeof value === 'string' || typeof value === 'number' ? Quantity.parse(String(value)) : undefined;
    if (value !== undefined && value !== null && quantity === undefined) {
      problems.at(name).add('EDGE_QUANTITY', `${showValue(value)} is not a quantity`, "write '100m' or '64Mi'");
    }
    return quantity ?? Quantity.ZERO;
  };
  return { cpu: read('cpu', cpu), memory: read('memory', memory) };
}

/** The objects in a List, as `kubectl get --output=yaml` prints it. */
function itemsOf(object: PlainMap): PlainMap[] {
  const { kind, items } = object;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items.filter(isMap).map((item) => ({ apiVersion: object.apiVersion, kind: kind.replace(/List$/, ''), ...item }))
    : [object];
}
