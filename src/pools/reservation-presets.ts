import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { checkKnownProperties, checkOneOf, checkWholeNumber } from '../base/properties.js';
import { quantityOf } from './allocatable.js';
import { checkDiskSize } from './disk-size.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkCapacity, type NodeCapacity, type NodeReservationProps } from './reservation-props.js';
import { inProgram } from '../base/program-language.js';

/**
 * Reservations of other platforms, and one for small edge nodes.
 *
 * @category Join nodes
 */
export type ReservationPreset = 'edge-small' | 'kubespray' | 'gke' | 'eks' | 'aks' | 'kubernetes-example';

/**
 * Inputs of the presets: capacity and maxPods of `gke`, `eks` and `aks`.
 *
 * @category Join nodes
 */
export interface ReservationPresetOptions {
  /** Capacity of the node. `gke` needs cpu and memory, and reserves ephemeralStorage if it is given. `aks` needs cpu and memory, `eks` needs cpu.
   * @default - none */
  readonly capacity?: NodeCapacity;
  /** Maximum number of Pods on the node, for `eks` and `aks`.
   * @default 110 */
  readonly maxPods?: number;
  /** Size of the disk of a node, as in {@link NodeReservationProps}, for every preset. It is not derived from the capacity, which is that of the file
   * system of kubelet.
   * @default - not known */
  readonly diskSize?: string;
}

const MI = 1024n ** 2n;
const GI = 1024n ** 3n;
const NANO = 1_000_000_000n;

/** CPU by tiers, in thousandths of a core: each tier reserves a share of its cores. */
type CpuTiers = readonly (readonly [cores: bigint, eachInHundredthsOfAMilli: bigint])[];

const EVERY_OTHER_CORE = 1_000_000n;

// 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest
const GKE_CPU: CpuTiers = [
  [1n, 6000n],
  [1n, 1000n],
  [2n, 500n],
  [EVERY_OTHER_CORE, 250n],
];

// learn.microsoft.com, AKS: 60m, 2 cores 100m, 4 cores 140m, 8 cores 180m …
const AKS_CPU: CpuTiers = [
  [1n, 6000n],
  [1n, 4000n],
  [2n, 2000n],
  [EVERY_OTHER_CORE, 1000n],
];

// cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes: 25 % of the first 4 Gi, 20 % of the next 4, 10 % of the next 8 …
const GKE_MEMORY: readonly (readonly [bytes: bigint, percent: bigint])[] = [
  [4n * GI, 25n],
  [4n * GI, 20n],
  [8n * GI, 10n],
  [112n * GI, 6n],
  [1024n * 1024n * GI, 2n],
];

type Preset = (capacity: NodeCapacity, maxPods: number) => NodeReservationProps;

/** The presets with their sources. Signals that a platform does not set in evictionHard have kubelet's defaults here, because a reservation always sets all. */
const PRESETS: Readonly<Record<ReservationPreset, Preset>> = {
  // of this library, for 1 to 4 cores and 1 to 8 Gi: kubelet and containerd need 100 to 150 Mi with a dozen Pods, yurthub 60 Mi, a small Debian without
  // desktop 150 to 200 Mi; the percentages of the clouds would reserve 512 Mi of a 2 Gi node for kubelet alone
  'edge-small': () => ({
    kubeReserved: { cpu: '100m', memory: '256Mi', ephemeralStorage: '500Mi', pid: 1000 },
    systemReserved: { cpu: '100m', memory: '256Mi', ephemeralStorage: '500Mi', pid: 1000 },
  }),
  // kubespray 2.31 roles/kubernetes/node/defaults/main.yml (it always writes systemReserved)
  kubespray: () => ({
    kubeReserved: { cpu: '100m', memory: '256Mi', ephemeralStorage: '500Mi', pid: 1000 },
    systemReserved: { cpu: '500m', memory: '512Mi', ephemeralStorage: '500Mi', pid: 1000 },
  }),
  gke: (capacity) => ({
    kubeReserved: {
      cpu: cpuByTiers(capacity, GKE_CPU),
      memory: gkeMemory(capacity),
      ...(capacity.ephemeralStorage === undefined ? {} : { ephemeralStorage: gkeStorage(capacity) }),
    },
    evictionHard: { 'memory.available': '100Mi' },
  }),
  // awslabs/amazon-eks-ami nodeadm/internal/kubelet/config.go
  eks: (capacity, maxPods) => ({
    kubeReserved: {
      cpu: cpuByTiers(capacity, GKE_CPU, true),
      memory: `${11 * maxPods + 255}Mi`,
      ephemeralStorage: '1Gi',
    },
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
  }),
  // learn.microsoft.com, AKS node resource reservations, from Kubernetes 1.29 on: decimal megabytes
  aks: (capacity, maxPods) => ({
    kubeReserved: { cpu: cpuByTiers(capacity, AKS_CPU), memory: aksMemory(capacity, maxPods) },
    evictionHard: { 'memory.available': '100Mi', 'pid.available': '2000' },
  }),
  // kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources, "Example Scenario": 16 CPU, 32 Gi, 100 Gi
  'kubernetes-example': () => ({
    kubeReserved: { cpu: '1', memory: '2Gi', ephemeralStorage: '1Gi' },
    systemReserved: { cpu: '500m', memory: '1Gi', ephemeralStorage: '1Gi' },
    evictionHard: { 'memory.available': '500Mi', 'nodefs.available': '10%' },
  }),
};

