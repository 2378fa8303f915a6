import { type ShellSteps, together } from '../base/shell-script.js';
import { CNI_FOLDER } from './loopback-cni.js';
import { shell } from './shell-parts.js';

/** Settings in the configuration of containerd. */
export interface ContainerdSettings {
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly systemdCgroup?: boolean;
  /** Where it looks for mirrors of registries. */
  readonly hostsFolder?: string;
}

/** Table and key by version of the configuration file: 1 (also without a version), 2 (containerd 1.5 to 1.7) and 3 (containerd 2). */
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
