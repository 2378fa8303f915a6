import type { Chart } from 'cdk8s';
import { EtcdCluster } from 'edge-nodepools';
import { type BadInput, cluster16, plain, untyped } from './case.js';

export const MEMBERS = [1, 2, 3].map((index) => ({
  name: `etcd-${index}`,
  address: `192.0.2.1${index}`,
  device: `/dev/disk/by-id/virtio-${index}`,
}));

const whole = { cluster: plain, name: 'edge', members: MEMBERS, certificates: { source: 'kubeadm' } };
const KEY = '-----BEGIN PRIVATE KEY-----\nbm8=\n-----END PRIVATE KEY-----\n';
const PEM = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n';

type Row = readonly [what: string, code: BadInput['code'], path: string, hint: BadInput['hint'], props: object];

const member = (change: object): object => ({ members: [...MEMBERS.slice(0, 2), { ...MEMBERS[2], ...change }] });

const ROWS: readonly Row[] = [
  ['no cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', { cluster: undefined }],
  ['no name', 'EDGE_MISSING', 'name', "write name: 'etcd-1'", { name: undefined }],
  ['a name with capitals', 'EDGE_NAME', 'name', 'write a name such as', { name: 'Edge' }],
  ['a name that is too long for a certificate', 'EDGE_NAME', 'name', 'such as', { name: 'e'.repeat(41) }],
  ['no members', 'EDGE_MISSING', 'members', "address: '10.0.0.10'", { members: undefined }],
  ['members as a map', 'EDGE_TYPE', 'members', 'write [{', { members: { a: 1 } }],
  ['a member as text', 'EDGE_TYPE', 'members[2]', 'write [{', { members: [...MEMBERS.slice(0, 2), '10.0.0.3'] }],
  ['no member at all', 'EDGE_VALUE', 'members', 'of which one can fail', { members: [] }],
  ['one member', 'EDGE_VALUE', 'members', 'of which one can fail', { members: MEMBERS.slice(0, 1) }],
  ['two members', 'EDGE_VALUE', 'members', 'one more or one less', { members: MEMBERS.slice(0, 2) }],
  ['two members of one name', 'EDGE_DUPLICATE', 'members[2].name', 'its own name', member({ name: 'etcd-1' })],
  [
    'two members at one address',
    'EDGE_DUPLICATE',
    'members[2].address',
    'its own address',
    member({ address: '192.0.2.11' }),
  ],
  ['a member without address', 'EDGE_MISSING', 'members[2].address', 'fixed address', member({ address: undefined })],
  ['a host name as address', 'EDGE_VALUE', 'members[2].address', 'without DNS', member({ address: 'etcd-3.example' })],
  ['a port in an address', 'EDGE_VALUE', 'members[2].address', 'alone', member({ address: '192.0.2.13:2380' })],
  ['a URL as address', 'EDGE_VALUE', 'members[2].address', 'alone', member({ address: 'http://192.0.2.13' })],
  ['a loopback address', 'EDGE_VALUE', 'members[2].address', 'fixed address', member({ address: '127.0.0.1' })],
  ['a link-local address', 'EDGE_VALUE', 'members[2].address', 'fixed address', member({ address: 'fe80::1' })],
  ['ip instead of address', 'EDGE_UNKNOWN_PROPERTY', 'members[2].ip', 'address', member({ ip: '192.0.2.13' })],
  ['a member without device', 'EDGE_MISSING', 'members[2].device', 'virtio-', member({ device: undefined })],
  ['a folder as device', 'EDGE_VALUE', 'members[2].device', '/dev/disk/by-id', member({ device: '/var/lib/etcd' })],
  ['a device with a blank', 'EDGE_VALUE', 'members[2].device', 'by-id', member({ device: '/dev/vdb; reboot' })],
  ['a label as device', 'EDGE_VALUE', 'members[2].device', 'by-id', member({ device: 'LABEL=etcd' })],
  ['no certificates', 'EDGE_MISSING', 'certificates', "source: 'kubeadm'", { certificates: undefined }],
  ['certificates as text', 'EDGE_TYPE', 'certificates', "source: 'kubeadm'", { certificates: 'kubeadm' }],
  ['no source', 'EDGE_MISSING', 'certificates.source', "'cert-manager'", { certificates: {} }],
  ['another source', 'EDGE_VALUE', 'certificates.source', "'files'", { certificates: { source: 'vault' } }],
  [
    'an issuer of kubeadm',
    'EDGE_UNUSED',
    'certificates.issuer',
    'cert-manager',
    { certificates: { source: 'kubeadm', issuer: { name: 'ca' } } },
  ],
  [
    'an issuer without a name',
    'EDGE_MISSING',
    'certificates.issuer.name',
    'write name',
    { certificates: { source: 'cert-manager', issuer: {} } },
  ],
  [
    'an issuer of another kind',
    'EDGE_VALUE',
    'certificates.issuer.kind',
    'ClusterIssuer',
    { certificates: { source: 'cert-manager', issuer: { name: 'ca', kind: 'CA' } } },
  ],
  ['days of own files', 'EDGE_UNUSED', 'certificates.days', 'remove', { certificates: { source: 'files', days: 9 } }],
  ['half a day', 'EDGE_VALUE', 'certificates.days', 'whole number', { certificates: { source: 'kubeadm', days: 0.5 } }],
  [
    'days of a kubeadm that cannot say so',
    'EDGE_CONTRADICTION',
    'certificates.days',
    'cert-manager',
    { cluster: cluster16, certificates: { source: 'kubeadm', days: 90 } },
  ],
  ['an old etcd', 'EDGE_VALUE', 'version', "'3.6' or '3.7'", { version: '3.5' }],
  ['a patch release of etcd', 'EDGE_VALUE', 'version', 'URL of download', { version: '3.6.14' }],
  ['a number as version', 'EDGE_VALUE', 'version', "'3.6' or '3.7'", { version: 3.6 }],
  ['a download as text', 'EDGE_TYPE', 'download', 'sha256', { download: 'https://mirror.example/etcd.tar.gz' }],
  [
    'a download without TLS',
    'EDGE_VALUE',
    'download.url',
    'https://',
    { download: { url: 'http://mirror.example/etcd.tar.gz', sha256: 'a'.repeat(64) } },
  ],
  [
    'a download without its digest',
    'EDGE_MISSING',
    'download.sha256',
    'SHA256SUMS',
    { download: { url: 'https://mirror.example/etcd.tar.gz' } },
  ],
  ['another latency', 'EDGE_VALUE', 'latency', "'slow'", { latency: 'medium' }],
  ['a heartbeat alone', 'EDGE_MISSING', 'election', 'set both', { heartbeat: 100 }],
  [
    'latency and heartbeat',
    'EDGE_CONTRADICTION',
    'latency',
    'remove',
    { latency: 'slow', heartbeat: 50, election: 999 },
  ],
  ['an election of four heartbeats', 'EDGE_VALUE', 'election', 'write 2500', { heartbeat: 250, election: 1000 }],
  ['an election of a minute', 'EDGE_VALUE', 'election', '50000', { heartbeat: 500, election: 60_000 }],
  ['heartbeatMs', 'EDGE_UNKNOWN_PROPERTY', 'heartbeatMs', 'heartbeat', { heartbeatMs: 100 }],
  ['a quota as a number', 'EDGE_QUANTITY', 'quota', "'20Gi'", { quota: 4 }],
  ['a quota of 16Gi', 'EDGE_VALUE', 'quota', "'8Gi'", { quota: '16Gi' }],
  ['a quota of 1Mi', 'EDGE_VALUE', 'quota', "'2Gi'", { quota: '1Mi' }],
  ['a volume of no size', 'EDGE_QUANTITY', 'volumeSize', "'20Gi'", { volumeSize: '0' }],
  ['a volume without room', 'EDGE_VALUE', 'volumeSize', 'a second time', { volumeSize: '8Gi' }],
  ['an NFS folder', 'EDGE_VALUE', 'filesystem', "'ext4'", { filesystem: 'nfs' }],
  ['compaction at once', 'EDGE_VALUE', 'compactionHours', '1 or more', { compactionHours: 0 }],
  ['metrics as text', 'EDGE_TYPE', 'publicMetrics', 'true or false', { publicMetrics: 'yes' }],
  ['a URL as load balancer', 'EDGE_VALUE', 'loadBalancer', 'without scheme', { loadBalancer: 'https://etcd.example' }],
  ['a cluster of Cluster API as text', 'EDGE_TYPE', 'clusterApi', 'clusterName', { clusterApi: 'edge' }],
  [
    'one certificate of three',
    'EDGE_MISSING',
    'clusterApi.clientCertificate',
    'all three',
    { clusterApi: { clusterName: 'edge', caCertificate: PEM } },
  ],
  [
    'the key of the CA',
    'EDGE_UNKNOWN_PROPERTY',
    'clusterApi.caKey',
    'user data',
    { clusterApi: { clusterName: 'edge', caKey: KEY } },
  ],
  [
    'a key where the certificate of the CA belongs',
    'EDGE_VALUE',
    'clusterApi.caCertificate',
    'write the certificate',
    { clusterApi: { clusterName: 'edge', caCertificate: PEM + KEY, clientCertificate: PEM, clientKey: KEY } },
  ],
  [
    'a path instead of a key',
    'EDGE_VALUE',
    'clusterApi.clientKey',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: PEM, clientCertificate: PEM, clientKey: '/pki/client.key' } },
  ],
  ['a namespace with capitals', 'EDGE_NAME', 'namespace', 'lower-case', { namespace: 'Edge' }],
  ['a cloud without a limit', 'EDGE_VALUE', 'provider', "'openstack'", { provider: 'nova' }],
  ['a folder above', 'EDGE_ARTIFACT', 'artifactFolder', "'etcd'", { artifactFolder: '../etcd' }],
  ['dataDir', 'EDGE_UNKNOWN_PROPERTY', 'dataDir', 'members[…].device', { dataDir: '/var/lib/etcd' }],
];

/** EtcdCluster. */
export const etcdClusters: BadInput[] = ROWS.map(([what, code, path, hint, props]) => ({
  what: `etcd: ${what}`,
  code,
  path,
  hint,
  make: (chart: Chart) => new EtcdCluster(chart, 'etcd', untyped({ ...whole, ...props })),
}));
