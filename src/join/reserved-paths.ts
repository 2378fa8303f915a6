import { kubeletPatch } from '../reservation/node-reservation.js';
import { isUnknown } from '../validation/unknown.js';
import { REGISTRATIONS } from './cleanup-script.js';
import type { JoinVia, NodeJoinOptions } from './node-join-props.js';
import { CNI_FOLDER, LOOPBACK_FILE } from './loopback-cni.js';
import {
  BOOT_HOOK,
  BOOTSTRAP_KUBELET_CONF,
  KUBELET_CONF,
  PATCH_FOLDER,
  RUN_FOLDER,
  STATE_FOLDER,
  TIME_SERVERS_FILE,
} from './node-paths.js';
import { packageFiles } from './package-installation.js';
import { RUNTIME_FILES } from './runtime-files.js';
import { KUBELET_ENVIRONMENT } from './yurtadm-join.js';

/** What kubeadm and kubelet write when a node joins; of these kubelet.conf also shows that it has joined. */
const OF_KUBEADM = [
  KUBELET_CONF,
  BOOTSTRAP_KUBELET_CONF,
  '/etc/kubernetes/pki/ca.crt',
  '/var/lib/kubelet/config.yaml',
  '/var/lib/kubelet/instance-config.yaml',
  '/var/lib/kubelet/kubeadm-flags.env',
];

/** What Cluster API writes, among it its own token (`bootstrap/kubeadm/internal/cloudinit`). */
const OF_CLUSTER_API = ['/run/kubeadm', '/run/cluster-api', '/etc/kubernetes/discovery.conf'];

/** Paths of files and folders that a user's file may not have: the join writes or reads them itself. */
export function reservedPaths(
  input: Pick<NodeJoinOptions, 'cniFolder' | 'ntpServers' | 'packages'>,
  via: JoinVia | 'cluster-api',
): ReadonlySet<string> {
  return new Set([
    RUN_FOLDER,
    STATE_FOLDER,
    ...OF_KUBEADM,
    `${input.cniFolder ?? CNI_FOLDER}/${LOOPBACK_FILE}`,
    `${PATCH_FOLDER}/${kubeletPatch({}).fileName}`,
    ...RUNTIME_FILES,
    ...REGISTRATIONS,
    BOOT_HOOK,
    ...(isUnknown(input.ntpServers) || (input.ntpServers ?? []).length === 0 ? [] : [TIME_SERVERS_FILE]),
    ...packageFiles(input.packages?.manager),
    ...(via === 'yurtadm' ? [KUBELET_ENVIRONMENT] : []),
    ...(via === 'cluster-api' ? OF_CLUSTER_API : []),
  ]);
}
