import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { checkKnownProperties, checkOneOf, showValue } from '../base/properties.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  type PropertyTable,
  wholeNumber,
  refuseOutput,
} from '../base/property-table.js';
import { checkDiskSize } from './disk-size.js';
import { checkReclaims, checkSignal, checkThresholds, type EvictionThresholds } from './eviction-signal.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isWithoutUnit, missingUnit } from './missing-unit.js';

/**
 * Reserved amounts of a node's resources, as Kubernetes quantities (text) or numbers.
 *
 * @category Join nodes
 */
export interface ReservedResources {
  /** CPU in cores, `500m` or `0.5`.
   * @default - nothing */
  readonly cpu?: string | number;
  /** Memory in bytes, `512Mi`.
   * @default - nothing */
  readonly memory?: string | number;
  /** Space on the root file system of kubelet, `1Gi`.
   * @default - nothing */
  readonly ephemeralStorage?: string | number;
  /** Number of process ids.
   * @default - nothing */
  readonly pid?: string | number;
}

/**
 * Capacity of a node, as in its status.
 *
 * @category Join nodes
 */
export interface NodeCapacity {
  /** CPU in cores.
   * @default - not in the result */
  readonly cpu?: string | number;
  /** Memory in bytes.
   * @default - not in the result */
  readonly memory?: string | number;
  /** Space on the root file system of kubelet.
   * @default - not in the result */
  readonly ephemeralStorage?: string | number;
}

/**
 * Properties of a {@link NodeReservation}.
 *
 * @category Join nodes
 */
export interface NodeReservationProps {
  /** For kubelet, the container runtime and other Kubernetes daemons that are not Pods.
   * @default - nothing */
  readonly kubeReserved?: ReservedResources;
  /** For the operating system: systemd, sshd, the kernel.
   * @default - nothing */
  readonly systemReserved?: ReservedResources;
  /** Hard eviction thresholds. Missing signals get the default of kubelet, because kubelet would use 0 for them.
   * @default - memory.available 100Mi, nodefs.available 10%, nodefs.inodesFree 5%, imagefs.available 15%, imagefs.inodesFree 5% */
  readonly evictionHard?: EvictionThresholds;
  /** Soft eviction thresholds; each needs a grace period.
   * @default - none */
  readonly evictionSoft?: EvictionThresholds;
  /** How long a soft threshold must be met before Pods are evicted, by signal, as a Go duration: `1m30s`.
   * @default - none */
  readonly evictionSoftGracePeriod?: Partial<Record<keyof EvictionThresholds, string>>;
  /** Minimum amount that an eviction frees, by signal.
   * @default - none */
  readonly evictionMinimumReclaim?: EvictionThresholds;
  /** Maximum grace period of a Pod that is evicted because of a soft threshold, in seconds.
   * @default - 0, the default of kubelet */
  readonly evictionMaxPodGracePeriod?: number;
  /** What is enforced by control groups. `pods` limits all Pods together to the allocatable resources; the others limit the daemons.
   * @default - pods, the default of kubelet */
  readonly enforceNodeAllocatable?: (
    | 'pods'
    | 'kube-reserved'
    | 'system-reserved'
    | 'kube-reserved-compressible'
    | 'system-reserved-compressible'
    | 'none'
  )[];
  /** Control group of the Kubernetes daemons, `/kube.slice`. It must exist; kubelet does not create it.
   * @default - none */
  readonly kubeReservedCgroup?: string;
  /** Control group of the operating system, `/system.slice`. It must exist; kubelet does not create it.
   * @default - none */
  readonly systemReservedCgroup?: string;
  /** Size of the disk of a node, a quantity. Below 64Gi, logs are smaller and unused images are removed earlier. `kubeletConfiguration` of a join prevails.
   * @default - not known: the defaults of kubelet and journald */
  readonly diskSize?: string;
}

const ENFORCEMENTS: NonNullable<NodeReservationProps['enforceNodeAllocatable']> = [
  'pods',
  'kube-reserved',
  'system-reserved',
  'kube-reserved-compressible',
  'system-reserved-compressible',
  'none',
];

const RESOURCES = ['cpu', 'memory', 'ephemeralStorage', 'pid'] as const;

/** Resources by their names in kubelet. */
export const KUBELET_RESOURCES: Readonly<Record<string, string>> = { ephemeralStorage: 'ephemeral-storage' };

