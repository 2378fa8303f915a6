import { SERVICE_REGISTRATIONS } from './join-service.js';
import type { JoinVia, NodeJoinProps } from './node-join-props.js';
import { CNI_FOLDER, CREDENTIALS_FILES, LOOPBACK_FILE, RUNTIME_FILES } from './container-runtime.js';
import {
  BOOT_HOOK,
  BOOTSTRAP_KUBELET_CONF,
  FORGET_FILE,
  INSTANCE_CONFIG,
  KUBELET_CONF,
  RUN_FOLDER,
  STATE_FOLDER,
  TIME_SERVERS_FILE,
  UPDATE_REGISTRATIONS,
  YURTHUB_DROP_IN,
} from './node-paths.js';
import { MACHINE_FILES } from './machine-settings.js';
import { PATCH_FILE } from './node-parts.js';
import { packageFiles } from './packages.js';
import { CRIO_CERTIFICATES_FOLDER, HOSTS_FOLDER } from './registry-mirrors.js';
import { KUBELET_ENVIRONMENT } from './yurtadm-join.js';

/** Files that kubeadm and the kubelet write during a join; kubelet.conf also shows that the node has joined. */
const OF_KUBEADM = [
  KUBELET_CONF,
  BOOTSTRAP_KUBELET_CONF,
  '/etc/kubernetes/pki/ca.crt',
  '/var/lib/kubelet/config.yaml',
  INSTANCE_CONFIG,
  '/var/lib/kubelet/kubeadm-flags.env',
];

/** Files of Cluster API, including its own token (`bootstrap/kubeadm/internal/cloudinit`). */
const OF_CLUSTER_API = ['/run/kubeadm', '/run/cluster-api', '/etc/kubernetes/discovery.conf'];

/** Paths that the user's files cannot have, because the join writes or reads them. */
export function reservedPaths(
  input: Pick<NodeJoinProps, 'cniFolder' | 'machineSettings' | 'ntpServers' | 'packages' | 'runtime'>,
  via: JoinVia | 'cluster-api',
): ReadonlySet<string> {
  return new Set([
    RUN_FOLDER,
    STATE_FOLDER,
    ...OF_KUBEADM,
    `${input.cniFolder ?? CNI_FOLDER}/${LOOPBACK_FILE}`,
    PATCH_FILE,
    ...RUNTIME_FILES,
    ...CREDENTIALS_FILES,
    ...MACHINE_FILES,
    ...(input.machineSettings?.registries === undefined
      ? []
      : [input.runtime === 'cri-o' ? CRIO_CERTIFICATES_FOLDER : HOSTS_FOLDER]),
    FORGET_FILE,
    YURTHUB_DROP_IN,
    ...SERVICE_REGISTRATIONS,
    ...UPDATE_REGISTRATIONS,
    BOOT_HOOK,
    ...((input.ntpServers ?? []).length === 0 ? [] : [TIME_SERVERS_FILE]),
    ...packageFiles(input.packages),
    ...(via === 'yurtadm' ? [KUBELET_ENVIRONMENT] : []),
    ...(via === 'cluster-api' ? OF_CLUSTER_API : []),
  ]);
}
