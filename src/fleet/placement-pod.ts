import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { podSpecAt, type PodPlace } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import type { HostPort } from '../workloads/host-ports.js';
import { type Amounts, amountsIn, larger, NOTHING, requestedBy, requestsOf } from './pod-requests.js';

/** A Pod as the scheduler and kubelet see it: with what the API server and the DaemonSet controller add. */
export interface PlacementPod {
  /** `DaemonSet default/collector`: who makes it, for messages. */
  readonly title: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly spec: PlainMap;
  /** The claims that its controller makes before it, by name.
   * @default - none */
  readonly madeClaims?: ReadonlyMap<string, PlainMap>;
  /** Whether it is one of a DaemonSet, which makes one for each node. */
  readonly isDaemon: boolean;
  /** Whether it is being deleted. */
  readonly isTerminating: boolean;
  /** Whether kubelet has admitted it: the room and the ports of its node are its own.
   * @default false */
  readonly isRunning?: boolean;
}

/** A Pod of a Pod template, or of a Pod. */
export function placementPod(object: PlainMap, place?: PodPlace): PlacementPod {
  const { name, namespace, deletionTimestamp } = mapAt(object, 'metadata');
  const template = place === undefined ? object : valueAt(object, place.path);
  const own = mapAt(isMap(template) ? template : {}, 'metadata');
  return {
    title: nameOf(object),
    name: String(name),
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : 'default',
    labels: mapAt(own, 'labels'),
    annotations: mapAt(own, 'annotations'),
    ...(place === undefined || object.kind === 'Pod'
      ? { spec: withActuated(object) }
      : withClaims(object, podSpecAt(object, place))),
    isDaemon: object.kind === 'DaemonSet',
    isTerminating: object.kind === 'Pod' && deletionTimestamp !== undefined,
    isRunning: object.kind === 'Pod' && mapAt(object, 'status').phase === 'Running',
  };
}

/**
 * The spec of a Pod with what its containers have while they are resized: the larger of what is wanted and what they
 * got, without the former if the node can never give it (resource/helpers.go, determineEffectiveRequests).
 */
function withActuated(pod: PlainMap): PlainMap {
  const [spec, status] = [mapAt(pod, 'spec'), mapAt(pod, 'status')];
  const resized = new Map(
    [...listOf(status.containerStatuses), ...listOf(status.initContainerStatuses)]
      .filter(({ resources }) => isMap(resources))
      .map((each) => [each.name, each]),
  );
  if (resized.size === 0) {
    return spec;
  }
  const isInfeasible = listOf(status.conditions).some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const withMost = (container: PlainMap): PlainMap => {
    const { resources, allocatedResources } = resized.get(container.name) ?? {};
    const got = [mapAt({ resources }, 'resources').requests, allocatedResources].filter(isMap);
    const all = [...(isInfeasible ? [] : [requestedBy(container)]), ...got];
    const most = all.map((each) => amountsIn(each, new ProblemList())).reduce(larger, NOTHING);
    const requests = Object.entries(most).map(([name, amount]) => [name, String(amount)] as const);
    return resources === undefined
      ? container
      : { ...container, resources: { requests: Object.fromEntries(requests) } };
  };
  const isSidecar = ({ restartPolicy }: PlainMap): boolean => restartPolicy === 'Always';
  return {
    ...spec,
    containers: listOf(spec.containers).map(withMost),
    ...(Array.isArray(spec.initContainers)
      ? { initContainers: listOf(spec.initContainers).map((each) => (isSidecar(each) ? withMost(each) : each)) }
      : {}),
  };
}

/**
 * A Pod spec with the claims of the first Pod of a StatefulSet. Its controller makes them before the Pod (statefulset/stateful_pod_control.go,
 * CreateStatefulPod).
 */
function withClaims(object: PlainMap, spec: PlainMap): Pick<PlacementPod, 'spec' | 'madeClaims'> {
  const { volumeClaimTemplates, ordinals } = mapAt(object, 'spec');
  const templates = object.kind === 'StatefulSet' ? listOf(volumeClaimTemplates) : [];
  if (templates.length === 0) {
    return { spec };
  }
  const { start } = mapAt({ ordinals }, 'ordinals');
  const pod = `${String(mapAt(object, 'metadata').name)}-${typeof start === 'number' ? start : 0}`;
  const named = templates.map((template) => {
    const name = String(mapAt(template, 'metadata').name);
    return { name, template, claimName: `${name}-${pod}` };
  });
  const own = new Set(named.map(({ name }) => name));
  return {
    // one of the template with the same name is replaced (stateful_set_utils.go, updateStorage)
    spec: {
      ...spec,
      volumes: [
        ...listOf(spec.volumes).filter(({ name }) => !own.has(String(name))),
        ...named.map(({ name, claimName }) => ({ name, persistentVolumeClaim: { claimName } })),
      ],
    },
    madeClaims: new Map(named.map(({ claimName, template }) => [claimName, template])),
  };
}

