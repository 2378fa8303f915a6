import { fillLines } from '../base/fill-lines.js';
import { type ShellSteps, stepsScript, together } from '../base/shell-script.js';
import { containerdSteps } from './containerd-settings.js';
import type { NodeFile } from './node-file.js';
import { TIME_SERVERS_FILE } from './node-paths.js';
import { type ProxyCredentials, credentialsDropIn, dropInSteps } from './proxy-credentials.js';
import type { MachineSettings } from './machine-settings.js';
import type { NodePackages } from './package-installation.js';
import { CRIO_REGISTRIES_FILE, HOSTS_FOLDER, type RegistryMirror, crioRegistryFiles } from './registry-mirrors.js';
import type { RuntimePackage } from './runtime-package.js';
import { shell } from './shell-parts.js';
import { compute, isUnknown } from '../base/unknown.js';
import { CNI_FOLDER } from './loopback-cni.js';

/** Settings of CRI-O. */
export interface CrioSettings {
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly systemdCgroup?: boolean;
  /** Registries with mirrors. */
  readonly registries?: readonly RegistryMirror[];
}

/** Later by name than `10-crio.conf` of its packages, so it prevails. */
const CRIO_FILE = '/etc/crio/crio.conf.d/10-edge-nodepools.conf';

/** Files with the same path on every machine that {@link crioFiles} can return. */
const CRIO_FILES: readonly string[] = [CRIO_FILE, CRIO_REGISTRIES_FILE];

/** Files with settings that differ from the defaults of CRI-O. It reads them when it starts. */
function crioFiles(settings: CrioSettings): NodeFile[] {
  const { cniFolder, sandboxImage, systemdCgroup, registries = [] } = settings;
  const differs = cniFolder !== CNI_FOLDER || sandboxImage !== undefined || systemdCgroup !== undefined;
  return [
    ...(differs
      ? [{ path: CRIO_FILE, content: compute({ cniFolder, sandboxImage, systemdCgroup }, configuration) }]
      : []),
    ...crioRegistryFiles(registries),
  ];
}

function configuration({ cniFolder, sandboxImage, systemdCgroup }: CrioSettings): string {
  const quote = (value: string): string => JSON.stringify(value);
  return [
    ...(sandboxImage === undefined ? [] : ['[crio.image]', `pause_image = ${quote(sandboxImage)}`]),
    ...(cniFolder === CNI_FOLDER ? [] : ['[crio.network]', `network_dir = ${quote(cniFolder)}`]),
    // conmon is in a slice of systemd by default, which cgroupfs refuses (crio.conf(5); `pkg/config/config.go`, TranslateMonitorFields)
    ...(systemdCgroup === undefined
      ? []
      : systemdCgroup
        ? ['[crio.runtime]', 'cgroup_manager = "systemd"']
        : ['[crio.runtime]', 'cgroup_manager = "cgroupfs"', 'conmon_cgroup = "pod"']),
    '',
  ].join('\n');
}

/**
 * HTTP proxies of the node, for kubeadm, the container runtime and package managers. If the cluster has `apiServer`, no proxy is used for that host; with only
 * a `discoveryFile`, add the host to `noProxy`. The join contains a password in a URL in plain text (EDGE_PASSWORD warns about it); `credentialsFile` keeps it
 * on the machine.
 *
 * @category Join nodes
 */
export interface NodeProxy {
  /** URL of the proxy for http.
   * @default - none */
  readonly httpProxy?: string;
  /** URL of the proxy for https.
   * @default - none */
  readonly httpsProxy?: string;
  /** Additional hosts, domains and networks for which no proxy is used.
   * @default - only the API server, the node itself and the cluster domain */
  readonly noProxy?: readonly string[];
  /** File on the machine with user and password of the proxies, one line `user:password` with any characters, written by the tool that installs the machine. The
   * runtime gets a drop-in with it, readable by root only.
   * @default - the proxies ask for no password */
  readonly credentialsFile?: string;
}

/** NTP servers; undefined if there are none. */
export function timeServers(servers: readonly string[] | undefined): readonly string[] | undefined {
  return compute(
    servers,
    (known) => (known === undefined || known.length === 0 ? undefined : known),
    isUnknown(servers) && servers,
  );
}

/** The servers for systemd-timesyncd, which adds them up (timesyncd.conf(5)). */
export function timeServersFile(servers: readonly string[]): Required<NodeFile> {
  const lines = fillLines(servers, ' ', 100).map((line) => `NTP=${line}\n`);
  return { path: TIME_SERVERS_FILE, content: `[Time]\n${lines.join('')}`, permissions: '0644' };
}

/** Settings of the container runtime. */
export interface RuntimeSettings {
  readonly runtime: 'containerd' | 'cri-o';
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly proxy: Readonly<Record<string, string>>;
  /** User and password of the proxy. */
  readonly credentials?: ProxyCredentials;
  readonly systemdCgroup?: boolean;
  /** Where containerd looks for mirrors of registries. */
  readonly hostsFolder?: string;
  /** Registries with mirrors, for CRI-O. */
  readonly registries?: readonly RegistryMirror[];
}

const dropIn = (unit: string): string => `/etc/systemd/system/${unit}.service.d/10-edge-nodepools.conf`;

/** All files that {@link runtimeFiles} can return. */
export const RUNTIME_FILES: readonly string[] = [...CRIO_FILES, dropIn('containerd'), dropIn('crio')];

