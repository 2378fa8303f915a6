import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { nearest, quoted } from '../base/properties.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';

/** Kubelet flags and fields that the join sets, or that have their own property, with what to write instead. */

const IN_RESERVATION = 'write it in the reservation';

/** Reserved flags. */
export const RESERVED_KUBELET_FLAGS: Readonly<Record<string, string>> = {
  'node-labels': 'write labels: { … }',
  'register-with-taints': 'write taints: [{ … }]',
  'hostname-override': "write nodeName: '…'",
  'container-runtime-endpoint': "write criSocket: 'unix:///…'",
  config: 'write kubeletConfiguration: { … }; kubeadm sets the flag',
  kubeconfig: 'leave it out: kubeadm sets it',
  'bootstrap-kubeconfig': 'leave it out: kubeadm sets it',
  'kube-reserved': 'write kubeReserved: { … } in the reservation',
  'system-reserved': 'write systemReserved: { … } in the reservation',
  'eviction-hard': 'write evictionHard: { … } in the reservation',
  'eviction-soft': IN_RESERVATION,
  'eviction-soft-grace-period': IN_RESERVATION,
  'eviction-minimum-reclaim': IN_RESERVATION,
  'eviction-max-pod-grace-period': IN_RESERVATION,
  'enforce-node-allocatable': IN_RESERVATION,
  'kube-reserved-cgroup': IN_RESERVATION,
  'system-reserved-cgroup': IN_RESERVATION,
};

/** Reserved fields of the KubeletConfiguration. */
export const RESERVED_KUBELET_FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'leave it out',
  kind: 'leave it out',
  kubeReserved: 'write it in the reservation',
  systemReserved: 'write it in the reservation',
  evictionHard: 'write it in the reservation',
  evictionSoft: 'write it in the reservation',
  evictionSoftGracePeriod: 'write it in the reservation',
  evictionMinimumReclaim: 'write it in the reservation',
  evictionMaxPodGracePeriod: 'write it in the reservation',
  enforceNodeAllocatable: 'write it in the reservation',
  kubeReservedCgroup: 'write it in the reservation',
  systemReservedCgroup: 'write it in the reservation',
  registerWithTaints: 'write taints: [{ … }]',
};

/**
 * Values with which kubelet does not start (`pkg/kubelet/apis/config/validation` of 1.22 to 1.37; the policies of
 * `pkg/kubelet/cm`, the detection of `pkg/kubelet/kubelet.go`, the logs of `pkg/kubelet/logs`). Where minors differ,
 * what one of them takes is fine. 0 and '' are often the default (`v1beta1/defaults.go`).
 */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  cpuManagerPolicy: ['none', 'static'],
  memoryManagerPolicy: ['None', 'Static'],
  topologyManagerPolicy: ['none', 'best-effort', 'restricted', 'single-numa-node'],
  topologyManagerScope: ['container', 'pod'],
  hairpinMode: ['promiscuous-bridge', 'hairpin-veth', 'none'],
  configMapAndSecretChangeDetectionStrategy: ['Get', 'Cache', 'Watch'],
  imagePullCredentialsVerificationPolicy: [
    'NeverVerify',
    'NeverVerifyPreloadedImages',
    'NeverVerifyAllowlistedImages',
    'AlwaysVerify',
  ],
  memoryReservationPolicy: ['None', 'TieredReservation'],
  tlsMinVersion: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
};

/** The least and the most of whole numbers. */
const RANGES: Readonly<Record<string, readonly [least: number, most?: number]>> = {
  containerLogMaxFiles: [2],
  containerLogMaxWorkers: [1],
  eventBurst: [0],
  eventRecordQPS: [0],
  healthzPort: [0, 65535],
  imageGCHighThresholdPercent: [0, 100],
  imageGCLowThresholdPercent: [0, 100],
  iptablesDropBit: [0, 31],
  iptablesMasqueradeBit: [0, 31],
  kubeAPIBurst: [0],
  kubeAPIQPS: [0],
  maxOpenFiles: [0],
  maxParallelImagePulls: [1],
  maxPods: [0],
  nodeLeaseDurationSeconds: [0],
  nodeStatusMaxImages: [-1],
  oomScoreAdj: [-1000, 1000],
  podsPerCore: [0],
  port: [0, 65535],
  readOnlyPort: [0, 65535],
  registryBurst: [0],
  registryPullQPS: [0],
};

/** The least and the most of time spans, in seconds, and whether 0 is also fine. */
const SPANS: Readonly<Record<string, readonly [least: number, most: number, orZero: boolean, what: string]>> = {
  containerLogMonitorInterval: [3, Infinity, false, '3s or more'],
  cpuCFSQuotaPeriod: [0.000001, 1, false, 'from 1ms to 1s'],
  imageMinimumGCAge: [0, Infinity, true, '0s or more'],
  imageMaximumGCAge: [0, Infinity, true, '0s or more'],
  shutdownGracePeriod: [1, Infinity, true, '0s, or 1s or more'],
  shutdownGracePeriodCriticalPods: [1, Infinity, true, '0s, or 1s or more'],
};

