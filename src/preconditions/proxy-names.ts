import type { PreconditionGuide } from './precondition.js';

/**
 * Which program writes the hosts file of node names behind a tunnel that CoreDNS reads: yurt-tunnel (up to the documentation of OpenYurt 1.3), or the
 * gateway-dns-controller of Raven, which has its own CoreDNS (`raven-proxy-dns`), too.
 *
 * @category Prepare the cluster
 */
export type ProxyNames = 'yurt-tunnel' | 'raven';

/** Folder of the file in the container of CoreDNS, for both (config/setup/raven-proxy-dns.yaml). */
export const HOSTS_FOLDER = '/etc/edge';
export const HOSTS_FILE = `${HOSTS_FOLDER}/tunnel-nodes`;

/** The ConfigMap that contains the file, with the key tunnel-nodes. */
export const HOSTS_CONFIG_MAPS: Readonly<Record<ProxyNames, string>> = {
  'yurt-tunnel': 'yurt-tunnel-nodes',
  raven: 'edge-tunnel-nodes',
};

/** The hosts file that CoreDNS reads: as requested, else that of yurt-tunnel with `guide: 'tunnel'`. */
export function proxyNamesOf(
  guide: PreconditionGuide = 'release',
  asked: ProxyNames | undefined,
): ProxyNames | undefined {
  return asked ?? (guide === 'tunnel' ? 'yurt-tunnel' : undefined);
}
