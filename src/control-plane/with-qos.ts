import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { podTracesIn } from '../kubernetes/pod-traces.js';
import { Quantity } from '../kubernetes/quantity.js';
import { CONTAINER_FIELDS } from '../workloads/containers.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  requireTree,
  valueAt,
  withChangeAt,
} from '../base/plain-data.js';
import { whatIs } from '../base/properties.js';
import { type QosProfile, type ResolvedContainer, type ResolvedQos, resolvedQos } from './qos-profile.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * A copy of a workload whose Pods have the resources and the priority of a profile: for a manifest, for the arguments of a resource of Pulumi, and for a
 * Prometheus, an Alertmanager, a PrometheusAgent or a ThanosRuler of the Prometheus Operator, whose main container has its resources in `spec.resources`.
 *
 * ```ts
 * import { withQos } from 'edge-nodepools/control-plane';
 *
 * const prometheus = withQos(
 *   { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', metadata: { name: 'edge' }, spec: {} },
 *   { preset: 'prometheus', priorityClassName: 'observability' },
 * );
 * console.log(prometheus.spec);
 * ```
 *
 * @category Run the control plane
 * @param workload the object, which is not changed
 * @param profile class, resources and priority
 * @returns the same object with other resources; CPU and memory of the named containers are those of the profile alone
 * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION if the Pods would not have the class, EDGE_MATCHES_NOTHING for a container that
 * is not there, EDGE_NO_POD_TEMPLATE, EDGE_NOT_AN_OBJECT, EDGE_QUANTITY, EDGE_VALUE, EDGE_MISSING, EDGE_NAME, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
 */
export function withQos<Workload extends object>(workload: Workload, profile: QosProfile): Workload {
  requireTree({ workload, profile }, 'withQos');
  const problems = new ProblemList();
  const resolved = resolvedQos(profile, problems.at('profile'));
  const object: unknown = workload;
  if (!isMap(object)) {
    problems
      .at('workload')
      .add('EDGE_NOT_AN_OBJECT', `the workload is ${whatIs(object)}`, 'give one plain object with a Pod template');
    problems.throwIfAny('withQos');
    return workload;
  }
  const result = resolved === undefined ? object : changed(object, resolved, problems);
  problems.throwIfAny(`withQos ${nameOf(object)}`);
  return result as Workload;
}

function changed(object: PlainMap, profile: ResolvedQos, problems: ProblemList): PlainMap {
  const main = operatorContainer(object);
  if (main !== undefined) {
    const spec = operatorSpec(object.spec, main, profile, problems);
    return { ...object, spec };
  }
  const paths = podTracesIn(object).flatMap(({ what, podSpec }) =>
    what === 'a Pod spec' && podSpec !== undefined ? [podSpec] : [],
  );
  if (paths.length === 0) {
    problems
      .at('workload')
      .add(
        'EDGE_NO_POD_TEMPLATE',
        `${nameOf(object)} has no Pod spec with containers`,
        'give an object with a Pod template, for example a Deployment or a DaemonSet, with its containers as plain data',
      );
  }
  const specs = paths.map((path) => valueAt(object, path) as PlainMap);
  checkNames(profile, specs.flatMap(containerNames), problems.at('profile'));
  if (problems.problems.length > 0) {
    return object;
  }
  return paths.reduce(
    (all: PlainMap, path: ObjectPath) =>
      withChangeAt(all, path, (podSpec) => podSpecWithQos(podSpec, profile, problems.at('workload', ...path))),
    object,
  );
}

/** A Pod spec with the resources and the priority of a profile; that its class is another one is a problem. */
export function podSpecWithQos(podSpec: PlainMap, profile: ResolvedQos, problems: ProblemList): PlainMap {
  const result = applied(podSpec, profile);
  checkClass(result, profile.qosClass, problems);
  return result;
}

function applied(podSpec: PlainMap, { containers, priorityClassName }: ResolvedQos): PlainMap {
  const result: Record<string, unknown> = { ...podSpec };
  for (const field of CONTAINER_FIELDS) {
    const list = podSpec[field];
    if (Array.isArray(list)) {
      result[field] = list.map((container: unknown) =>
        isMap(container) && containers.has(container.name as string)
          ? { ...container, resources: merged(container.resources, containers.get(container.name as string)) }
          : container,
      );
    }
  }
  return priorityClassName === undefined ? result : { ...result, priorityClassName };
}

