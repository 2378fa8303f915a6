import type { ProblemList } from '../base/errors.js';
import { checkObjectName } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkResources } from '../pools/reservation-props.js';
import { hasProperties } from './class-fields.js';
import { isMap } from '../base/plain-data.js';
import { checkKnownProperties, quoted, showValue, whatIs } from '../base/properties.js';
import { checkProperties, mapWith, oneOf, type PropertyTable } from '../base/property-table.js';

/**
 * Requests or limits of a container. Other resources of the container stay as they are.
 *
 * @category Run the control plane
 */
export interface ContainerAmounts {
  /** CPU, a quantity: `250m`.
   * @default - none */
  readonly cpu?: string;
  /** Memory, a quantity: `512Mi`.
   * @default - none */
  readonly memory?: string;
}

/**
 * Resources of a container. In a `guaranteed` profile one of both is enough, and is both.
 *
 * @category Run the control plane
 */
export interface ContainerQos {
  /** What the scheduler reserves.
   * @default - as limits, or nothing */
  readonly requests?: ContainerAmounts;
  /** What the container cannot exceed: with more memory it is killed, for more CPU it waits.
   * @default - none; as requests in a guaranteed profile */
  readonly limits?: ContainerAmounts;
}

/**
 * QoS class of a Pod. `guaranteed`: limits equal requests in every container, so it is the last that the kernel kills when the node has no memory.
 * `burstable`: it can use more than it requests.
 *
 * @category Run the control plane
 */
export type QosClass = 'guaranteed' | 'burstable';

/**
 * A component with resources that this library suggests. The API server and etcd need more in a large cluster, and a limit would kill them then, so they
 * are burstable without limits; the others are guaranteed.
 *
 * @category Run the control plane
 */
export type QosPreset =
  'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'etcd' | 'kube-proxy' | 'prometheus' | 'fluent-bit';

/**
 * QoS class, resources and priority of a Pod: a preset, or containers, or a preset with other amounts for its container.
 *
 * @category Run the control plane
 */
export interface QosProfile {
  /** A known component, with one container of that name.
   * @default - none */
  readonly preset?: QosPreset;
  /** QoS class that the Pod must have.
   * @default - that of the preset */
  readonly qosClass?: QosClass;
  /** Resources of containers and init containers, by the name of the container. They replace those of the preset.
   * @default - those of the preset */
  readonly containers?: Record<string, ContainerQos>;
  /** PriorityClass of the Pod.
   * @default - unchanged */
  readonly priorityClassName?: string;
}

/** A checked profile: the amounts of every container, as they are written. */
export interface ResolvedQos {
  readonly qosClass: QosClass;
  readonly containers: ReadonlyMap<string, ResolvedContainer>;
  readonly priorityClassName: string | undefined;
}

export interface ResolvedContainer {
  readonly requests: ContainerAmounts;
  readonly limits: ContainerAmounts;
}

/**
 * Requests of the presets, for clusters of up to about a hundred nodes. CPU of the API server and the controller manager as kubeadm requests it
 * (`phases/controlplane/manifests.go`: 250m, 200m); the rest is of this library.
 */
export const QOS_PRESETS: Readonly<Record<QosPreset, { readonly qosClass: QosClass; readonly requests: Amounts }>> = {
  'kube-apiserver': { qosClass: 'burstable', requests: { cpu: '250m', memory: '1Gi' } },
  'kube-controller-manager': { qosClass: 'guaranteed', requests: { cpu: '500m', memory: '512Mi' } },
  'kube-scheduler': { qosClass: 'guaranteed', requests: { cpu: '250m', memory: '256Mi' } },
  etcd: { qosClass: 'burstable', requests: { cpu: '500m', memory: '1Gi' } },
  'kube-proxy': { qosClass: 'guaranteed', requests: { cpu: '100m', memory: '128Mi' } },
  prometheus: { qosClass: 'guaranteed', requests: { cpu: '500m', memory: '2Gi' } },
  'fluent-bit': { qosClass: 'guaranteed', requests: { cpu: '100m', memory: '128Mi' } },
};

