import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { mapsIn } from '../kubernetes/field-values.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { namedPorts } from '../workloads/host-ports.js';
import type { ServiceNames } from '../workloads/pod-dns.js';
import type { Finding } from './finding.js';
import { poolNames } from './fleet.js';
import type { PoolGroup } from './fleet-overview.js';
import { findingAt, type PlacedObject } from './placed-object.js';
import { type PlacementPod, placementPod } from './placement-pod.js';

const PROXY = 'DaemonSet kube-system/kube-proxy';

/** Warnings about NetworkPolicies that protect nothing, and about Services that no node answers. */
export function reachFindings(placed: readonly PlacedObject[], groups: readonly PoolGroup[]): Finding[] {
  const pods = placed.flatMap(({ object }) => podsIn(object));
  return placed.flatMap((each) =>
    isOf(each.object, 'NetworkPolicy')
      ? unenforced(each, pods)
      : isOf(each.object, 'Service')
        ? unanswered(each, pods, groups)
        : [],
  );
}

const API_VERSIONS = { NetworkPolicy: 'networking.k8s.io/v1', Service: 'v1' };

function isOf({ apiVersion, kind }: PlainMap, wanted: keyof typeof API_VERSIONS): boolean {
  return kind === wanted && apiVersion === API_VERSIONS[wanted];
}

function podsIn(object: PlainMap): PlacementPod[] {
  return podPlaces(object)
    .filter(({ isTemplate }) => isTemplate)
    .map((place) => placementPod(object, place));
}

/** The namespace of an object that has one. */
export function namespaceOf(object: PlainMap): string {
  const { namespace } = mapAt(object, 'metadata');
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

/** The Pods that a NetworkPolicy or a Service selects: without a selector a Service none, a NetworkPolicy all. */
function selectedBy(object: PlainMap, pods: readonly PlacementPod[]): PlacementPod[] {
  const { podSelector, selector } = mapAt(object, 'spec');
  const labels = isMap(selector) && Object.keys(selector).length > 0 ? { matchLabels: selector } : undefined;
  const wanted = object.kind === 'Service' ? labels : (podSelector ?? {});
  const namespace = namespaceOf(object);
  return pods.filter((pod) => pod.namespace === namespace && selectsLabels(wanted, pod.labels));
}

function titlesOf(pods: readonly PlacementPod[]): string[] {
  return [...new Set(pods.map(({ title }) => title))];
}

function unenforced(each: PlacedObject, pods: readonly PlacementPod[]): Finding[] {
  const selected = selectedBy(each.object, pods);
  if (selected.length === 0 || selected.some(({ spec }) => spec.hostNetwork !== true)) {
    return [];
  }
  const names = poolNames(titlesOf(selected));
  const problem = {
    code: 'EDGE_POLICY_UNENFORCED',
    path: 'spec.podSelector',
    message: `it protects nothing: network plugins apply none to Pods with hostNetwork, and it selects only ${names}`,
    hint: 'restrict their ports with the firewall of the nodes, or let the programs listen on 127.0.0.1 only',
  } as const;
  return [findingAt(each, 'warning', problem)];
}

/** A Service that sends only to endpoints of the same node, if all of them are where no kube-proxy answers. */
function unanswered(each: PlacedObject, pods: readonly PlacementPod[], groups: readonly PoolGroup[]): Finding[] {
  const { type = 'ClusterIP', clusterIP, ...policies } = mapAt(each.object, 'spec');
  const fields = [
    ...(type === 'NodePort' || type === 'LoadBalancer' ? ['externalTrafficPolicy'] : []),
    ...(type !== 'ExternalName' && clusterIP !== 'None' ? ['internalTrafficPolicy'] : []),
  ].filter((field) => policies[field] === 'Local');
  const names = new Set(titlesOf(selectedBy(each.object, pods)));
  const runningOn = groups.filter(({ runs }) => runs.some((name) => names.has(name)));
  const mayAnswer = groups.some(
    ({ hostNetwork, runs, others }) =>
      (!hostNetwork && others.some(({ workload, outcome }) => outcome === 'unknown' && names.has(workload))) ||
      (runs.some((name) => names.has(name)) && (!hostNetwork || runs.includes(PROXY))),
  );
  const pools = poolNames(runningOn.flatMap((group) => group.pools));
  const where = `only on ${pools}, without kube-proxy, and other nodes send them nothing`;
  return mayAnswer || runningOn.length === 0
    ? []
    : fields.map((field) =>
        findingAt(each, 'warning', {
          code: 'EDGE_SERVICE_UNREACHABLE',
          path: `spec.${field}`,
          message: `no node answers its ${field.startsWith('ex') ? 'node port' : 'ClusterIP'}: its Pods are ${where}`,
          hint: `write ${field}: Cluster: nodes with kube-proxy then send to them; or use the addresses of their nodes`,
        }),
      );
}

/** A node on which a workload runs. */
interface ReachedNode {
  readonly hostNetwork: boolean;
  /** Whether the nodes of its pool are said to reach each other. */
  readonly interConnected: boolean;
}

/** From where the Pods of a workload on a node are reachable, and how; nothing if they declare no ports. */
export function reachableFrom(
  target: PlainMap,
  objects: readonly PlainMap[],
  { hostNetwork, interConnected }: ReachedNode,
): string[] {
  const pods = podsIn(target);
  const numbers = [...new Set(pods.flatMap(({ spec }) => namedPorts(spec).map(({ number }) => number)))];
  const ports = `${numbers.length === 1 ? 'port' : 'ports'} ${numbers.join(', ')}`;
  const services = objects.filter(
    (object) =>
      isOf(object, 'Service') &&
      selectedBy(object, pods).length > 0 &&
      // each node sends to its own Pods only, and those with hostNetwork may have none there
      mapAt(object, 'spec').internalTrafficPolicy !== 'Local',
  );
  const named = services.map((object) => nameOf(object));
  const byService = named.length === 0 ? '' : `, or by ${poolNames(named)}`;
  if (numbers.length === 0) {
    return [];
  }
  if (pods.some(({ spec }) => spec.hostNetwork !== true)) {
    return [
      `from regular nodes: by the address of the Pod, ${ports}${byService}`,
      'not from host-network nodes, which have no Pod network and no kube-proxy',
    ];
  }
  const others = interConnected ? '' : ', if they reach each other: the pool does not say interConnectivity: true';
  return [
    `from Pods with hostNetwork on the same node: 127.0.0.1, ${ports}`,
    ...(hostNetwork ? [`from other nodes of the pool: by the address of its node${others}`] : []),
    `from regular nodes: by the address of its node, if they reach it${byService}`,
    ...(named.length === 0 ? [] : [`not from host-network nodes by ${poolNames(named)}: they have no kube-proxy`]),
  ];
}

/** The Services, by the names that Pods of a namespace have for them. */
export function serviceNames(placed: readonly PlacedObject[]): (namespace: string) => ServiceNames {
  const services = placed.map(({ object }) => object).filter((object) => isOf(object, 'Service'));
  return (namespace) =>
    new Map(
      services.flatMap((object) => {
        const spec = mapAt(object, 'spec');
        const ports = mapsIn(spec, 'ports').map(([, { port }]) => String(port));
        const service = { title: nameOf(object), ...(spec.clusterIP === 'None' ? {} : { ports }) };
        const name = String(mapAt(object, 'metadata').name);
        const own = namespaceOf(object);
        return [name, `${name}.${own}`]
          .filter((each) => each !== name || own === namespace)
          .map((each) => [each, service] as const);
      }),
    );
}
