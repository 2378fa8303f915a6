// Paths and ports on a member, those of the .sh files beside. The data is in a folder of the volume: etcd refuses a folder with lost+found in it.
export const ETCD_CONFIG = '/etc/etcd/etcd.conf.yml';
export const ETCD_PKI = '/etc/etcd/pki';
export const ETCD_MOUNT = '/var/lib/etcd';
export const ETCD_DATA = `${ETCD_MOUNT}/data`;
export const ETCD_UNIT = '/etc/systemd/system/etcd.service';
export const ETCD_TOOL = '/usr/local/sbin/edge-etcd';

export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
export const METRICS_PORT = 2381;

/** `10.0.0.10:2380`, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** `https://10.0.0.10:2379`, with brackets around an IPv6 address. */
export function urlOf(host: string, port: number, scheme = 'https'): string {
  return `${scheme}://${hostAndPort(host, port)}`;
}
