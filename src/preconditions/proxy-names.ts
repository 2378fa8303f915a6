import type { PreconditionEra } from './precondition.js';

/**
 * Who makes node names reachable through a tunnel, and so writes the hosts file that CoreDNS reads: yurt-tunnel (until OpenYurt's documents of 1.3), or
 * Raven's gateway-dns-controller, which has a CoreDNS of its own (`raven-proxy-dns`) and needs the one of the cluster only if that is to know the names too.
 *
 * @category Prepare the cluster
 */
export type ProxyNames = 'yurt-tunnel' | 'raven';

/** Where both keep the file in a container of CoreDNS (config/setup/raven-proxy-dns.yaml). */
export const HOSTS_FOLDER = '/etc/edge';
export const HOSTS_FILE = `${HOSTS_FOLDER}/tunnel-nodes`;

/** The ConfigMap that holds the file under the key tunnel-nodes. */
export const HOSTS_CONFIG_MAPS: Readonly<Record<ProxyNames, string>> = {
  'yurt-tunnel': 'yurt-tunnel-nodes',
  raven: 'edge-tunnel-nodes',
};

/** Whose names CoreDNS is to know: what was asked for, else those of the tunnel in its era. */
export function proxyNamesOf(era: PreconditionEra = 'release', asked: ProxyNames | undefined): ProxyNames | undefined {
  return asked ?? (era === 'tunnel' ? 'yurt-tunnel' : undefined);
}
