import { ManilaCredentials, ManilaStorageClass, NfsVolume } from 'edge-nodepools/control-plane';
import type { BadInput } from './case.js';
import { type Bad, rows } from './storage.js';

const SECRET = { name: 'manila', namespace: 'kube-system' };
const nfs = { name: 'a', protocol: 'NFS', shareType: 'default', clients: ['10.0.0.0/24'], secret: SECRET };
const ceph = { name: 'a', protocol: 'CEPHFS', shareType: 'cephfs', secret: SECRET };

const manila: Bad[] = [
  ['a class of Manila without properties', 'EDGE_MISSING', '', "protocol: 'NFS'", undefined],
  ['a class of Manila without a protocol', 'EDGE_MISSING', 'protocol', "'CEPHFS'", { ...nfs, protocol: undefined }],
  ['a protocol of Windows', 'EDGE_VALUE', 'protocol', "'NFS'", { ...nfs, protocol: 'CIFS' }],
  [
    'a class of Manila without a share type',
    'EDGE_MISSING',
    'shareType',
    "'default'",
    { ...nfs, shareType: undefined },
  ],
  [
    'a class of Manila without credentials',
    'EDGE_MISSING',
    'secret',
    'credentials.secret',
    { ...nfs, secret: undefined },
  ],
  [
    'credentials without a namespace',
    'EDGE_MISSING',
    'secret.namespace',
    'namespace:',
    { ...nfs, secret: { name: 'a' } },
  ],
  ['NFS without clients', 'EDGE_MISSING', 'clients', "['10.0.0.0/24']", { ...nfs, clients: undefined }],
  ['NFS for nobody', 'EDGE_MISSING', 'clients', "['10.0.0.0/24']", { ...nfs, clients: [] }],
  ['NFS for the world', 'EDGE_VALUE', 'clients[0]', 'addresses of the nodes', { ...nfs, clients: ['0.0.0.0/0'] }],
  ['NFS for a range that is none', 'EDGE_VALUE', 'clients[0]', "'10.0.0.0/24'", { ...nfs, clients: ['10.0.0.0/33'] }],
  ['NFS for a name', 'EDGE_VALUE', 'clients[0]', "'10.0.0.7'", { ...nfs, clients: ['node1'] }],
  [
    'clients by the name of the parameter',
    'EDGE_UNKNOWN_PROPERTY',
    'nfsShareClient',
    'clients?',
    { ...nfs, nfsShareClient: '10.0.0.7' },
  ],
  ['clients of CephFS', 'EDGE_CONTRADICTION', 'clients', 'remove it', { ...ceph, clients: ['10.0.0.7'] }],
  [
    'a mounter of CephFS for NFS',
    'EDGE_CONTRADICTION',
    'cephfsMounter',
    'remove it',
    { ...nfs, cephfsMounter: 'fuse' },
  ],
  [
    'the zone of the node and another',
    'EDGE_CONTRADICTION',
    'availability',
    'either',
    { ...nfs, autoTopology: true, availability: 'az1' },
  ],
  ['metadata that is no text', 'EDGE_TYPE', 'shareMetadata.rank', 'team', { ...nfs, shareMetadata: { rank: 1 } }],
  [
    'an old driver outside of OpenStack',
    'EDGE_VALUE',
    'hostNetworkPools',
    'NfsVolume',
    { ...nfs, hostNetworkPools: 'include' },
  ],
  ['a release of the driver in words', 'EDGE_VALUE', 'driverRelease', 'tag', { ...nfs, driverRelease: 'latest' }],
];

const login = { name: 'manila', authUrl: 'https://keystone.example/v3', region: 'RegionOne' };
const application = { applicationCredential: { id: 'a', secret: 'b' } };