type Amounts = Required<ContainerAmounts>;

const AMOUNTS = ['cpu', 'memory'] as const;

const EXAMPLE =
  "{ preset: 'kube-scheduler' }, or { qosClass: 'guaranteed', containers: { app: { requests: { cpu: '100m', memory: '128Mi' } } } }";

const PROPERTIES: PropertyTable<QosProfile> = {
  preset: oneOf(...Object.keys(QOS_PRESETS)),
  qosClass: oneOf('guaranteed', 'burstable'),
  containers: mapWith(
    (containers, problems) =>
      Object.entries(containers).forEach(([name, container]) => checkContainer(container, problems.at(name))),
    'containers must be a map by the name of the container',
    "write { app: { requests: { cpu: '100m', memory: '128Mi' } } }",
  ),
  priorityClassName: (name, problems) => {
    if (name !== undefined) {
      checkUsedClass(name, problems);
    }
  },
};

const ADVICE: Readonly<Record<string, string>> = {
  class: 'did you mean qosClass?',
  requests: "write containers: { 'name of the container': { requests: { … } } }",
  limits: "write containers: { 'name of the container': { limits: { … } } }",
  priority: 'write priorityClassName: a PriorityClass has the number',
};

/** Checks a profile; undefined, with problems, if it is invalid. */
export function resolvedQos(profile: QosProfile, problems: ProblemList): ResolvedQos | undefined {
  const before = problems.problems.length;
  if (!hasProperties(profile, 'QosProfile', EXAMPLE, problems)) {
    return undefined;
  }
  checkProperties(profile, PROPERTIES, problems, ADVICE);
  const preset = profile.preset === undefined ? undefined : QOS_PRESETS[profile.preset];
  const { qosClass = preset?.qosClass, containers = {} } = profile;
  if (qosClass === undefined && profile.preset === undefined) {
    problems.at('qosClass').add('EDGE_MISSING', 'a profile without a preset needs a class', "write 'guaranteed'");
  }
  if (profile.preset === undefined && isMap(containers) && Object.keys(containers).length === 0) {
    problems.at('containers').add('EDGE_MISSING', 'no container is named', `write ${EXAMPLE}`);
  }
  if (problems.problems.length > before) {
    return undefined;
  }
  const names = [...new Set([...(profile.preset === undefined ? [] : [profile.preset]), ...Object.keys(containers)])];
  const resolve = qosClass === 'guaranteed' ? guaranteed : burstable;
  const resolved = names.map((name): [string, ResolvedContainer] => [
    name,
    resolve(
      name === profile.preset ? preset?.requests : undefined,
      containers[name] ?? {},
      problems.at('containers', name),
    ),
  ]);
  return problems.problems.length > before
    ? undefined
    : {
        qosClass: qosClass as QosClass,
        containers: new Map(resolved),
        priorityClassName: profile.priorityClassName,
      };
}

function guaranteed(
  preset: Amounts | undefined,
  { requests = {}, limits = {} }: ContainerQos,
  problems: ProblemList,
): ResolvedContainer {
  for (const name of AMOUNTS) {
    const [request, limit] = [requests[name], limits[name]];
    if (request !== undefined && limit !== undefined && nanoOf(request) !== nanoOf(limit)) {
      problems
        .at('limits', name)
        .add(
          'EDGE_CONTRADICTION',
          `the request is ${request} and the limit ${limit}, and in a guaranteed Pod they are equal`,
          `write one of them only, or qosClass: 'burstable'`,
        );
    } else if (request === undefined && limit === undefined && preset === undefined) {
      problems
        .at('requests', name)
        .add(
          'EDGE_MISSING',
          `a guaranteed Pod has cpu and memory in every container, and ${name} is missing`,
          `write requests: { cpu: '100m', memory: '128Mi' }`,
        );
    }
  }
  const amounts = texts({ ...preset, ...given(requests), ...given(limits) });
  return { requests: amounts, limits: amounts };
}

