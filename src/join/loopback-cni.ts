import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { cniVersion } from '../cluster/kubernetes-capabilities.js';

/** Folder from which container runtimes read CNI configurations. */
export const CNI_FOLDER = '/etc/cni/net.d';

/**
 * The name sorts before the files of all CNI agents ("-" sorts before digits), and runtimes use the first file: the loopback remains the network of the
 * node even after flannel, Calico or Cilium has written a configuration.
 */
export const LOOPBACK_FILE = '0-loopback.conflist';

/**
 * The only CNI configuration that a host-network node needs to become Ready. With containerd, a Pod without `hostNetwork` fails on it ("failed to find
 * network info for sandbox"). CRI-O would run such a Pod with the address 127.0.0.1, so only the affinity and admission policies exclude it.
 */
export function loopbackConfiguration(cluster: EdgeCluster): string {
  return `${JSON.stringify({ cniVersion: cniVersion(cluster), name: 'lo', plugins: [{ type: 'loopback' }] })}\n`;
}