const credentials: Bad[] = [
  ['credentials without properties', 'EDGE_MISSING', '', 'authUrl', undefined],
  ['credentials without any', 'EDGE_MISSING', 'applicationCredential', 'password', login],
  [
    'credentials of two ways',
    'EDGE_CONTRADICTION',
    'applicationCredential',
    'either',
    { ...login, ...application, password: { userName: 'a', domainName: 'b', projectName: 'c', password: 'd' } },
  ],
  [
    'credentials without a region',
    'EDGE_MISSING',
    'region',
    "'RegionOne'",
    { ...login, ...application, region: undefined },
  ],
  [
    'an address of Keystone without a scheme',
    'EDGE_VALUE',
    'authUrl',
    'https://',
    { ...login, ...application, authUrl: 'keystone.example' },
  ],
  ...(
    [
      ['without encryption', 'http://keystone.example/v3', "'https://keystone.example/v3'"],
      ['with a password', 'https://admin:canary@keystone.example/v3', 'applicationCredential'],
      ['of the Pod itself', 'https://localhost:5000/v3', 'in the network'],
      ['of the Pod itself, by another name', 'https://localhost.localdomain/v3', 'in the network'],
      ['of the Pod itself, in IPv6', 'https://[::ffff:127.0.0.1]:5000/v3', 'in the network'],
      ['with a password behind it', 'https://keystone.example/v3?password=canary', 'applicationCredential'],
      ['with a fragment', 'https://keystone.example/v3#canary', 'applicationCredential'],
    ] as const
  ).map(([what, authUrl, hint]): Bad => [
    `an address of Keystone ${what}`,
    'EDGE_VALUE',
    'authUrl',
    hint,
    { ...login, ...application, authUrl },
  ]),
  [
    'an application credential without its secret',
    'EDGE_MISSING',
    'applicationCredential.secret',
    '{ id, secret }',
    { ...login, applicationCredential: { id: 'a' } },
  ],
  ['a password as text', 'EDGE_TYPE', 'password', 'userName', { ...login, password: 'canary' }],
  [
    'a path for certificates',
    'EDGE_CA_BUNDLE',
    'caCertificates',
    'BEGIN CERTIFICATE',
    { ...login, ...application, caCertificates: '/etc/ssl/ca.crt' },
  ],
];

const share = { name: 'a', exportLocation: '192.0.2.10:/a', size: '10Gi' };

const volumes: Bad[] = [
  ['an NFS volume without properties', 'EDGE_MISSING', '', 'exportLocation', undefined],
  [
    'an NFS volume without a place',
    'EDGE_MISSING',
    'exportLocation',
    "'192.0.2.10:/share",
    { ...share, exportLocation: undefined },
  ],
  [
    'a server beside its folder',
    'EDGE_UNKNOWN_PROPERTY',
    'server',
    'exportLocation',
    { ...share, server: '192.0.2.10' },
  ],
  [
    'an export location without a path',
    'EDGE_VALUE',
    'exportLocation',
    "'192.0.2.10:/share",
    { ...share, exportLocation: '192.0.2.10' },
  ],
  [
    'an export location as an address of the web',
    'EDGE_VALUE',
    'exportLocation',
    'absolute',
    { ...share, exportLocation: 'nfs://192.0.2.10/a' },
  ],
  [
    'a server with a blank',
    'EDGE_VALUE',
    'exportLocation',
    'without a scheme',
    { ...share, exportLocation: 'nfs example:/a' },
  ],
  ...['localhost:/a', '127.0.0.1:/a', '[::1]:/a', 'localhost.localdomain:/a', '[::ffff:127.0.0.1]:/a'].map(
    (exportLocation): Bad => [
      `a share at ${exportLocation}`,
      'EDGE_VALUE',
      'exportLocation',
      "'192.0.2.10'",
      { ...share, exportLocation },
    ],
  ),
  [
    'a folder with a blank',
    'EDGE_VALUE',
    'exportLocation',
    'absolute',
    { ...share, exportLocation: '192.0.2.10:/a b' },
  ],
  [
    'a Service as a server',
    'EDGE_CLUSTER_SERVICE',
    'exportLocation',
    'ClusterIP',
    { ...share, exportLocation: 'nfs.storage.svc:/a' },
  ],
  ['an NFS volume without a size', 'EDGE_MISSING', 'size', "'50Gi'", { ...share, size: undefined }],
  ['an NFS volume of another mode', 'EDGE_VALUE', 'mode', "'in-tree'", { ...share, mode: 'flex' }],
  ['readOnly of an NFS volume', 'EDGE_UNKNOWN_PROPERTY', 'readOnly', 'ReadOnlyMany', { ...share, readOnly: true }],
];

/** Shares that are open to everybody, or that nobody could mount. */
export const shares: BadInput[] = [
  ...manila.map(rows((chart, props) => new ManilaStorageClass(chart, 'x', props))),
  ...credentials.map(rows((chart, props) => new ManilaCredentials(chart, 'x', props))),
  ...volumes.map(rows((chart, props) => new NfsVolume(chart, 'x', props))),
];
