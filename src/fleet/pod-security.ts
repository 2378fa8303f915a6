import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { PlacementPod } from './placement-pod.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A check of the Pod Security Standards (k8s.io/pod-security-admission/policy, in which it has this name). */
interface Check {
  readonly check: string;
  readonly level: 'baseline' | 'restricted';
  /** Minor of Kubernetes 1 from which on it is so. */
  readonly since: number;
  /** Minor from which on another row replaces it.
   * @default - none */
  readonly until?: number;
  /** What the Pod has that it forbids, in the words of the fields. */
  readonly rule: (pod: SecuredPod) => string | undefined;
}

/** The parts of a Pod that checks read. */
interface SecuredPod {
  readonly spec: PlainMap;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** All containers, also those before and beside. */
  readonly containers: readonly PlainMap[];
  /** The security context of the Pod, and those of its containers. */
  readonly contexts: readonly PlainMap[];
}

const mapsIn = (value: unknown): PlainMap[] => itemsOf(value).filter(isMap);
const contextOf = (each: PlainMap): PlainMap => mapAt(each, 'securityContext');

/** The first of some values that is none of the allowed ones. */
function other(values: readonly unknown[], allowed: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && !allowed.includes(value));
}

const named = (what: string, value: string | undefined): string | undefined => value && `${what} ${value}`;

/** Whether each container has a field that the Pod may have for it. */
const byAll = ({ spec, containers }: SecuredPod, field: string, has: (value: unknown) => boolean): boolean => {
  const ofPod = contextOf(spec)[field] ?? undefined;
  const each = containers.map((container) => contextOf(container)[field] ?? ofPod);
  return (ofPod === undefined || has(ofPod)) && each.every(has);
};

const isWindows = ({ spec }: SecuredPod): boolean => mapAt(spec, 'os').name === 'windows';
/** A rule that is not for Windows, whose Pods cannot have the field. */
const notOnWindows =
  (rule: Check['rule']): Check['rule'] =>
  (pod) =>
    isWindows(pod) ? undefined : rule(pod);
/** A rule that is not for Pods with a user namespace of their own. */
const notOfUsers =
  (rule: Check['rule']): Check['rule'] =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : rule(pod);

const capabilities = (pod: SecuredPod, of: 'add' | 'drop'): (readonly unknown[])[] =>
  pod.containers.map((each) => itemsOf(mapAt(contextOf(each), 'capabilities')[of]));

const profileTypes = (pod: SecuredPod, field: string): unknown[] => pod.contexts.map((each) => mapAt(each, field).type);

const CAPABILITIES = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];

