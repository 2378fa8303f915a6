import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { cniVersion, pauseImage } from '../cluster/kubernetes-capabilities.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import { showValue } from '../base/properties.js';
import { isMap } from '../base/plain-data.js';
import { checkProperties, type PropertyTable } from '../base/property-table.js';
import { compute } from '../base/unknown.js';
import { type ShellSteps, stepsScript, together } from '../base/shell-script.js';
import { isAbsolutePath } from './machine-path.js';
import { shell } from './shell-parts.js';
import type { NodeFile } from './node-file.js';
import { credentialsDropIn, dropInSteps, type ProxyCredentials } from './proxy.js';
import type { MachineSettings } from './machine-settings.js';
import type { NodePackages, RuntimePackage } from './packages.js';
import { CRIO_REGISTRIES_FILE, crioRegistryFiles, HOSTS_FOLDER, type RegistryMirror } from './registry-mirrors.js';

/** Folder from which container runtimes read CNI configurations. */
export const CNI_FOLDER = '/etc/cni/net.d';

/**
 * The name sorts before the files of all CNI agents ("-" sorts before digits), and runtimes use the first file: the
 * loopback remains the network of the node even after flannel, Calico or Cilium has written a configuration.
 */
export const LOOPBACK_FILE = '0-loopback.conflist';

/**
 * The only CNI configuration that a host-network node needs to become Ready. With containerd, a Pod without
 * `hostNetwork` fails on it ("failed to find network info for sandbox"). CRI-O would run such a Pod with the address
 * 127.0.0.1, so only the affinity and admission policies exclude it.
 */
export function loopbackConfiguration(cluster: EdgeCluster): string {
  return `${JSON.stringify({ cniVersion: cniVersion(cluster), name: 'lo', plugins: [{ type: 'loopback' }] })}\n`;
}

type Runtime = 'containerd' | 'cri-o';

/** The socket of a runtime, as its packages have it. */
export function defaultSocket(runtime: Runtime): string {
  return runtime === 'containerd' ? 'unix:///run/containerd/containerd.sock' : 'unix:///run/crio/crio.sock';
}

/** Runtimes by the last part of a path. */
const RUNTIME_OF: Readonly<Record<string, Runtime>> = { 'containerd.sock': 'containerd', 'crio.sock': 'cri-o' };

/** Checks the socket of the container runtime of a join: that of another runtime than the join configures, or of
 * Docker, is a mistake. */
