import { yamlOf, type YamlValue } from '../base/yaml-emitter.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { EtcdClusterProps, EtcdLatency, EtcdMember } from './etcd-cluster-props.js';
import {
  CLIENT_PORT,
  ETCD_CONFIG,
  ETCD_DATA,
  ETCD_PKI,
  ETCD_TOOL,
  METRICS_PORT,
  PEER_PORT,
  urlOf,
} from './etcd-paths.js';

/** What the files of a member depend on, with defaults in place. */
export interface EtcdSettings extends Pick<
  EtcdClusterProps,
  'name' | 'members' | 'download' | 'snapshots' | 'defragmentationHour' | 'latency' | 'publicMetrics' | 'loadBalancer'
> {
  readonly version: string;
  readonly quota: string;
  readonly filesystem: 'ext4' | 'xfs';
}

/** Milliseconds. `fast` are the defaults of etcd, `shared` those of kubespray, `slow` those of capi-helm-charts. */
const TIMING: Readonly<Record<EtcdLatency, { readonly heartbeat: number; readonly election: number }>> = {
  fast: { heartbeat: 100, election: 1000 },
  shared: { heartbeat: 250, election: 5000 },
  slow: { heartbeat: 500, election: 5000 },
};

/** `--initial-cluster` of etcd. */
export function initialCluster(members: readonly EtcdMember[]): string {
  return members.map(({ name, address }) => `${name}=${urlOf(address, PEER_PORT)}`).join(',');
}

/** The URLs at which clients reach the members. */
export function clientUrls(members: readonly EtcdMember[]): string[] {
  return members.map(({ address }) => urlOf(address, CLIENT_PORT));
}

/**
 * The configuration file of a member. etcd reads nothing else with it, neither flags nor variables. Durations are whole numbers: milliseconds for heartbeat
 * and election, nanoseconds for others (server/embed/config.go of etcd 3.6).
 */
export function etcdConfig(settings: EtcdSettings, { name, address }: EtcdMember): string {
  const { heartbeat, election } = TIMING[settings.latency ?? 'fast'];
  const security: YamlValue = (['server', 'peer'] as const).reduce(
    (all, pair) => ({
      ...all,
      [`${pair === 'server' ? 'client' : 'peer'}-transport-security`]: {
        'cert-file': `${ETCD_PKI}/${pair}.crt`,
        'key-file': `${ETCD_PKI}/${pair}.key`,
        'trusted-ca-file': `${ETCD_PKI}/ca.crt`,
        'client-cert-auth': true,
      },
    }),
    {},
  );
  return yamlOf({
    name,
    'data-dir': ETCD_DATA,
    'listen-client-urls': `${urlOf(address, CLIENT_PORT)},${urlOf('127.0.0.1', CLIENT_PORT)}`,
    'advertise-client-urls': urlOf(address, CLIENT_PORT),
    'listen-peer-urls': urlOf(address, PEER_PORT),
    'initial-advertise-peer-urls': urlOf(address, PEER_PORT),
    'listen-metrics-urls': urlOf(settings.publicMetrics === true ? address : '127.0.0.1', METRICS_PORT, 'http'),
    'initial-cluster': initialCluster(settings.members),
    'initial-cluster-token': settings.name,
    'initial-cluster-state': 'new',
    'strict-reconfig-check': true,
    'heartbeat-interval': heartbeat,
    'election-timeout': election,
    'quota-backend-bytes': Number((Quantity.parse(settings.quota) as Quantity).nano / 1_000_000_000n),
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': '8h',
    // as kubeadm: a member that was corrupted does not start, and the API server learns of progress in time
    'snapshot-count': 10_000,
    'feature-gates': 'InitialCorruptCheck=true',
    'watch-progress-notify-interval': 5_000_000_000,
    ...security,
  });
}

/**
 * The systemd unit of a member: that of etcd (contrib/systemd), with a check before each start. A member that is not ready, because its volume or its
 * certificates are not there yet, is started again every ten seconds.
 */
export function etcdUnit(about: string): string {
  return `${[
    `# ${about}`,
    '[Unit]',
    'Description=etcd',
    'Documentation=https://etcd.io/docs/',
    'Wants=network-online.target time-sync.target',
    'After=network-online.target local-fs.target time-sync.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=notify',
    'User=etcd',
    'Group=etcd',
    `ExecStartPre=+${ETCD_TOOL} ready`,
    `ExecStart=/usr/bin/env etcd --config-file ${ETCD_CONFIG}`,
    'Restart=always',
    'RestartSec=10s',
    // it is ready when most members are
    'TimeoutStartSec=infinity',
    'LimitNOFILE=40000',
    // etcd is sensitive to the latency of its disk (etcd.io, Tuning: ionice -c2 -n0)
    'IOSchedulingClass=best-effort',
    'IOSchedulingPriority=0',
    'OOMScoreAdjust=-999',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`;
}
