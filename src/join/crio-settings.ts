import { compute } from '../base/unknown.js';
import { CNI_FOLDER } from './loopback-cni.js';
import type { NodeFile } from './node-file.js';
import { CRIO_REGISTRIES_FILE, crioRegistryFiles, type RegistryMirror } from './registry-mirrors.js';

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
export const CRIO_FILES: readonly string[] = [CRIO_FILE, CRIO_REGISTRIES_FILE];

/** Files with settings that differ from the defaults of CRI-O. It reads them when it starts. */
export function crioFiles(settings: CrioSettings): NodeFile[] {
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