function burstable(
  preset: Amounts | undefined,
  { requests = {}, limits = {} }: ContainerQos,
  problems: ProblemList,
): ResolvedContainer {
  const all = { ...preset, ...given(requests) };
  for (const name of AMOUNTS) {
    const [request, limit] = [all[name], limits[name]];
    if (request !== undefined && limit !== undefined && nanoOf(limit) < nanoOf(request)) {
      problems
        .at('limits', name)
        .add(
          'EDGE_CONTRADICTION',
          `the limit ${limit} is less than the request ${request}, and the API server refuses that`,
          `write limits: { ${name}: '${request}' } or more`,
        );
    }
  }
  if (Object.keys({ ...all, ...given(limits) }).length === 0) {
    problems.add('EDGE_MISSING', 'the container has neither requests nor limits', "write requests: { cpu: '100m' }");
  }
  return { requests: texts(all), limits: texts(limits) };
}

function checkContainer(container: unknown, problems: ProblemList): void {
  if (!isMap(container)) {
    problems.add(
      'EDGE_TYPE',
      `the resources of a container are ${whatIs(container)}, not a map`,
      "write { requests: { cpu: '100m', memory: '128Mi' } }",
    );
    return;
  }
  checkKnownProperties(container, ['requests', 'limits'], problems, {
    cpu: 'write requests: { cpu } or limits: { cpu }',
    memory: 'write requests: { memory } or limits: { memory }',
    resources: 'leave it out: write requests and limits here',
  });
  for (const field of ['requests', 'limits']) {
    checkAmounts(container[field], problems.at(field));
  }
}

/** Amounts of CPU and memory. Without them, or with 0, a container counts as one that requests nothing. */
export function checkAmounts(amounts: unknown, problems: ProblemList): void {
  checkResources(amounts, AMOUNTS, problems);
  for (const name of isMap(amounts) ? AMOUNTS : []) {
    const amount = (amounts as ContainerAmounts)[name];
    const quantity = amount === undefined ? undefined : Quantity.parse(String(amount));
    if (quantity?.nano === 0n) {
      problems.at(name).add('EDGE_VALUE', '0 is the same as no amount', `leave ${name} out, or write more`);
    } else if (quantity !== undefined && name === 'memory' && quantity.nano % 1_000_000_000n !== 0n) {
      problems
        .at(name)
        .add(
          'EDGE_VALUE',
          `${showValue(amount)} is not a number of bytes`,
          `write ${quoted(String(amount).replace(/m$/, 'Mi'))}`,
        );
    }
  }
}

/** Classes of Kubernetes itself, for its own Pods. */
const SYSTEM_CLASSES = ['system-cluster-critical', 'system-node-critical'];

function checkUsedClass(name: unknown, problems: ProblemList): void {
  checkObjectName(name, problems);
  if (typeof name === 'string' && name.startsWith('system-') && !SYSTEM_CLASSES.includes(name)) {
    problems.add(
      'EDGE_MATCHES_NOTHING',
      `there is no PriorityClass ${name}: only Kubernetes makes those whose names begin with system-`,
      `write ${SYSTEM_CLASSES.map((one) => `'${one}'`).join(' or ')}, or the name of your own`,
    );
  }
}

const nanoOf = (amount: string): bigint => (Quantity.parse(String(amount)) ?? Quantity.ZERO).nano;

const given = (amounts: ContainerAmounts): ContainerAmounts =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined));

/** Amounts as text, in a fixed order. */
function texts(amounts: ContainerAmounts): ContainerAmounts {
  return Object.fromEntries(
    AMOUNTS.filter((name) => amounts[name] !== undefined).map((name) => [name, String(amounts[name])]),
  );
}
