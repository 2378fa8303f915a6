import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { quoted } from '../base/properties.js';
import { checkKubeletValue, secondsOf } from './kubelet-values.js';

/** Flags of the kubelet that are no text (`cmd/kubelet/app/options/options.go`, 1.22 to 1.37). With another value there kubelet does not start. */
const TYPED: Readonly<Record<'number' | 'switch' | 'span', string>> = {
  switch:
    'anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling cpu-cfs-quota enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention fail-cgroupv1 fail-swap-on kernel-memcg-notification local-storage-capacity-isolation make-iptables-util-chains protect-kernel-defaults register-node rotate-certificates rotate-server-certificates runonce seccomp-default serialize-image-pulls',
  span: 'authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period eviction-pressure-transition-period file-check-frequency http-check-frequency minimum-container-ttl-duration minimum-image-ttl-duration node-status-update-frequency runtime-request-timeout streaming-connection-idle-timeout sync-frequency volume-stats-agg-period',
  number:
    'container-log-max-files event-burst event-qps healthz-port image-gc-high-threshold image-gc-low-threshold kube-api-burst kube-api-qps max-open-files max-pods maximum-dead-containers maximum-dead-containers-per-container node-status-max-images oom-score-adj pod-max-pids pods-per-core port read-only-port registry-burst registry-qps v',
};

type FlagType = keyof typeof TYPED;

const TYPES: ReadonlyMap<string, FlagType> = new Map(
  Object.entries(TYPED).flatMap(([type, flags]) => flags.split(' ').map((flag) => [flag, type as FlagType])),
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

/** Warns about a cloud provider in kubelet, of which it has none since the minor that dropped its file: only `external` has an effect. */
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