// time.ParseDuration, without signs
export const GO_DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;

const ADVICE: Readonly<Record<string, string>> = {
  'ephemeral-storage': 'did you mean ephemeralStorage?',
  reservedSystemCPUs: 'write it in kubeletConfiguration of the join: it does not affect allocatable',
};

/** Checks a reservation as kubelet does when it starts (`pkg/kubelet/apis/config/validation`). */
export function checkReservation(props: NodeReservationProps, problems: ProblemList): void {
  if (refuseOutput(props, problems)) {
    return;
  }
  if (!isMap(props)) {
    problems.add(
      'EDGE_TYPE',
      'a reservation must be a map',
      "write { kubeReserved: { cpu: '100m', memory: '256Mi' } }",
    );
    return;
  }
  checkProperties(props, PROPERTIES, problems, ADVICE);
  checkGracePeriods(props, problems);
  checkEnforcement(props, problems);
}

const checkReserved: Check = (resources, problems) => {
  checkResources(resources, RESOURCES, problems);
  for (const name of ['memory', 'ephemeralStorage']) {
    const amount = isMap(resources) ? resources[name] : undefined;
    const quantity = ['string', 'number'].includes(typeof amount) ? Quantity.parse(String(amount)) : undefined;
    if (quantity !== undefined && isWithoutUnit(quantity.nano)) {
      problems.at(name).add('EDGE_QUANTITY', ...missingUnit(amount as string | number));
    }
  }
};

/** Properties that depend on others are checked together with them. */
const PROPERTIES: PropertyTable<NodeReservationProps> = {
  kubeReserved: checkReserved,
  systemReserved: checkReserved,
  evictionHard: checkThresholds,
  evictionSoft: checkThresholds,
  evictionSoftGracePeriod: checkedElsewhere,
  evictionMinimumReclaim: checkReclaims,
  evictionMaxPodGracePeriod: wholeNumber(0),
  enforceNodeAllocatable: checkedElsewhere,
  kubeReservedCgroup: checkedElsewhere,
  systemReservedCgroup: checkedElsewhere,
  diskSize: checkDiskSize,
};

/** Checks a map of amounts. */
export function checkResources(resources: unknown, known: readonly string[], problems: ProblemList): void {
  if (resources === undefined) {
    return;
  }
  if (!isMap(resources)) {
    problems.add('EDGE_TYPE', 'amounts must be a map', "write { cpu: '100m', memory: '256Mi' }");
    return;
  }
  checkKnownProperties(resources, known, problems, { 'ephemeral-storage': 'did you mean ephemeralStorage?' });
  for (const [name, amount] of Object.entries(resources)) {
    if (amount !== undefined && known.includes(name)) {
      checkAmount(amount, problems.at(name));
    }
  }
}

/** More cores than any machine has: they are thousandths. */
const MOST_CORES = 2_000_000_000_000n;

/** Checks the capacity of a node: an amount without its unit is one that no node has. */
export function checkCapacity(capacity: unknown, known: readonly string[], problems: ProblemList): void {
  checkResources(capacity, known, problems);
  for (const [name, amount] of Object.entries(isMap(capacity) ? capacity : {})) {
    const given = typeof amount === 'string' || typeof amount === 'number' ? amount : undefined;
    const { nano } = Quantity.parse(String(given)) ?? Quantity.ZERO;
    if (given !== undefined && name === 'cpu' && nano >= MOST_CORES) {
      problems
        .at(name)
        .add('EDGE_QUANTITY', `${showValue(given)} is a number of cores`, `write '${String(given)}m' for thousandths`);
    } else if (given !== undefined && (name === 'memory' || name === 'ephemeralStorage') && isWithoutUnit(nano)) {
      // nobody has less than 128 Mi
      problems.at(name).add('EDGE_QUANTITY', ...missingUnit(given, nano < 128_000_000_000n ? 'Gi' : 'Mi'));
    }
  }
}

function checkAmount(amount: unknown, problems: ProblemList): void {
  const isText = typeof amount === 'string' || typeof amount === 'number';
  const quantity = isText ? Quantity.parse(String(amount)) : undefined;
  if (quantity === undefined || quantity.nano < 0n) {
    const lowerCase = typeof amount === 'string' && /^\d+(\.\d+)?\s*(kb|mb|gb|kib|mib|gib)$/i.test(amount);
    problems.add(
      'EDGE_QUANTITY',
      `${showValue(amount)} is not a Kubernetes quantity`,
      lowerCase
        ? "write 'Ki', 'Mi' or 'Gi', without b"
        : "write '500m', '512Mi' or '1Gi': no space, no negative number",
    );
  }
}

