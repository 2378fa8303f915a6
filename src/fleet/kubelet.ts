import { EDGE_WORKER_LABEL, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { isHostNetworkNode } from './node.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import { nodeNameOf, type PlacementPod, takenPorts } from './placement-pod.js';
import { isExtended } from './room.js';
import { type HostPort, portsClash, showPort } from '../workloads/host-ports.js';
import {
  nodeAffinity,
  nodeDeclaredFeatures,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  refusalsOf,
  taintRefusal,
  taintToleration,
} from './scheduler.js';
import { type Refusal, decidingRefusal, type Verdict } from './verdict.js';

/** Why kubelet does not admit a Pod that names its node, or cannot start one (pkg/kubelet/lifecycle/predicate.go). */
function admission(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal[] {
  return [
    operatingSystem(pod, node),
    ...(pod.isRunning === true
      ? []
      : [nodeResourcesFit({ ...pod, spec: withoutUnknownResources(pod.spec, node) }, node), nodePorts(pod, node)]),
    nodeName(pod, node),
    nodeAffinity(pod, node),
    nodeDeclaredFeatures(pod, node, cluster),
    // the DaemonSet controller makes no Pod for a node with another taint that the template does not tolerate (daemon_controller.go NodeShouldRunDaemonPod)
    pod.isDaemon ? taintToleration(pod, node) : taintRefusal(pod, node, ['NoExecute']),
  ].filter((refusal) => refusal !== undefined);
}

/** kubelet leaves extended resources out that its node does not have. */
function withoutUnknownResources(spec: PlainMap, { allocatable = {} }: ClusterNode): PlainMap {
  const isKnown = (name: string): boolean => allocatable[name] !== undefined || !isExtended(name);
  const kept = (resources: unknown): PlainMap =>
    Object.fromEntries(Object.entries(isMap(resources) ? resources : {}).filter(([name]) => isKnown(name)));
  const containers = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.filter(isMap).map((container) => {
          const { requests, limits } = isMap(container.resources) ? container.resources : {};
          return { ...container, resources: { requests: kept(requests), limits: kept(limits) } };
        })
      : list;
  return { ...spec, containers: containers(spec.containers), initContainers: containers(spec.initContainers) };
}

const OS_LABEL = 'kubernetes.io/os';

/** kubelet runs Pods of its own operating system only. The scheduler does not look at it. */
function operatingSystem({ spec, labels }: PlacementPod, node: ClusterNode): Refusal | undefined {
  const os = node.labels[OS_LABEL] ?? 'linux';
  const { name } = mapAt(spec, 'os');
  const wrong = [name, labels[OS_LABEL]].find((each): each is string => typeof each === 'string' && each !== os);
  return wrong === undefined
    ? undefined
    : { by: 'kubelet', outcome: 'never starts', reason: `it is for ${wrong}, the node runs ${os}` };
}

/** kubelet admits no Pod that wants only its groups, where the runtime adds those of the image (predicate.go). */
function strictGroups(
  { spec }: PlacementPod,
  { hasStrictGroups }: ClusterNode,
  { kubernetes }: PlacementCluster,
): Refusal | undefined {
  const { supplementalGroupsPolicy: policy } = mapAt(spec, 'securityContext');
  if (policy !== 'Strict' || hasStrictGroups === true || !kubernetes.refusesStrictGroups) {
    return undefined;
  }
  const isUnknown = hasStrictGroups === undefined;
  const field = ['securityContext', 'supplementalGroupsPolicy'];
  return {
    by: 'kubelet',
    outcome: isUnknown ? 'unknown' : 'never starts',
    reason: isUnknown
      ? 'whether its nodes have supplementalGroupsPolicy Strict is not in the manifests'
      : 'the container runtime of the node does not have supplementalGroupsPolicy Strict',
    field,
  };
}

/** A Pod with a Pod network on a node that has none: `ContainerCreating`, retried forever. */
function podNetwork({ spec }: PlacementPod, node: ClusterNode, label: HostNetworkLabel): Refusal | undefined {
  if (spec.hostNetwork === true || !(node.isHostNetwork === true || isHostNetworkNode(node, label))) {
    return undefined;
  }
  // a part of a Pod spec need not have the field
  return spec.hostNetwork === undefined && !Array.isArray(spec.containers)
    ? { by: 'kubelet', outcome: 'unknown', reason: 'whether it has hostNetwork is not in the manifests' }
    : { by: 'kubelet', outcome: 'never starts', reason: 'it needs a Pod network, which the node does not have' };
}

const held = (hostIP: string, ...ports: readonly number[]): readonly HostPort[] =>
  ports.map((port) => ({ port, protocol: 'TCP', hostIP }));
const [ALL, LOOPBACK] = ['0.0.0.0', '127.0.0.1'] as const;

/** The ports of every kubelet: the API, and the health check (pkg/cluster/ports). */
export const KUBELET_PORTS = [...held(ALL, 10250), ...held(LOOPBACK, 10248)];

/** yurthub's proxy, its own API and the proxy with TLS (openyurt pkg/yurthub/util YurtHubProxyPort and others). */
const YURTHUB_PORTS = held(LOOPBACK, 10261, 10267, 10268);

/** Ports of programs whose Pods need not declare them, by the name of the container (kube-proxy, kubeadm). */
const UNDECLARED: Readonly<Record<string, readonly HostPort[]>> = {
  'kube-proxy': held(ALL, 10249, 10256),
  etcd: held(ALL, 2379, 2380, 2381),
  yurthub: YURTHUB_PORTS,
  'yurt-hub': YURTHUB_PORTS,
};

/**
 * The scheduler knows nothing of ports that no Pod declares: a Pod is put on the node, and its program finds its port
 * in use. A hostPort without hostNetwork is no socket: the CNI plugin portmap passes its traffic on.
 */
function undeclaredPort(pod: PlacementPod, { pods, labels, hasYurthub }: ClusterNode): Refusal | undefined {
  const { spec } = pod;
  const own = spec.hostNetwork === true ? takenPorts(spec) : [];
  const ofPods = own.length === 0 ? [] : pods.filter((each) => each.spec.hostNetwork === true);
  const isEdge = (hasYurthub ?? labels[EDGE_WORKER_LABEL] === TRUE) && undeclaredOf(pod).length === 0;
  const taken = [
    ...KUBELET_PORTS.map((port) => ({ port, by: 'kubelet' })),
    ...(isEdge ? YURTHUB_PORTS : []).map((port) => ({ port, by: 'yurthub' })),
    ...ofPods.flatMap((each) => undeclaredOf(each).map((port) => ({ port, by: each.title }))),
  ].find(({ port }) => own.some((each) => portsClash(each, port)));
  return taken === undefined
    ? undefined
    : { by: 'kubelet', outcome: 'never starts', reason: `${showPort(taken.port)} is a port of ${taken.by}` };
}

function undeclaredOf({ spec }: PlacementPod): readonly HostPort[] {
  const names = Array.isArray(spec.containers) ? spec.containers.filter(isMap).map(({ name }) => String(name)) : [];
  return names.flatMap((name) => (Object.hasOwn(UNDECLARED, name) ? (UNDECLARED[name] ?? []) : []));
}

/** All reasons why a Pod does not run on a node. */
export function allRefusals(
  pod: PlacementPod,
  node: ClusterNode,
  cluster: PlacementCluster,
  label: HostNetworkLabel,
): Refusal[] {
  const isBound = nodeNameOf(pod.spec) !== undefined;
  const all = [
    ...(isBound ? admission(pod, node, cluster) : refusalsOf(pod, node, cluster)),
    ...[
      operatingSystem(pod, node),
      strictGroups(pod, node, cluster),
      podNetwork(pod, node, label),
      undeclaredPort(pod, node),
    ].filter((each) => each !== undefined),
  ];
  return all.filter(
    ({ by, reason }, index) => all.findIndex((each) => each.by === by && each.reason === reason) === index,
  );
}

/** What becomes of a Pod on a node: the scheduler's filters, or kubelet's admission if the Pod names its node, and then whether it starts. */
export function judge(
  pod: PlacementPod,
  node: ClusterNode,
  cluster: PlacementCluster,
  label: HostNetworkLabel,
): Verdict {
  // most workloads are for few pools, and nothing is reported before these
  const elsewhere = nodeName(pod, node) ?? nodeAffinity(pod, node);
  if (elsewhere?.outcome === 'excluded') {
    return { outcome: elsewhere.outcome, refusal: elsewhere };
  }
  const all = allRefusals(pod, node, cluster, label);
  const refusal = decidingRefusal(all);
  if (refusal === undefined) {
    return { outcome: 'runs' };
  }
  const neverStarts = all.find(({ outcome }) => outcome === 'never starts');
  return refusal.outcome === 'unknown' && neverStarts !== undefined
    ? {
        outcome: 'unknown',
        refusal: {
          ...refusal,
          reason: `${refusal.reason}; if it is put there, it never starts: ${neverStarts.reason}`,
        },
      }
    : { outcome: refusal.outcome, refusal };
}
