import { OpenStackMachines } from 'edge-nodepools/control-plane';
import { type BadInput, pool } from './case.js';
import { type Bad, rows } from './storage.js';

const machines = {
  clusterName: 'edge',
  bootstrapTemplate: 'hz-join-1',
  version: 'v1.34.2',
  flavor: 'm1.small',
  image: 'ubuntu',
};
const ID = '0c5e2b1e-0000-4000-8000-000000000001';

const all: Bad[] = [
  ['machines without a cluster', 'EDGE_MISSING', 'clusterName', 'name:', { ...machines, clusterName: undefined }],
  [
    'a Cluster with a long name',
    'EDGE_NAME',
    'clusterName',
    'at most 63',
    { ...machines, clusterName: 'c'.repeat(64) },
  ],
  [
    'zones that differ in their case only',
    'EDGE_DUPLICATE',
    'failureDomains[1]',
    'name',
    { ...machines, failureDomains: ['AZ1', 'az1'] },
  ],
  [
    'a name that is too long with its zone',
    'EDGE_NAME',
    'name',
    'at most 59',
    { ...machines, name: 'n'.repeat(60), failureDomains: ['az1'] },
  ],
  ['machines without a version', 'EDGE_MISSING', 'version', 'v in front', { ...machines, version: undefined }],
  ['machines of a minor', 'EDGE_VALUE', 'version', 'patch', { ...machines, version: '1.34' }],
  ['machines of another minor', 'EDGE_CONTRADICTION', 'version', 'of the pool', { ...machines, version: 'v1.33.1' }],
  ['machines without a flavor', 'EDGE_MISSING', 'flavor', "'m1.small'", { ...machines, flavor: undefined }],
  ['machines without an image', 'EDGE_MISSING', 'image', 'imageId', { ...machines, image: undefined }],
  ['machines with two images', 'EDGE_CONTRADICTION', 'image', 'either', { ...machines, imageId: ID }],
  ['an image id that is a name', 'EDGE_VALUE', 'imageId', 'UUID', { ...machines, image: undefined, imageId: 'ubuntu' }],
  ['no failure domain', 'EDGE_MATCHES_NOTHING', 'failureDomains', 'leave', { ...machines, failureDomains: [] }],
  ['a disk without a size', 'EDGE_MISSING', 'rootVolume.sizeGib', 'sizeGib: 50', { ...machines, rootVolume: {} }],
  [
    'a disk as Cluster API spells it',
    'EDGE_UNKNOWN_PROPERTY',
    'rootVolume.sizeGiB',
    'sizeGib?',
    { ...machines, rootVolume: { sizeGiB: 50, sizeGib: 50 } },
  ],
  [
    'port security as v1beta1 spells it',
    'EDGE_UNKNOWN_PROPERTY',
    'ports[0].disablePortSecurity',
    'portSecurity: false',
    { ...machines, ports: [{ disablePortSecurity: true }] },
  ],
  [
    'a port in two networks',
    'EDGE_CONTRADICTION',
    'ports[0].network',
    'either',
    { ...machines, ports: [{ network: 'a', networkId: ID }] },
  ],
  [
    'security groups without port security',
    'EDGE_CONTRADICTION',
    'securityGroups',
    'portSecurity',
    { ...machines, ports: [{ portSecurity: false }], securityGroups: ['a'] },
  ],
  [
    'user data of machines',
    'EDGE_UNKNOWN_PROPERTY',
    'userData',
    'KubeadmConfigTemplate',
    { ...machines, userData: '' },
  ],
  ['a version of the provider', 'EDGE_VALUE', 'providerVersion', "'v1beta1'", { ...machines, providerVersion: 'v1' }],
];

/** Machines that OpenStack or Cluster API would not make. */
export const openStackMachines: BadInput[] = all.map(
  rows((chart, props) => new OpenStackMachines(chart, 'x', { pool: pool(chart), ...props })),
);