/** The resources of a container, with CPU and memory of the profile alone. */
function merged(resources: unknown, qos: ResolvedContainer | undefined): PlainMap {
  const before = isMap(resources) ? resources : {};
  const others = (field: string): PlainMap => without(mapAt(before, field), 'cpu', 'memory');
  const rest = without(before, 'requests', 'limits');
  const part = (field: 'requests' | 'limits'): PlainMap => {
    const amounts: PlainMap = { ...others(field), ...qos?.[field] };
    return Object.keys(amounts).length === 0 ? {} : { [field]: amounts };
  };
  return { ...rest, ...part('requests'), ...part('limits') };
}

function without(map: PlainMap, ...fields: readonly string[]): PlainMap {
  return Object.fromEntries(Object.entries(map).filter(([field]) => !fields.includes(field)));
}

/** The API server computes the class once, when a Pod is made (`apis/core/v1/helper/qos`, ComputePodQOS). */
function checkClass(podSpec: PlainMap, wanted: ResolvedQos['qosClass'], problems: ProblemList): void {
  const is = qosClassOf(podSpec);
  if (is === undefined || is.toLowerCase() === wanted) {
    return;
  }
  if (wanted === 'burstable') {
    problems.add(
      'EDGE_CONTRADICTION',
      `the Pod would be ${is}: the limits of all containers equal their requests`,
      "write qosClass: 'guaranteed', or leave limits out",
    );
    return;
  }
  for (const field of CONTAINER_FIELDS) {
    const list = itemsOf(podSpec[field]);
    list.forEach((container, index) => {
      if (isMap(container) && !isGuaranteed(container)) {
        problems
          .at(field, index)
          .add(
            'EDGE_CONTRADICTION',
            `the Pod would be ${is}: the limits of ${field === 'containers' ? 'the container' : 'the init container'} ${String(container.name)} do not equal its requests`,
            `write containers: { '${String(container.name)}': { requests: { cpu: '10m', memory: '32Mi' } } } too`,
          );
      }
    });
  }
}

function isGuaranteed(container: PlainMap): boolean {
  return qosClassOf({ containers: [container] }) === 'Guaranteed';
}

/**
 * The QoS class of a Pod as the API server computes it: of CPU and memory of all containers, or of those of the Pod itself; undefined if a container is
 * not known yet.
 */
export function qosClassOf(podSpec: PlainMap): 'Guaranteed' | 'Burstable' | 'BestEffort' | undefined {
  const lists: unknown[] = CONTAINER_FIELDS.map((field) => podSpec[field] ?? []);
  if (!lists.every(Array.isArray)) {
    return undefined;
  }
  const ofPod = isMap(podSpec.resources) && Object.keys(podSpec.resources).length > 0;
  const parts: unknown[] = ofPod ? [podSpec] : (lists as unknown[][]).flat();
  if (!parts.every(isMap)) {
    return undefined;
  }
  const amounts = parts.map((part) => {
    const limits = amountsOf(mapAt(mapAt(part, 'resources'), 'limits'));
    return { limits, requests: { ...limits, ...amountsOf(mapAt(mapAt(part, 'resources'), 'requests')) } };
  });
  if (amounts.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0)) {
    return 'BestEffort';
  }
  const isEqual = amounts.every(
    ({ limits, requests }) =>
      limits.cpu !== undefined &&
      limits.memory !== undefined &&
      limits.cpu === requests.cpu &&
      limits.memory === requests.memory,
  );
  return isEqual ? 'Guaranteed' : 'Burstable';
}

function amountsOf(map: PlainMap): { readonly cpu?: bigint; readonly memory?: bigint } {
  const read = (name: string): [string, bigint][] => {
    const value = map[name];
    const isAmount = typeof value === 'string' || typeof value === 'number';
    const nano = (isAmount ? Quantity.parse(String(value)) : undefined)?.nano ?? 0n;
    return nano > 0n ? [[name, nano]] : [];
  };
  return Object.fromEntries([...read('cpu'), ...read('memory')]);
}