const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** The seconds of a time span of Go; undefined for what is none. */
export function secondsOf(span: unknown): number | undefined {
  if (
    typeof span !== 'string' ||
    span.length > 100 ||
    !/^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(span)
  ) {
    return undefined;
  }
  const parts = [...span.matchAll(/([\d.]{1,99})(ns|us|µs|μs|ms|s|m|h)/g)];
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * (SECONDS[unit] ?? 0), 0);
  return span.startsWith('-') ? -sum : sum;
}

/** Checks the value of a field, which is of its type. */
export function checkKubeletValue(field: string, value: unknown, problems: ProblemList): void {
  const refuse = (what: string, hint: string): unknown =>
    problems.add('EDGE_VALUE', `${field} must be ${what}, and is ${quoted(value)}: kubelet would not start`, hint);
  const words = entry(WORDS, field);
  const range = entry(RANGES, field);
  const span = entry(SPANS, field);
  const seconds = secondsOf(value);
  if (words !== undefined && typeof value === 'string' && value !== '' && !words.includes(value)) {
    const near = nearest(value.replaceAll('_', '-'), words);
    refuse(`one of ${words.join(', ')}`, near === undefined ? `write '${words[0]}'` : `did you mean '${near}'?`);
  } else if (range !== undefined && typeof value === 'number') {
    const [least, most = Infinity] = range;
    if (value < least || value > most) {
      refuse(
        most === Infinity ? `${least} or more` : `from ${least} to ${most}`,
        `write ${value < least ? least : most}`,
      );
    }
  } else if (span !== undefined && seconds !== undefined) {
    const [least, most, orZero, what] = span;
    if ((seconds < least || seconds > most) && !(orZero && seconds === 0)) {
      refuse(what, `write '${seconds > most ? '100ms' : `${Math.max(1, Math.ceil(least))}s`}'`);
    }
  } else if (field === 'containerLogMaxSize' && typeof value === 'string' && value !== '') {
    const size = Quantity.parse(value);
    if (size === undefined || size.nano % 1_000_000_000n !== 0n) {
      const [, digits] = /^(\d{1,9})\s*[KkMmGg][iI]?[Bb]$/.exec(value) ?? [];
      refuse(
        'a Kubernetes quantity',
        `write '${digits === undefined ? '10Mi' : `${digits}${/^\d+\s*(.)/.exec(value)?.[1]?.toUpperCase()}i`}'`,
      );
    }
  } else if (field === 'memoryThrottlingFactor' && typeof value === 'number' && (value <= 0 || value > 1)) {
    refuse('above 0 and at most 1', 'write 0.9');
  } else if (field === 'reservedSystemCPUs' && typeof value === 'string' && !isCpuSet(value)) {
    refuse('a list of CPUs', "write '0-1,4'");
  }
}

/** A list of numbers and ranges (`k8s.io/utils/cpuset`, Parse). */
function isCpuSet(text: string): boolean {
  return (
    text === '' ||
    text.split(',').every((part) => {
      const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
      return first !== undefined && Number(first) <= Number(last);
    })
  );
}

/** Two fields of which the first must be less than the second, what kubelet has by default, and what the first does. */
const ORDERED: readonly {
  readonly less: string;
  readonly more: string;
  readonly defaults: readonly [less: number, more: number];
  readonly orEqual: boolean;
}[] = [
  { less: 'imageGCLowThresholdPercent', more: 'imageGCHighThresholdPercent', defaults: [80, 85], orEqual: false },
  { less: 'shutdownGracePeriodCriticalPods', more: 'shutdownGracePeriod', defaults: [0, 0], orEqual: true },
];

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : secondsOf(value);
}

/** Checks fields against each other. */
export function checkKubeletValues(fields: PlainMap, problems: ProblemList): void {
  for (const { less, more, orEqual } of ORDERED) {
    const [small, large] = [amountOf(fields[less]), amountOf(fields[more])];
    if (small !== undefined && large !== undefined && (orEqual ? small > large : small >= large)) {
      problems
        .at(less)
        .add(
          'EDGE_CONTRADICTION',
          `${quoted(fields[less])} is not ${orEqual ? 'at most' : 'less than'} ${more}, ${quoted(fields[more])}: kubelet would not start`,
          `write a smaller ${less}, or a larger ${more}`,
        );
    }
  }
  const { serializeImagePulls, maxParallelImagePulls } = fields;
  if (serializeImagePulls === true && typeof maxParallelImagePulls === 'number' && maxParallelImagePulls > 1) {
    problems
      .at('maxParallelImagePulls')
      .add(
        'EDGE_CONTRADICTION',
        'serializeImagePulls pulls one image at a time: kubelet would not start',
        'write serializeImagePulls: false',
      );
  }
}

/** Warns about a field that contradicts the default of another one, which the configuration of the cluster may
 * change. */