function checkGracePeriods(props: NodeReservationProps, problems: ProblemList): void {
  const periods: unknown = props.evictionSoftGracePeriod;
  if (periods !== undefined && !isMap(periods)) {
    problems
      .at('evictionSoftGracePeriod')
      .add('EDGE_TYPE', 'grace periods must be a map by signal', "write { 'memory.available': '1m30s' }");
    return;
  }
  for (const [signal, period] of Object.entries(periods ?? {})) {
    checkSignal(signal, problems.at('evictionSoftGracePeriod', signal));
    if (typeof period !== 'string' || !GO_DURATION.test(period)) {
      problems
        .at('evictionSoftGracePeriod', signal)
        .add('EDGE_VALUE', `${showValue(period)} is not a duration`, "write '1m30s', in quotes and with a unit");
    }
  }
  for (const signal of isMap(props.evictionSoft) ? Object.keys(props.evictionSoft) : []) {
    if (periods?.[signal] === undefined) {
      problems
        .at('evictionSoftGracePeriod', signal)
        .add(
          'EDGE_MISSING',
          `the soft threshold of ${signal} has no grace period, and kubelet would not start`,
          `write evictionSoftGracePeriod: { '${signal}': '1m30s' }`,
        );
    }
  }
}

function checkEnforcement(props: NodeReservationProps, problems: ProblemList): void {
  const enforced: unknown = props.enforceNodeAllocatable;
  const at = problems.at('enforceNodeAllocatable');
  if (enforced !== undefined && !Array.isArray(enforced)) {
    at.add('EDGE_TYPE', 'enforceNodeAllocatable must be a list', "write ['pods']");
    return;
  }
  const list = (enforced ?? []) as unknown[];
  list.forEach((name, index) => checkOneOf(name, ENFORCEMENTS, at.at(index)));
  if (new Set(list).size < list.length) {
    at.add('EDGE_DUPLICATE', 'the same enforcement is listed twice', 'name each once');
  }
  if (list.includes('none') && list.length > 1) {
    at.add('EDGE_CONTRADICTION', 'none cannot be combined with others', "write ['none'] or leave none out");
  }
  for (const kind of ['kube', 'system'] as const) {
    const plain = list.includes(`${kind}-reserved`);
    const compressible = list.includes(`${kind}-reserved-compressible`);
    if (plain && compressible) {
      at.add(
        'EDGE_CONTRADICTION',
        `${kind}-reserved and ${kind}-reserved-compressible exclude each other`,
        `write ${kind}-reserved-compressible, which limits only CPU, or ${kind}-reserved`,
      );
    }
    if ((plain || compressible) && !reserves(props[`${kind}Reserved`], compressible)) {
      problems
        .at(`${kind}Reserved`)
        .add(
          'EDGE_MISSING',
          `${kind}-reserved is enforced, but nothing is reserved: the limit of the daemons would be 0`,
          `write ${kind}Reserved: { cpu: '100m'${compressible ? '' : ", memory: '256Mi'"} }`,
        );
    }
    checkCgroup(props[`${kind}ReservedCgroup`], plain || compressible, kind, problems.at(`${kind}ReservedCgroup`));
  }
}

/** Whether there is something to enforce. CPU is the only compressible resource. */
function reserves(resources: unknown, compressible: boolean): boolean {
  return isMap(resources) && (compressible ? ['cpu'] : RESOURCES).some((name) => resources[name] !== undefined);
}

function checkCgroup(cgroup: unknown, needed: boolean, kind: string, problems: ProblemList): void {
  if (cgroup === undefined && needed) {
    problems.add(
      'EDGE_MISSING',
      `${kind}-reserved is enforced without a control group: kubelet would not start`,
      `write ${kind}ReservedCgroup: '/${kind}.slice' (it must exist on the node)`,
    );
  } else if (cgroup !== undefined && (typeof cgroup !== 'string' || !/^\/[A-Za-z0-9._@:/-]+$/.test(cgroup))) {
    problems.add('EDGE_VALUE', `${showValue(cgroup)} is not a control group`, `write '/${kind}.slice'`);
  }
}
