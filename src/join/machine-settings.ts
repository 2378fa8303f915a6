import type { ProblemList } from '../base/errors.js';
import { checkDiskSize, sizesOnDisk } from '../pools/disk-size.js';
import { type ShellSteps, stepsScript, together } from '../base/shell-script.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { checkBoolean, showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOfWords,
  mapWith,
  oneOf,
  optional,
  type PropertyTable,
} from '../base/property-table.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { logQueryOf } from '../cluster/kubelet-capabilities.js';
import { pathOnMachine } from './machine-path.js';
import type { NodeFile } from './node-file.js';
import { checkRegistries, hostsFiles, type RegistryMirror } from './registry-mirrors.js';
import { shell } from './shell-parts.js';
import { computeWhole } from '../base/unknown.js';
import { fillLines } from '../base/fill-lines.js';
import { TIME_SERVERS_FILE } from './node-paths.js';

/**
 * What a bare machine is given before it joins. Everything is optional, and nothing is changed without it.
 *
 * @category Join nodes
 */
export interface MachineSettings {
  /** Whether the container runtime lets systemd make the control groups of containers (`SystemdCgroup` of containerd,
   * `cgroup_manager` of CRI-O), which kubelet expects by default.
   * @default - as the machine has it; true if `packages` install containerd */
  readonly systemdCgroup?: boolean;
  /** `off` switches swap off, now and at every boot: kubelet does not start with it.
   * @default - as the machine has it */
  readonly swap?: 'off';
  /** Kernel modules to load, now and at every boot.
   * @default - none */
  readonly modules?: string[];
  /** Kernel parameters, now and at every boot.
   * @default - none */
  readonly sysctl?: Record<string, string>;
  /** Mirrors of registries.
   * @default - none */
  readonly registries?: RegistryMirror[];
  /** Size of the disk of the machine, a quantity. Below 64Gi, logs are smaller and unused images are removed earlier.
   * `kubeletConfiguration` prevails. It must be the `diskSize` of the reservation, if that has one.
   * @default - the diskSize of the reservation, else the defaults of kubelet and journald */
  readonly diskSize?: string;
  /** Whether kubelet requests its serving certificate from the cluster (`serverTLSBootstrap`). Kubernetes has no
   * controller that approves the requests: declare a {@link ServingCertificateApprover}.
   * @default false */
  readonly servingCertificates?: boolean;
  /** Whether kubelet answers queries of the journal of the machine through the API server (`enableSystemLogQuery`, and
   * the feature gate `NodeLogQuery` up to Kubernetes 1.35; docs/access.md). Kubernetes 1.27 or newer.
   * @default false */
  readonly logQuery?: boolean;
  /** After how many seconds the hardware watchdog restarts a machine whose systemd hangs, 10 to 600.
   * @default - as the machine has it */
  readonly watchdogSeconds?: number;
  /** Folder on the machine with images, `*.tar`, which are imported before the join: by ctr of containerd, for CRI-O by
   * podman.
   * @default - none */
  readonly imageFolder?: string;
  /** Images that the machine has before the join, so that their Pods start without a network afterwards: those that are
   * not there yet are pulled, by crictl.
   * @default - none */
  readonly images?: string[];
}

const MODULES_FILE = '/etc/modules-load.d/10-edge-nodepools.conf';
const SYSCTL_FILE = '/etc/sysctl.d/90-edge-nodepools.conf';
const WATCHDOG_FILE = '/etc/systemd/system.conf.d/10-edge-nodepools.conf';
const JOURNAL_FILE = '/etc/systemd/journald.conf.d/10-edge-nodepools.conf';

/** Files with the same path on every machine. */
export const MACHINE_FILES: readonly string[] = [MODULES_FILE, SYSCTL_FILE, WATCHDOG_FILE, JOURNAL_FILE];

/** Fields of the KubeletConfiguration. */
export function machineKubeletFields(
  { diskSize, servingCertificates, logQuery }: MachineSettings,
  cluster: EdgeCluster,
  given: PlainMap = {},
): PlainMap {
  const gates = logQuery === true && logQueryOf(cluster) === 'feature gate' ? { NodeLogQuery: true } : undefined;
  return {
    ...sizesOnDisk(diskSize)?.kubelet,
    ...(servingCertificates === true ? { serverTLSBootstrap: true } : {}),
    ...(logQuery === true ? { enableSystemLogQuery: true } : {}),
    ...given,
    ...(gates === undefined ? {} : { featureGates: { ...gates, ...mapAt(given, 'featureGates') } }),
  };
}