export function checkSocket(socket: unknown, runtime: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  const path = typeof socket === 'string' && socket.startsWith('unix://') ? socket.slice('unix://'.length) : undefined;
  if (path === undefined || !isAbsolutePath(path)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(socket)} is not the URL of a socket`,
      "write 'unix:///run/containerd/containerd.sock'",
    );
    return;
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  // kubelet lost the flags of Docker together with dockershim
  const removedIn = kubeletFlagRemovedIn(cluster, 'docker-endpoint');
  if (name === 'docker.sock' || (name === 'dockershim.sock' && removedIn !== undefined)) {
    problems.add(
      'EDGE_JOIN',
      name === 'docker.sock'
        ? 'this is the socket of Docker, which does not speak CRI: kubelet would not start'
        : `Kubernetes ${removedIn} removed dockershim: the kubelet of Kubernetes ${cluster.kubernetes} finds no container runtime there`,
      `leave it out, or write '${defaultSocket(runtime === 'cri-o' ? 'cri-o' : 'containerd')}'`,
    );
  }
  const own = Object.hasOwn(RUNTIME_OF, name) ? RUNTIME_OF[name] : undefined;
  const used = runtime ?? 'containerd';
  if (own !== undefined && used !== own && (used === 'containerd' || used === 'cri-o')) {
    problems.add(
      'EDGE_CONTRADICTION',
      `this is the socket of ${own}, and the join configures ${used}`,
      `write runtime: '${own}', or leave the socket out`,
    );
  }
}

/**
 * The pause image that kubeadm of the cluster's minor names, in another registry than `registry.k8s.io`.
 *
 * @category Join nodes
 */
export interface KubeadmSandboxImage {
  /** Where the registry has the images of Kubernetes, as `imageRepository` of kubeadm:
   * `registry.example:5000/kubernetes`. */
  readonly imageRepository: string;
}

/** Registry of the images of Kubernetes, in every kubeadm that has a last patch release
 * (`apis/kubeadm/v1beta3/defaults.go`, DefaultImageRepository). */
const DEFAULT_REPOSITORY = 'registry.k8s.io';

/** The sandbox image as a name; undefined keeps the default of the container runtime. */
export function sandboxImageOf(
  cluster: EdgeCluster,
  image: string | KubeadmSandboxImage | undefined,
): string | undefined {
  const pause = pauseImage(cluster);
  return image === undefined ? undefined : compute({ image, pause }, nameOf);
}

function nameOf({ image, pause }: { readonly image: string | KubeadmSandboxImage; readonly pause: string }): string {
  if (typeof image === 'string') {
    return image === 'kubeadm' ? `${DEFAULT_REPOSITORY}/${pause}` : image;
  }
  return `${image.imageRepository.replace(/\/$/, '')}/${pause}`;
}

const TABLE: PropertyTable<KubeadmSandboxImage> = {
  imageRepository: (repository, problems) => {
    if (typeof repository !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?(\/[\w.-]+)*\/?$/.test(repository)) {
      problems.add(
        'EDGE_VALUE',
        'this is not the name of a registry with a path',
        "write 'registry.example:5000/kubernetes', without scheme and image",
      );
    }
  },
};

export function checkSandboxImage(image: unknown, problems: ProblemList): void {
  if (isMap(image)) {
    checkProperties<KubeadmSandboxImage>(image, TABLE, problems);
  } else if (typeof image === 'string' && image.includes('://')) {
    problems.add(
      'EDGE_VALUE',
      'this is a URL, not the name of an image',
      "write 'registry.example/pause:3.10', without https://",
    );
  } else if (typeof image !== 'string' || !/^[A-Za-z0-9][\w.:/@-]*$/.test(image)) {
    problems.add(
      'EDGE_VALUE',
      'this is not the name of an image',
      "write 'registry.example/pause:3.10', or 'kubeadm' for the one that kubeadm names",
    );
  }
}

/** Settings in the configuration of containerd. */
export interface ContainerdSettings {
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly systemdCgroup?: boolean;
  /** Where it looks for mirrors of registries. */
  readonly hostsFolder?: string;
}

/** Table and key by version of the configuration file: 1 (also without a version), 2 (containerd 1.5 to 1.7) and 3
 * (containerd 2). */
type Places = Readonly<Record<1 | 2 | 3, readonly [table: string, key: string]>>;

const SANDBOX_IMAGE: Places = {
  1: ['plugins.cri', 'sandbox_image'],
  2: ['plugins."io.containerd.grpc.v1.cri"', 'sandbox_image'],
  3: ["plugins.'io.containerd.cri.v1.images'.pinned_images", 'sandbox'],
};

const CNI_FOLDER_KEY: Places = {
  1: ['plugins.cri.cni', 'conf_dir'],
  2: ['plugins."io.containerd.grpc.v1.cri".cni', 'conf_dir'],
  3: ["plugins.'io.containerd.cri.v1.runtime'.cni", 'conf_dir'],
};

const HOSTS_FOLDER_KEY: Places = {
  1: ['plugins.cri.registry', 'config_path'],
  2: ['plugins."io.containerd.grpc.v1.cri".registry', 'config_path'],
  3: ["plugins.'io.containerd.cri.v1.images'.registry", 'config_path'],
};

const runc = (key: string, below = ''): Places => ({
  1: [`plugins.cri.containerd.runtimes.runc${below}`, key],
  2: [`plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc${below}`, key],
  3: [`plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc${below}`, key],
});

/** The configuration of containerd. */
export const CONTAINERD_FILE = '/etc/containerd/config.toml';

/** The step that writes settings that differ from the defaults of containerd into its existing configuration file. */
export function containerdSteps({
  cniFolder,
  sandboxImage,
  systemdCgroup,
  hostsFolder,
}: ContainerdSettings): ShellSteps {
  const settings: (readonly [Places, string | boolean])[] = [
    ...(sandboxImage === undefined ? [] : [[SANDBOX_IMAGE, sandboxImage] as const]),
    ...(cniFolder === CNI_FOLDER ? [] : [[CNI_FOLDER_KEY, cniFolder] as const]),
    ...(hostsFolder === undefined ? [] : [[HOSTS_FOLDER_KEY, hostsFolder] as const]),
    // containerd has no runtime in place of the default one without a type
    ...(systemdCgroup === undefined
      ? []
      : [
          [runc('runtime_type'), 'io.containerd.runc.v2'] as const,
          [runc('SystemdCgroup', '.options'), systemdCgroup] as const,
        ]),
  ];
  const lines = ([1, 2, 3] as const).flatMap((version) =>
    settings.map(([places, value]) => [version, ...places[version], JSON.stringify(value)].join(' ')),
  );
  return settings.length === 0
    ? together()
    : {
        steps: ['configure_containerd'],
        variables: { containerd_settings: lines },
        parts: [shell('containerd')],
      };
}

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
    // conmon is in a slice of systemd by default, which cgroupfs refuses (crio.conf(5); `pkg/config/config.go`,
    // TranslateMonitorFields)
    ...(systemdCgroup === undefined
      ? []
      : systemdCgroup
        ? ['[crio.runtime]', 'cgroup_manager = "systemd"']
        : ['[crio.runtime]', 'cgroup_manager = "cgroupfs"', 'conmon_cgroup = "pod"']),
    '',
  ].join('\n');
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

/** The settings that a machine and its packages give the container runtime. CRI-O has mirrors in a file of its own,
 * containerd in a folder. */
export function runtimeSettings(
  machine: MachineSettings = {},
  packages: NodePackages | undefined,
  runtime: RuntimeSettings['runtime'] = 'containerd',
): Pick<RuntimeSettings, 'systemdCgroup' | 'hostsFolder' | 'registries'> {
  const { systemdCgroup, registries = [] } = machine;
  return {
    // the files of CRI-O depend on whether it is set
    systemdCgroup: systemdCgroup ?? (runtime === 'cri-o' ? undefined : cgroupsOfPackage(packages?.runtime)),
    ...(registries.length === 0
      ? {}
      : {
          hostsFolder: HOSTS_FOLDER,
          registries: runtime === 'cri-o' ? registries : undefined,
        }),
  };
}

/** containerd is installed without the control groups that kubelet expects by default; CRI-O with them. */
function cgroupsOfPackage(runtime: RuntimePackage | undefined): boolean | undefined {
  return runtime === undefined || runtime.name === 'cri-o' ? undefined : true;
}

/** All drop-ins that a script makes of the file with the password of a proxy. */
export const CREDENTIALS_FILES: readonly string[] = (['containerd', 'crio'] as const).map(credentialsDropIn);

/** Files with settings that differ from the defaults of the container runtime. */
export function runtimeFiles(settings: RuntimeSettings): readonly NodeFile[] {
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
  return edits.steps.length === 0 && runtimeFiles(settings).length === 0
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

/** The drop-in that the script makes of them. */
export function credentialsFilesOf({ runtime, credentials }: RuntimeSettings): readonly string[] {
  return credentials === undefined ? [] : [credentialsDropIn(runtime === 'containerd' ? 'containerd' : 'crio')];
}
