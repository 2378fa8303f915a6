import type { Chart } from 'cdk8s';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { type BadInput, untyped } from './case.js';
import { CA, CLIENT, CLIENT_KEY, OTHER_CA, OTHER_KEY } from './certificates.js';
import { type Row, whole } from './etcd.js';

const KEY = '-----BEGIN PRIVATE KEY-----\nbm8=\n-----END PRIVATE KEY-----\n';
const PEM = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n';

const ROWS: readonly Row[] = [
  ['a cluster of Cluster API as text', 'EDGE_TYPE', 'clusterApi', 'clusterName', { clusterApi: 'edge' }],
  [
    'one certificate of three',
    'EDGE_MISSING',
    'clusterApi.clientCertificate',
    'all three',
    { clusterApi: { clusterName: 'edge', caCertificate: CA } },
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
    {
      clusterApi: {
        clusterName: 'edge',
        caCertificate: CA + CLIENT_KEY,
        clientCertificate: CLIENT,
        clientKey: CLIENT_KEY,
      },
    },
  ],
  [
    'a path instead of a key',
    'EDGE_VALUE',
    'clusterApi.clientKey',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: CA, clientCertificate: CLIENT, clientKey: '/pki/client.key' } },
  ],
  [
    'a client certificate of another CA',
    'EDGE_CONTRADICTION',
    'clusterApi.clientCertificate',
    'CA of this etcd',
    {
      clusterApi: { clusterName: 'edge', caCertificate: OTHER_CA, clientCertificate: CLIENT, clientKey: CLIENT_KEY },
    },
  ],
  [
    'a key of another certificate',
    'EDGE_CONTRADICTION',
    'clusterApi.clientKey',
    'with which that certificate was made',
    { clusterApi: { clusterName: 'edge', caCertificate: CA, clientCertificate: CLIENT, clientKey: OTHER_KEY } },
  ],
  ...(
    [
      [1, ['curl', '--password=canary', '{file}']],
      [2, ['restic', '--password', 'canary', '{file}']],
      [1, ['env', 'AWS_SECRET_ACCESS_KEY=canary', 'aws', 's3', 'cp', '{file}', 's3://backups/']],
      [1, ['env', 'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE', 'aws', '{file}']],
      [3, ['curl', '-T', '{file}', 'https://backup:canary@store.example/']],
      [2, ['curl', '-H', 'Authorization: Bearer canary-canary', '-T', '{file}', 'https://store.example/']],
      [2, ['curl', '-H', 'X-Auth-Token: canary', '-T', '{file}', 'https://store.example/']],
      [2, ['sh', '-c', 'MC_TOKEN=canary mc cp "$1" store/', 'sh', '{file}']],
      [2, ['curl', '-u', 'backup:canary', '-T', '{file}', 'https://store.example/']],
      [1, ['curl', '-ubackup:canary', '-T', '{file}', 'https://store.example/']],
      [4, ['curl', '-T', '{file}', '--user', 'backup:canary', 'https://store.example/']],
      [1, ['/usr/bin/curl', '--proxy-user=backup:canary', '-T', '{file}', 'https://store.example/']],
      [2, ['sh', '-c', 'curl -u backup:canary -T "$1" https://store.example/', 'sh', '{file}']],
      [2, ['swift', '--os-password', 'canary', 'upload', 'backups', '{file}']],
      [2, ['swift', '-K', 'canary', 'upload', 'backups', '{file}']],
      [2, ['openstack', '--os-token', 'canary', 'object', 'create', 'backups', '{file}']],
      [2, ['openstack', '--os-application-credential-secret', 'canary', 'object', 'create', 'b', '{file}']],
      [2, ['sshpass', '-p', 'canary', 'scp', '{file}', 'backup@store.example:']],
      [1, ['sshpass', '-pcanary', 'scp', '{file}', 'backup@store.example:']],
      [2, ['bash', '-c', "sshpass -p 'canary' scp $1 backup@store.example:", 'bash', '{file}']],
      [3, ['azcopy', 'copy', '{file}', 'https://a.blob.example/b?sv=2025&se=2027&sp=w&sig=canary%3D']],
      [3, ['curl', '-T', '{file}', 'https://s3.example/b?X-Amz-Signature=canary&X-Amz-Date=1']],
    ] as const
  ).map(([index, upload]): Row => [
    `a credential in an upload: ${upload.join(' ')}`,
    'EDGE_VALUE',
    `snapshots.upload[${index}]`,
    '/etc/etcd/upload.env',
    { snapshots: { upload } },
  ]),
  [
    'a certificate of another CA, with that CA below it',
    'EDGE_CONTRADICTION',
    'clusterApi.clientCertificate',
    'CA of this etcd',
    {
      clusterApi: {
        clusterName: 'edge',
        caCertificate: OTHER_CA,
        clientCertificate: CLIENT + CA,
        clientKey: CLIENT_KEY,
      },
    },
  ],
  [
    'the CA as client certificate',
    'EDGE_CONTRADICTION',
    'clusterApi.clientCertificate',
    'of the API servers',
    { clusterApi: { clusterName: 'edge', caCertificate: CA, clientCertificate: CA, clientKey: CLIENT_KEY } },
  ],
  [
    'a CA that cannot be read',
    'EDGE_VALUE',
    'clusterApi.caCertificate',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: PEM, clientCertificate: CLIENT, clientKey: CLIENT_KEY } },
  ],
  [
    'a client certificate that cannot be read',
    'EDGE_VALUE',
    'clusterApi.clientCertificate',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: CA, clientCertificate: PEM, clientKey: CLIENT_KEY } },
  ],
  [
    'a second certificate that cannot be read',
    'EDGE_VALUE',
    'clusterApi.caCertificate',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: CA + PEM, clientCertificate: CLIENT, clientKey: CLIENT_KEY } },
  ],
  [
    'a key that cannot be read',
    'EDGE_VALUE',
    'clusterApi.clientKey',
    'whole text',
    { clusterApi: { clusterName: 'edge', caCertificate: CA, clientCertificate: CLIENT, clientKey: KEY } },
  ],
];

/** EtcdCluster: certificates that do not belong together, and credentials where everybody reads them. */
export const etcdCredentials: BadInput[] = ROWS.map(([what, code, path, hint, props]) => ({
  what: `etcd: ${what}`,
  code,
  path,
  hint,
  make: (chart: Chart) => new EtcdCluster(chart, 'etcd', untyped({ ...whole, ...props })),
}));
