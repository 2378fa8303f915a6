// Paths and ports on a member. The data is in a folder of the volume: etcd refuses a folder with lost+found in it.
export const ETCD_CONFIG = '/etc/etcd/etcd.conf.yml';
export const ETCD_PKI = '/etc/etcd/pki';
export const ETCD_MOUNT = '/var/lib/etcd';
export const ETCD_DATA = `${ETCD_MOUNT}/data`;
export const ETCD_UNIT = '/etc/systemd/system/etcd.service';
export const ETCD_TOOL = '/usr/local/sbin/edge-etcd';
/** Says that the volume was formatted for this machine; it is on another disk than the data. */
export const ETCD_FORMATTED = '/etc/etcd/formatted';

export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
export const METRICS_PORT = 2381;

/** The files of a member's certificates, below the folder. Both pairs are for servers and clients: members call each other. */
export const ETCD_PKI_FILES = ['ca.crt', 'server.crt', 'server.key', 'peer.crt', 'peer.key'] as const;

/** `https://10.0.0.10:2379`, with brackets around an IPv6 address. */
export function urlOf(host: string, port: number, scheme = 'https'): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