/** What may be set of the kernel, by the minor in which it is allowed for the first time. */
const SYSCTLS: readonly (readonly [since: number, names: readonly string[]])[] = [
  [0, ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies']],
  [0, ['net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start']],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [29, ['keepalive_time', 'fin_timeout', 'keepalive_intvl', 'keepalive_probes'].map((name) => `net.ipv4.tcp_${name}`)],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
  [37, ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']],
];

const sysctls =
  (since: number): Check['rule'] =>
  ({ spec }) => {
    const allowed = SYSCTLS.flatMap(([from, names]) => (from <= since ? names : []));
    const names = mapsIn(contextOf(spec).sysctls).map(({ name }) => name);
    return named('the sysctl', other(names, allowed));
  };

const seLinux =
  (...more: readonly string[]): Check['rule'] =>
  ({ contexts }) => {
    const all = contexts.map((each) => mapAt(each, 'seLinuxOptions'));
    const allowed = ['', 'container_t', 'container_init_t', 'container_kvm_t', ...more];
    const isSet = (value: unknown): boolean => typeof value === 'string' && value !== '';
    return all.some(({ user, role }) => isSet(user) || isSet(role))
      ? 'a user or role of SELinux'
      : named(
          'the SELinux type',
          other(
            all.map(({ type }) => type),
            allowed,
          ),
        );
  };

const procMount: Check['rule'] = ({ containers }) =>
  named(
    'procMount',
    other(
      containers.map((each) => contextOf(each).procMount),
      ['Default'],
    ),
  );

const runsAsNonRoot: Check['rule'] = (pod) =>
  byAll(pod, 'runAsNonRoot', (value) => value === true) ? undefined : 'runAsNonRoot that is not true';
const runsAsRoot: Check['rule'] = ({ contexts }) =>
  contexts.some(({ runAsUser }) => runAsUser === 0) ? 'runAsUser 0' : undefined;
const escalates: Check['rule'] = ({ containers }) =>
  containers.every((each) => contextOf(each).allowPrivilegeEscalation === false)
    ? undefined
    : 'allowPrivilegeEscalation that is not false';
const isUnrestricted: Check['rule'] = (pod) =>
  capabilities(pod, 'drop').every((each) => each.includes('ALL'))
    ? named('the capability', other(capabilities(pod, 'add').flat(), ['NET_BIND_SERVICE']))
    : 'capabilities that are not dropped (drop: [ALL])';
const SECCOMP = ['RuntimeDefault', 'Localhost'];
const isUnconfined: Check['rule'] = (pod) =>
  byAll(pod, 'seccompProfile', (value) => isMap(value) && SECCOMP.includes(String(value.type)))
    ? undefined
    : 'seccompProfile that is neither RuntimeDefault nor Localhost';

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const VOLUMES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected'],
  ...['secret', 'name'],
];

/** A restricted check that overrides one of baseline forbids all that it forbids, so both may be asked. */
const CHECKS: readonly Check[] = [
  ...[27, 29, 32, 37].map((until, index, all): Check => {
    const since = all[index - 1] ?? 0;
    return { check: 'sysctls', level: 'baseline', since, until, rule: sysctls(since) };
  }),
  { check: 'sysctls', level: 'baseline', since: 37, rule: sysctls(37) },
  {
    check: 'hostNamespaces',
    level: 'baseline',
    since: 0,
    rule: ({ spec }) => ['hostNetwork', 'hostPID', 'hostIPC'].find((field) => spec[field] === true),
  },
  {
    check: 'hostPorts',
    level: 'baseline',
    since: 0,
    rule: ({ containers }) =>
      containers.flatMap(({ ports }) => mapsIn(ports)).some(({ hostPort }) => (hostPort ?? 0) !== 0)
        ? 'a hostPort'
        : undefined,
  },
  {
    check: 'privileged',
    level: 'baseline',
    since: 0,
    rule: ({ containers }) =>
      containers.some((each) => contextOf(each).privileged === true) ? 'a privileged container' : undefined,
  },
  {
    check: 'hostPathVolumes',
    level: 'baseline',
    since: 0,
    rule: ({ spec }) =>
      mapsIn(spec.volumes).some(({ hostPath }) => isMap(hostPath)) ? 'a hostPath volume' : undefined,
  },
  {
    check: 'capabilities_baseline',
    level: 'baseline',
    since: 0,
    rule: (pod) => named('the capability', other(capabilities(pod, 'add').flat(), CAPABILITIES)),
  },
  {
    check: 'appArmorProfile',
    level: 'baseline',
    since: 0,
    rule: (pod) => {
      const ofFields = other(profileTypes(pod, 'appArmorProfile'), SECCOMP);
      const ofContainers = Object.entries(pod.annotations).filter(([key]) => key.startsWith(APP_ARMOR));
      const wrong = ofContainers
        .map(([, value]) => String(value))
        .find((value) => !/^$|^runtime\/default$|^localhost\//.test(value));
      return named('the AppArmor profile', ofFields ?? wrong);
    },
  },
  {
    check: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    since: 34,
    rule: ({ containers }) =>
      containers
        .flatMap(({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
          const { postStart, preStop } = isMap(lifecycle) ? lifecycle : {};
          return [livenessProbe, readinessProbe, startupProbe, postStart, preStop].filter(isMap);
        })
        .some((each) => ['httpGet', 'tcpSocket'].some((field) => (mapAt(each, field).host ?? '') !== ''))
        ? 'a host in a probe or a lifecycle hook'
        : undefined,
  },
  { check: 'procMount', level: 'baseline', since: 0, until: 35, rule: procMount },
  { check: 'procMount', level: 'baseline', since: 35, rule: notOfUsers(procMount) },
  { check: 'procMount_restricted', level: 'restricted', since: 35, rule: procMount },
  { check: 'seLinuxOptions', level: 'baseline', since: 0, until: 31, rule: seLinux() },
  { check: 'seLinuxOptions', level: 'baseline', since: 31, rule: seLinux('container_engine_t') },
  {
    check: 'seccompProfile_baseline',
    level: 'baseline',
    since: 19,
    rule: (pod) => named('the seccompProfile', other(profileTypes(pod, 'seccompProfile'), SECCOMP)),
  },
  {
    check: 'windowsHostProcess',
    level: 'baseline',
    since: 0,
    rule: ({ contexts }) =>
      contexts.some((each) => mapAt(each, 'windowsOptions').hostProcess === true) ? 'hostProcess' : undefined,
  },
  { check: 'allowPrivilegeEscalation', level: 'restricted', since: 8, until: 25, rule: escalates },
  { check: 'allowPrivilegeEscalation', level: 'restricted', since: 25, rule: notOnWindows(escalates) },
  { check: 'capabilities_restricted', level: 'restricted', since: 22, until: 25, rule: isUnrestricted },
  { check: 'capabilities_restricted', level: 'restricted', since: 25, rule: notOnWindows(isUnrestricted) },
  {
    check: 'restrictedVolumes',
    level: 'restricted',
    since: 0,
    rule: ({ spec }) => named('a volume of the kind', other(mapsIn(spec.volumes).flatMap(Object.keys), VOLUMES)),
  },
  { check: 'runAsNonRoot', level: 'restricted', since: 0, until: 35, rule: runsAsNonRoot },
  { check: 'runAsNonRoot', level: 'restricted', since: 35, rule: notOfUsers(runsAsNonRoot) },
  { check: 'runAsUser', level: 'restricted', since: 23, until: 35, rule: runsAsRoot },
  { check: 'runAsUser', level: 'restricted', since: 35, rule: notOfUsers(runsAsRoot) },
  { check: 'seccompProfile_restricted', level: 'restricted', since: 19, until: 25, rule: isUnconfined },
  { check: 'seccompProfile_restricted', level: 'restricted', since: 25, rule: notOnWindows(isUnconfined) },
];

const LABEL = 'pod-security.kubernetes.io/enforce';

/** The level that a namespace enforces, and the minor by whose rules: an older one, if a label says so. */
export function enforcedLevel(
  labels: Readonly<Record<string, unknown>> | undefined,
  kubernetes: string,
): { readonly level: Check['level']; readonly minor: number } | undefined {
  const { [LABEL]: level, [`${LABEL}-version`]: version } = labels ?? {};
  const [, newest] = kubernetes.split('.').map(Number) as [number, number];
  const [, asked] = /^v1\.(\d+)$/.exec(String(version)) ?? [];
  return level === 'baseline' || level === 'restricted'
    ? { level, minor: Math.min(newest, asked === undefined ? newest : Number(asked)) }
    : undefined;
}

/** What of a Pod a level forbids; undefined if nothing. Whom the API server exempts is in no object. */
export function forbiddenBy(
  { level, minor }: { readonly level: Check['level']; readonly minor: number },
  { spec, annotations }: Pick<PlacementPod, 'spec' | 'annotations'>,
): string | undefined {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) => mapsIn(spec[field]));
  const pod = { spec, annotations, containers, contexts: [spec, ...containers].map(contextOf) };
  return CHECKS.filter((each) => each.since <= minor && minor < (each.until ?? Infinity))
    .filter((each) => each.level === 'baseline' || level === 'restricted')
    .map(({ rule }) => rule(pod))
    .find((what) => what !== undefined);
}