/** The node that a Pod names: the scheduler is not asked. */
export function nodeNameOf(spec: PlainMap): string | undefined {
  return typeof spec.nodeName === 'string' && spec.nodeName !== '' ? spec.nodeName : undefined;
}

const [NOT_READY, UNREACHABLE] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Tolerations that the DaemonSet controller adds to its Pods (daemonset_util.go AddOrUpdateDaemonPodTolerations). */
const DAEMON_TOLERATIONS: readonly PlainMap[] = [
  { key: NOT_READY, operator: 'Exists', effect: 'NoExecute' },
  { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

const NETWORK_UNAVAILABLE: PlainMap = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/**
 * The tolerations of a Pod in the cluster. The API server gives every Pod without an own one five minutes on a node that is not ready or unreachable
 * (plugin/pkg/admission/defaulttolerationseconds), so such a taint does not keep a Pod from being scheduled.
 */
export function tolerationsOf(spec: PlainMap, isDaemon: boolean): readonly PlainMap[] {
  const known = (isDaemon ? TOLERATIONS.ofDaemons : TOLERATIONS.ofOthers).get(spec);
  if (known !== undefined) {
    return known;
  }
  const all = withAddedTolerations(spec, isDaemon);
  (isDaemon ? TOLERATIONS.ofDaemons : TOLERATIONS.ofOthers).set(spec, all);
  return all;
}

// a template is asked about for every pool
const TOLERATIONS = {
  ofDaemons: new WeakMap<PlainMap, readonly PlainMap[]>(),
  ofOthers: new WeakMap<PlainMap, readonly PlainMap[]>(),
};

function withAddedTolerations(spec: PlainMap, isDaemon: boolean): readonly PlainMap[] {
  const own = Array.isArray(spec.tolerations) ? spec.tolerations.filter(isMap) : [];
  const ofDaemon = isDaemon ? [...DAEMON_TOLERATIONS, ...(spec.hostNetwork === true ? [NETWORK_UNAVAILABLE] : [])] : [];
  const isFor = ({ key, effect }: PlainMap, taint: string): boolean =>
    (key === taint || isEmpty(key)) && (effect === 'NoExecute' || isEmpty(effect));
  const all = [...own, ...ofDaemon];
  const added = [NOT_READY, UNREACHABLE]
    .filter((taint) => !all.some((toleration) => isFor(toleration, taint)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute' }));
  return [...all, ...added];
}

function isEmpty(field: unknown): boolean {
  return field === undefined || field === null || field === '';
}

/** The ports of the node that a Pod takes (scheduler/util GetHostPorts): with hostNetwork every declared port, else those with a hostPort. */
export function takenPorts(spec: PlainMap): readonly HostPort[] {
  const known = PORTS.get(spec);
  if (known !== undefined) {
    return known;
  }
  const ports = portsIn(spec);
  PORTS.set(spec, ports);
  return ports;
}

const PORTS = new WeakMap<PlainMap, readonly HostPort[]>();

function portsIn(spec: PlainMap): readonly HostPort[] {
  const counts = (field: string, container: PlainMap): boolean =>
    field === 'containers' || container.restartPolicy === 'Always';
  return ['initContainers', 'containers'].flatMap((field) =>
    listOf(spec[field])
      .filter((container) => counts(field, container))
      .flatMap((container) => listOf(container.ports))
      .flatMap(({ containerPort, hostPort, protocol, hostIP }) => {
        const port = isEmpty(hostPort) || hostPort === 0 ? (spec.hostNetwork === true ? containerPort : 0) : hostPort;
        return typeof port === 'number' && port > 0
          ? [
              {
                port,
                protocol: isEmpty(protocol) ? 'TCP' : String(protocol),
                hostIP: isEmpty(hostIP) ? '0.0.0.0' : String(hostIP),
              },
            ]
          : [];
      }),
  );
}

function listOf(value: unknown): PlainMap[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

const REQUESTS = new WeakMap<PlainMap, { readonly requests: Amounts | undefined }>();

/** The requests of a Pod; undefined if the manifests do not show them, or have one that is not a quantity. */
export function knownRequests(spec: PlainMap): Amounts | undefined {
  const known = REQUESTS.get(spec);
  if (known !== undefined) {
    return known.requests;
  }
  const problems = new ProblemList();
  const found = requestsOf(spec, problems);
  const requests = problems.problems.length > 0 ? undefined : found;
  REQUESTS.set(spec, { requests });
  return requests;
}
