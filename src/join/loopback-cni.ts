import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { cniVersion } from '../cluster/kubernetes-capabilities.js';

/** Folder in which container runtimes look for network configurations. */
export const CNI_FOLDER = '/etc/cni/net.d';

/**
 * Sorts before every file that a CNI agent drops ("-" is before digits), and runtimes take the first: the loopback stays the network of the
 * node even where flannel, Calico or Cilium has been.
 */
export const LOOPBACK_FILE = '0-loopback.conflist';

/**
 * All that a host-network node needs to become Ready. With containerd a Pod with a network of its own fails there ("failed to find network info
 * for sandbox"); CRI-O would run it with the address 127.0.0.1, so there only affinity and admission keep it off.
 */
export function loopbackConfiguration(cluster: EdgeCluster): string {
  return `${JSON.stringify({ cniVersion: cniVersion(cluster), name: 'lo', plugins: [{ type: 'loopback' }] })}\n`;
}