function containerNames(podSpec: PlainMap): string[] {
  return [...CONTAINER_FIELDS]
    .reverse()
    .flatMap((field) => itemsOf(podSpec[field]))
    .map((container) => (isMap(container) ? container.name : undefined))
    .filter((name) => typeof name === 'string');
}

/** Refuses resources of containers that are not there. */
export function checkNames({ containers }: ResolvedQos, names: readonly string[], problems: ProblemList): void {
  for (const name of containers.keys()) {
    if (names.length > 0 && !names.includes(name)) {
      problems
        .at('containers', name)
        .add(
          'EDGE_MATCHES_NOTHING',
          `there is no container ${name}`,
          `the names are ${[...new Set(names)].join(', ')}: write containers: { '${names[0] ?? 'app'}': { requests: { … } } }`,
        );
    }
  }
}

/** Containers that the Prometheus Operator makes, by kind: the main one, whose resources are in spec.resources (prometheus-operator 0.93, api.md). */
const OPERATOR_CONTAINERS: Readonly<Record<string, string>> = {
  Prometheus: 'prometheus',
  PrometheusAgent: 'prometheus',
  Alertmanager: 'alertmanager',
  ThanosRuler: 'thanos-ruler',
};

/** The others; their limits equal their requests unless the operator's flags say otherwise. An entry of the same name changes them. */
const OPERATOR_OTHERS: Readonly<Record<string, (typeof CONTAINER_FIELDS)[number]>> = {
  'config-reloader': 'containers',
  'init-config-reloader': 'initContainers',
};

function operatorContainer({ apiVersion, kind }: PlainMap): string | undefined {
  return typeof apiVersion === 'string' && apiVersion.startsWith('monitoring.coreos.com/') && typeof kind === 'string'
    ? OPERATOR_CONTAINERS[kind]
    : undefined;
}

/** The spec of an object of the operator: as a Pod spec in which its main container is the last one. */
function operatorSpec(given: unknown, main: string, profile: ResolvedQos, problems: ProblemList): PlainMap {
  const at = problems.at('workload', 'spec');
  if (given !== undefined && !isMap(given)) {
    at.add('EDGE_KNOWN_LATER', 'the spec is not known yet', 'give the spec as a map; its fields can be Outputs');
    return {};
  }
  const { containers = [], initContainers = [], resources, ...rest } = given ?? {};
  const lists: Record<string, unknown> = { containers, initContainers };
  for (const [name, field] of Object.entries(OPERATOR_OTHERS)) {
    const list: unknown = lists[field];
    const isThere = Array.isArray(list) && list.some((one) => isMap(one) && one.name === name);
    if (profile.containers.has(name) && Array.isArray(list) && !isThere) {
      lists[field] = [...(list as unknown[]), { name }];
    }
  }
  checkNames(profile, [main, ...Object.keys(OPERATOR_OTHERS), ...containerNames(lists)], problems.at('profile'));
  const own = { name: main, ...(resources === undefined ? {} : { resources }) };
  const others = itemsOf(lists.containers);
  const done = applied({ ...rest, ...lists, containers: [...others, own] }, profile);
  const all = done.containers as unknown[];
  const isOperators = (one: unknown): one is PlainMap =>
    isMap(one) && one.resources === undefined && (one.name === main || String(one.name) in OPERATOR_OTHERS);
  const counted = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((one: unknown) => (isOperators(one) ? { ...one, resources: EQUAL } : one)) : list;
  checkClass({ ...done, containers: counted(all), initContainers: counted(done.initContainers) }, profile.qosClass, at);
  return {
    ...without(done, 'containers', 'initContainers'),
    resources: (all.at(-1) as PlainMap).resources,
    ...whole('containers', Array.isArray(lists.containers) ? all.slice(0, -1) : lists.containers),
    ...whole('initContainers', done.initContainers),
  };
}

/** What counts for a container whose resources the operator writes. */
const EQUAL = { limits: { cpu: '1', memory: '1' } };

const whole = (field: string, list: unknown): PlainMap =>
  Array.isArray(list) && list.length === 0 ? {} : { [field]: list };