/** Files of the machine, with those of containerd if that is its runtime. */
export function filesOfMachine({
  machine: { modules, sysctl, registries, diskSize, watchdogSeconds },
  runtime,
}: {
  readonly machine: MachineSettings;
  readonly runtime: 'containerd' | 'cri-o';
}): NodeFile[] {
  const file = (path: string, lines: readonly string[]): NodeFile => ({ path, content: `${lines.join('\n')}\n` });
  const journal = sizesOnDisk(diskSize)?.journal;
  return [
    ...((modules ?? []).length > 0 ? [file(MODULES_FILE, modules ?? [])] : []),
    ...(Object.keys(sysctl ?? {}).length > 0
      ? [
          file(
            SYSCTL_FILE,
            Object.entries(sysctl ?? {}).map(([key, value]) => `${key} = ${value}`),
          ),
        ]
      : []),
    ...(watchdogSeconds === undefined
      ? []
      : [file(WATCHDOG_FILE, ['[Manager]', `RuntimeWatchdogSec=${watchdogSeconds}s`, 'RebootWatchdogSec=10min'])]),
    ...(journal === undefined ? [] : [file(JOURNAL_FILE, ['[Journal]', `SystemMaxUse=${journal}`])]),
    ...(runtime === 'cri-o' ? [] : (registries ?? []).flatMap(hostsFiles)),
  ];
}

/** Steps that apply swap, modules and kernel parameters now. */
export function machineSteps({ swap, modules = [], sysctl = {} }: MachineSettings): ShellSteps {
  const parameters = Object.entries(sysctl).map(([key, value]) => `${kernelPath(key)} ${value}`);
  return together(
    step(swap === 'off', 'switch_swap_off', 'swap'),
    step(modules.length > 0, 'load_modules', 'modules', { modules }),
    step(parameters.length > 0, 'set_parameters', 'sysctl', { parameters }),
  );
}

function step(isUsed: boolean, name: string, file: string, variables: ShellSteps['variables'] = {}): ShellSteps {
  return isUsed ? { steps: [name], variables, parts: [shell(file)] } : together();
}

/** The path of a kernel parameter below `/proc/sys`. If the first separator is a dot, dots and slashes are the other
 * way round (sysctl.d(5)). */
function kernelPath(key: string): string {
  const other = { '.': '/', '/': '.' } as const;
  return /^[^./]*\//.test(key) ? key : key.replaceAll(/[./]/g, (separator) => other[separator as keyof typeof other]);
}

/** What reads a file of the machine again. */
export interface MachineReload {
  readonly path: string;
  readonly step: string;
  readonly part: string;
}

export function machineReloads({ diskSize, watchdogSeconds }: MachineSettings): readonly MachineReload[] {
  return [
    ...(watchdogSeconds === undefined
      ? []
      : [{ path: WATCHDOG_FILE, step: 'reload_watchdog', part: shell('watchdog') }]),
    ...(sizesOnDisk(diskSize) === undefined
      ? []
      : [{ path: JOURNAL_FILE, step: 'reload_journal', part: shell('journal') }]),
  ];
}

/** The same as steps of a join. */
export function reloadSteps(machine: MachineSettings): ShellSteps {
  const reloads = machineReloads(machine);
  return { steps: reloads.map(({ step }) => step), variables: {}, parts: reloads.map(({ part }) => part) };
}

/** The same as a script of its own; undefined without any. */
export function reloadScript(machine: MachineSettings): string | undefined {
  const { steps, variables, parts } = reloadSteps(machine);
  return steps.length === 0 ? undefined : stepsScript({ steps, variables, parts: [shell('systemctl'), ...parts] });
}

/** The program that imports images: CRI-O has none, and podman has its storage (`containers-storage.conf`). */
export function imageProgram(runtime: 'containerd' | 'cri-o'): 'ctr' | 'podman' {
  return runtime === 'cri-o' ? 'podman' : 'ctr';
}