export function defaultWarnings(fields: unknown, ofDisk: PlainMap): EdgeWarning[] {
  const warnings = new ProblemList('kubeletConfiguration');
  const all = { ...ofDisk, ...(isMap(fields) ? fields : {}) };
  for (const { less, more, defaults, orEqual } of isMap(fields) ? ORDERED : []) {
    const given = [less, more].filter((field) => field in all);
    const [small = defaults[0], large = defaults[1]] = [amountOf(all[less]), amountOf(all[more])];
    if (
      given.length === 1 &&
      amountOf(all[given[0] ?? '']) !== undefined &&
      (orEqual ? small > large : small >= large)
    ) {
      const other = given[0] === less ? more : less;
      warnings
        .at(given[0] ?? '')
        .add(
          'EDGE_CONTRADICTION',
          `by default, ${other} is ${defaults[other === less ? 0 : 1]}: kubelet does not start unless the cluster has another one`,
          `also write ${other}`,
        );
    }
  }
  return warnings.problems;
}

function entry<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Flags of the kubelet that are no text (`cmd/kubelet/app/options/options.go`, 1.22 to 1.37). With another value there
 * kubelet does not start. */
const TYPED: Readonly<Record<'number' | 'switch' | 'span', string>> = {
  switch: `
    anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling cpu-cfs-quota
    enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention fail-cgroupv1
    fail-swap-on kernel-memcg-notification local-storage-capacity-isolation make-iptables-util-chains
    protect-kernel-defaults register-node rotate-certificates rotate-server-certificates runonce seccomp-default
    serialize-image-pulls
  `,
  span: `
    authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
    authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period
    eviction-pressure-transition-period file-check-frequency http-check-frequency minimum-container-ttl-duration
    minimum-image-ttl-duration node-status-update-frequency runtime-request-timeout streaming-connection-idle-timeout
    sync-frequency volume-stats-agg-period
  `,
  number: `
    container-log-max-files event-burst event-qps healthz-port image-gc-high-threshold image-gc-low-threshold
    kube-api-burst kube-api-qps max-open-files max-pods maximum-dead-containers maximum-dead-containers-per-container
    node-status-max-images oom-score-adj pod-max-pids pods-per-core port read-only-port registry-burst registry-qps v
  `,
};

type FlagType = keyof typeof TYPED;

const TYPES: ReadonlyMap<string, FlagType> = new Map(
  Object.entries(TYPED).flatMap(([type, flags]) =>
    flags
      .trim()
      .split(/\s+/)
      .map((flag) => [flag, type as FlagType]),
  ),
);

/** What is of a type: by strconv.ParseInt, strconv.ParseBool and time.ParseDuration of Go. */
const READS: Readonly<Record<FlagType, (value: string) => boolean>> = {
  number: (value) => /^-?(?:\d{1,18}|0x[\da-f]{1,15})$/i.test(value),
  switch: (value) => /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value),
  span: (value) => secondsOf(value) !== undefined,
};

const WHAT: Readonly<Record<FlagType, readonly [what: string, instead: string]>> = {
  number: ['a whole number', '30'],
  switch: ['true or false', 'true'],
  span: ['a time span', '30s'],
};

/** Flags whose field of the KubeletConfiguration has another name. */
const FIELDS: Readonly<Record<string, string>> = {
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
};

/** Checks the value of a flag, and that of its field, which kubelet checks in the same way. */
export function checkFlagValue(flag: string, value: string, problems: ProblemList): void {
  // a template, which cloud-init fills on the machine
  if (value.includes('{{')) {
    return;
  }
  const type = TYPES.get(flag);
  if (type !== undefined && !READS[type](value)) {
    const [what, instead] = WHAT[type];
    const unit = type === 'span' && /^\d{1,9}$/.test(value) ? `${value}s` : instead;
    problems.add(
      'EDGE_VALUE',
      `${flag} must be ${what}, and is ${quoted(value)}: kubelet would not start`,
      `write '${unit}'`,
    );
    return;
  }
  const field = FIELDS[flag] ?? flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  checkKubeletValue(field, type === 'number' ? Number(value) : value, problems);
}

/** Warns about a cloud provider in kubelet, of which it has none since the minor that dropped its file: only `external`
 * has an effect. */
export function providerWarnings(flags: ReadonlyMap<unknown, unknown>, cluster: EdgeCluster): EdgeWarning[] {
  const warnings = new ProblemList();
  const provider = flags.get('cloud-provider');
  if (
    typeof provider === 'string' &&
    provider !== '' &&
    provider !== 'external' &&
    kubeletFlagRemovedIn(cluster, 'cloud-config') !== undefined
  ) {
    warnings
      .at('kubeletExtraArgs', 'cloud-provider')
      .add(
        'EDGE_UNUSED',
        `the kubelet of Kubernetes ${cluster.kubernetes} has no cloud provider ${quoted(provider)}: it starts without one`,
        "write 'external', and run the cloud controller manager of the provider",
      );
  }
  return warnings.problems;
}