/** The settings that a machine and its packages give the container runtime. CRI-O has mirrors in a file of its own, containerd in a folder. */
export function runtimeSettings(
  machine: MachineSettings = {},
  packages: NodePackages | undefined,
  runtime: RuntimeSettings['runtime'] = 'containerd',
): Pick<RuntimeSettings, 'systemdCgroup' | 'hostsFolder' | 'registries'> {
  const { systemdCgroup, registries = [] } = machine;
  return {
    // the files of CRI-O depend on whether it is set
    systemdCgroup: systemdCgroup ?? (runtime === 'cri-o' ? undefined : compute(runtimeOf(packages), cgroupsOfPackage)),
    ...(registries.length === 0
      ? {}
      : {
          hostsFolder: HOSTS_FOLDER,
          registries: compute(runtime, (known) => (known === 'cri-o' ? registries : undefined)),
        }),
  };
}

function runtimeOf(packages: NodePackages | undefined): RuntimePackage | undefined {
  return isUnknown(packages) ? compute(packages as NodePackages, (known) => known.runtime) : packages?.runtime;
}

/** containerd is installed without the control groups that kubelet expects by default; CRI-O with them. */
function cgroupsOfPackage(runtime: RuntimePackage | undefined): boolean | undefined {
  return runtime === undefined || runtime.name === 'cri-o' ? undefined : true;
}

/** All drop-ins that a script makes of the file with the password of a proxy. */
export const CREDENTIALS_FILES: readonly string[] = (['containerd', 'crio'] as const).map(credentialsDropIn);

/** Files with settings that differ from the defaults of the container runtime. */
export function runtimeFiles(settings: RuntimeSettings): readonly NodeFile[] {
  const { runtime, cniFolder, proxy, registries } = settings;
  return compute(settings, filesOf, [runtime, cniFolder, isUnknown(proxy) && proxy, registries]);
}

function filesOf(settings: RuntimeSettings): readonly NodeFile[] {
  const { runtime, proxy } = settings;
  return [
    ...(runtime === 'cri-o' ? crioFiles(settings) : []),
    ...(Object.keys(proxy).length > 0
      ? [
          {
            path: dropIn(runtime === 'containerd' ? 'containerd' : 'crio'),
            content: compute(proxy, unitEnvironment),
            // the URL of a proxy may contain a password
            permissions: '0600',
          },
        ]
      : []),
  ];
}

/** Steps that apply these settings and restart the runtime. */
export function runtimeSteps(settings: RuntimeSettings): ShellSteps {
  const unit = settings.runtime === 'containerd' ? 'containerd' : 'crio';
  const edits = together(
    unit === 'containerd' ? containerdSteps(settings) : together(),
    settings.credentials === undefined ? together() : dropInSteps(unit),
  );
  return edits.steps.length === 0 && filesOf(settings).length === 0
    ? together()
    : together(edits, {
        steps: ['restart_runtime'],
        variables: { runtime_unit: unit },
        parts: [shell('runtime')],
      });
}

/** The same as a script of its own; undefined without any. */
export function runtimeScript(settings: RuntimeSettings): string | undefined {
  const { steps, variables, parts } = runtimeSteps(settings);
  return steps.length === 0
    ? undefined
    : stepsScript({ steps, variables, parts: [shell('common'), shell('systemctl'), ...parts] });
}

/** Environment of a systemd unit, in which "%" starts a specifier. */
function unitEnvironment(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `Environment=${JSON.stringify(`${name}=${value.replace(/%/g, '%%')}`)}`,
  );
  return ['[Service]', ...lines, ''].join('\n');
}

/**
 * The environment variables of a proxy, in lower and upper case.
 *
 * @param direct hosts for which no proxy is used; undefined ones are ignored
 */
export function proxyVariables(
  proxy: NodeProxy | undefined,
  direct: readonly (string | undefined)[],
): Readonly<Record<string, string>> {
  return compute({ proxy, direct }, variablesOf, isUnknown(proxy) && proxy);
}

/** The drop-in that the script makes of them. */
export function credentialsFilesOf({ runtime, credentials }: RuntimeSettings): readonly string[] {
  return compute(
    { runtime, credentials },
    (known) =>
      known.credentials === undefined
        ? []
        : [credentialsDropIn(known.runtime === 'containerd' ? 'containerd' : 'crio')],
    [runtime, isUnknown(credentials) && credentials],
  );
}

/** User and password of the proxies; undefined if they need none. */
export function credentialsOf(proxy: NodeProxy | undefined): ProxyCredentials | undefined {
  return compute(
    proxy,
    (known) => {
      const { httpProxy, httpsProxy, credentialsFile: file } = known ?? {};
      return file === undefined
        ? undefined
        : {
            file,
            urls: {
              ...(httpProxy === undefined ? {} : { http_proxy: httpProxy }),
              ...(httpsProxy === undefined ? {} : { https_proxy: httpsProxy }),
            },
          };
    },
    isUnknown(proxy) && proxy,
  );
}

function variablesOf({
  proxy,
  direct,
}: {
  readonly proxy: NodeProxy | undefined;
  readonly direct: readonly (string | undefined)[];
}): Readonly<Record<string, string>> {
  const { httpProxy, httpsProxy, noProxy = [] } = proxy ?? {};
  if (httpProxy === undefined && httpsProxy === undefined) {
    return {};
  }
  const hosts = compute({ direct, noProxy }, (known) =>
    [...new Set([...known.direct.filter((host) => host !== undefined), ...known.noProxy])].join(','),
  );
  const given = {
    ...(httpProxy === undefined ? {} : { http_proxy: httpProxy }),
    ...(httpsProxy === undefined ? {} : { https_proxy: httpsProxy }),
    no_proxy: hosts,
  };
  return { ...given, ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value])) };
}