/** The step that imports images; the runtime has to run. */
export function imageSteps({ imageFolder }: MachineSettings, runtime: 'containerd' | 'cri-o'): ShellSteps {
  return imageFolder === undefined
    ? together()
    : {
        steps: ['import_images'],
        variables: { image_folder: imageFolder },
        parts: [shell(`images-by-${imageProgram(runtime)}`), shell('images')],
      };
}

/** The step that pulls images: after the packages, with which crictl comes. */
export function pullSteps({ images = [] }: MachineSettings, criSocket: string): ShellSteps {
  return step(images.length > 0, 'pull_images', 'pull-images', { images, cri: criSocket });
}

/** Settings that need a kubeadm that patches the KubeletConfiguration. */
const OF_KUBELET = ['diskSize', 'servingCertificates', 'logQuery'] as const;

/**
 * @param isContainerd whether the runtime is containerd
 * @param canPatch whether the join patches the KubeletConfiguration
 * @param cluster undefined if it is refused elsewhere
 */
export function checkMachineSettings(isContainerd: boolean, canPatch: boolean, cluster?: EdgeCluster): Check {
  return mapWith(
    (settings, problems) => {
      checkProperties<MachineSettings>(settings, { ...TABLE, registries: checkRegistries(isContainerd) }, problems);
      for (const name of canPatch ? [] : OF_KUBELET) {
        if (settings[name] !== undefined) {
          problems
            .at(name)
            .add(
              'EDGE_JOIN',
              'this join cannot patch the KubeletConfiguration (kubeadm can from Kubernetes 1.25 on, yurtadm cannot)',
              'leave it out',
            );
        }
      }
      if (settings.logQuery === true && canPatch && cluster !== undefined && logQueryOf(cluster) === 'none') {
        problems
          .at('logQuery')
          .add(
            'EDGE_JOIN',
            `the kubelet of Kubernetes ${cluster.kubernetes} has no log query (1.27 and newer)`,
            'leave it out',
          );
      }
    },
    'machineSettings must be a map',
    "write { swap: 'off', systemdCgroup: true }",
  );
}

/** A name of an image, with a tag or a digest (distribution/reference). */
const IMAGE = /^[a-z0-9][A-Za-z0-9._/-]*(:\d+\/[a-z0-9._/-]+)?(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/;

const TABLE: Omit<PropertyTable<MachineSettings>, 'registries'> = {
  systemdCgroup: checkBoolean,
  swap: oneOf('off'),
  modules: listOfWords(/^[A-Za-z0-9_-]+$/, "['br_netfilter']"),
  sysctl: mapWith(checkSysctl, 'sysctl must be a map', "write { 'vm.overcommit_memory': '1' }"),
  diskSize: checkDiskSize,
  servingCertificates: checkBoolean,
  logQuery: checkBoolean,
  watchdogSeconds: optional((seconds, problems) => {
    if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 10 || seconds > 600) {
      problems.add('EDGE_VALUE', `${showValue(seconds)} is not a whole number from 10 to 600`, 'write 30');
    }
  }),
  imageFolder: pathOnMachine('/var/lib/edge/images'),
  images: listOfWords(IMAGE, "['registry.example/agent:1']"),
};

function checkSysctl(sysctl: PlainMap, problems: ProblemList): void {
  for (const [key, value] of Object.entries(sysctl)) {
    if (!/^[a-z][a-z0-9_-]*([./][A-Za-z0-9_-]+)+$/.test(key)) {
      problems.at(key).add('EDGE_VALUE', `${showValue(key)} is not a kernel parameter`, "write 'vm.overcommit_memory'");
    }
    if (typeof value !== 'string' || !/^[\w .,:/-]+$/.test(value)) {
      problems.at(key).add('EDGE_TYPE', 'the value must be text on one line', "write '1', in quotes");
    }
  }
}

/** NTP servers; undefined if there are none. */
export function timeServers(servers: readonly string[] | undefined): readonly string[] | undefined {
  return computeWhole(servers, (known) => (known === undefined || known.length === 0 ? undefined : known));
}

/** The servers for systemd-timesyncd, which adds them up (timesyncd.conf(5)). */
export function timeServersFile(servers: readonly string[]): Required<NodeFile> {
  const lines = fillLines(servers, ' ', 100).map((line) => `NTP=${line}\n`);
  return { path: TIME_SERVERS_FILE, content: `[Time]\n${lines.join('')}`, permissions: '0644' };
}