const NEEDS: Readonly<Partial<Record<ReservationPreset, readonly (keyof NodeCapacity)[]>>> = {
  gke: ['cpu', 'memory'],
  eks: ['cpu'],
  aks: ['cpu', 'memory'],
};

/** The properties of a preset; undefined, with a problem, if an input is missing. */
export function presetOf(
  name: ReservationPreset,
  options: ReservationPresetOptions,
  problems: ProblemList,
): NodeReservationProps | undefined {
  const found = problems.problems.length;
  if (name === undefined) {
    problems.add('EDGE_MISSING', 'the name of a preset is required', `write one of ${Object.keys(PRESETS).join(', ')}`);
  }
  checkOneOf(name, Object.keys(PRESETS), problems);
  const given: unknown = options;
  if (!isMap(given)) {
    problems.at('options').add('EDGE_TYPE', 'the options of a preset must be a map', 'write { capacity, maxPods }');
    return undefined;
  }
  checkKnownProperties(options, ['capacity', 'maxPods', 'diskSize'], problems);
  checkCapacity(options.capacity, ['cpu', 'memory', 'ephemeralStorage'], problems.at('capacity'));
  checkWholeNumber(options.maxPods, 1, problems.at('maxPods'));
  checkDiskSize(options.diskSize, problems.at('diskSize'));
  for (const resource of (NEEDS[name] ?? []).filter((needed) => options.capacity?.[needed] === undefined)) {
    problems
      .at('capacity', resource)
      .add(
        'EDGE_MISSING',
        `${name} is computed from the ${resource} of the node`,
        inProgram(
          `write NodeReservation.preset('${name}', { capacity: { cpu: 4, memory: '8Gi' } })`,
          `write { preset: '${name}', capacity: { cpu: 4, memory: '8Gi' } }`,
        ),
      );
  }
  return problems.problems.length > found
    ? undefined
    : { ...PRESETS[name](options.capacity ?? {}, options.maxPods ?? 110), diskSize: options.diskSize };
}

/** Names of the options that a preset does not read. */
export function unusedOptions(name: ReservationPreset, { capacity, maxPods }: ReservationPresetOptions): string[] {
  return [
    ...(capacity !== undefined && NEEDS[name] === undefined ? ['capacity'] : []),
    ...(maxPods !== undefined && name !== 'eks' && name !== 'aks' ? ['maxPods'] : []),
  ];
}

/** GKE rounds the sum up. EKS computes in whole thousandths, and so rounds the share of each tier down. */
function cpuByTiers(capacity: NodeCapacity, tiers: CpuTiers, eachRoundedDown = false): string {
  let rest = quantityOf(capacity.cpu).wholeUnits();
  let hundredths = 0n;
  for (const [cores, each] of tiers) {
    const covered = rest < cores ? rest : cores;
    const share = covered * each;
    hundredths += eachRoundedDown ? share - (share % 100n) : share;
    rest -= covered;
  }
  return `${(hundredths + 99n) / 100n}m`;
}

function gkeMemory(capacity: NodeCapacity): string {
  let rest = quantityOf(capacity.memory).nano / NANO;
  if (rest < GI) {
    return '255Mi';
  }
  let hundredths = 0n;
  for (const [bytes, percent] of GKE_MEMORY) {
    const covered = rest < bytes ? rest : bytes;
    hundredths += covered * percent;
    rest -= covered;
  }
  return `${(hundredths + 100n * MI - 1n) / (100n * MI)}Mi`;
}

/** The smallest of half of the boot disk, 6 Gi and 35 % of it, and 100 Gi (the same page of GKE); 10 % more evict, which is kubelet's default. */
function gkeStorage(capacity: NodeCapacity): string {
  const disk = quantityOf(capacity.ephemeralStorage).nano / NANO;
  const [least = 0n] = [disk / 2n, 6n * GI + (disk * 35n) / 100n, 100n * GI].sort((a, b) => (a < b ? -1 : 1));
  return `${(least + MI - 1n) / MI}Mi`;
}

function aksMemory(capacity: NodeCapacity, maxPods: number): string {
  const byPods = 1_000_000n * BigInt(20 * maxPods + 50);
  const quarter = quantityOf(capacity.memory).nano / NANO / 4n;
  const bytes = byPods < quarter ? byPods : quarter;
  return (Quantity.parse(String(bytes)) ?? Quantity.ZERO).toString();
}
