import { EdgeCluster } from 'edge-nodepools';
import { KuryrKubernetes, type KuryrKubernetesProps } from 'edge-nodepools/control-plane';
import type { BadInput } from './case.js';
import { type Bad, rows } from './storage.js';

const ID = '0c5e2b1e-0000-4000-8000-000000000001';
const keystone = { authUrl: 'https://keystone.example/v3', applicationCredential: { id: 'one', secret: 'two' } };

/** The least that kuryr needs. */
export const KURYR: KuryrKubernetesProps = {
  cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '10.0.0.1:6443' }),
  acknowledgeRetired: true,
  images: {
    controller: 'registry.example/kuryr-controller:10.0.0',
    cni: 'registry.example/kuryr-cni:10.0.0',
  },
  keystone,
  project: '0c5e2b1e000040008000000000000002',
  podSubnet: ID,
  podSecurityGroups: [ID],
};

const image = (cni: unknown): object => ({ images: { ...KURYR.images, cni } });
const login = (more: object): object => ({ keystone: { ...keystone, ...more } });
const user = { userName: 'a', domainName: 'b', projectName: 'c', password: 'canary\nauth_url = evil' };

const changed: [string, Bad[1], string, string, object][] = [
  ['kuryr as if it were supported', 'EDGE_MISSING', 'acknowledgeRetired', 'Cilium', { acknowledgeRetired: undefined }],
  ['kuryr, not acknowledged', 'EDGE_VALUE', 'acknowledgeRetired', 'need no CNI', { acknowledgeRetired: false }],
  ['kuryr without a cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', { cluster: undefined }],
  [
    'kuryr without an address of the API server',
    'EDGE_API_SERVER',
    'cluster.apiServer',
    "apiServer: '10.0.0.1:6443'",
    { cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }) },
  ],
  ['kuryr without images', 'EDGE_MISSING', 'images.controller', 'build it', { images: undefined }],
  ['one image of kuryr', 'EDGE_TYPE', 'images', '{ controller, cni }', { images: 'kuryr/cni:10.0.0' }],
  ['an image of kuryr without a tag', 'EDGE_VALUE', 'images.cni', 'kuryr-cni:10.0.0', image('kuryr/cni')],
  ['the latest image of kuryr', 'EDGE_VALUE', 'images.cni', 'digest', image('kuryr/cni:latest')],
  ['kuryr without credentials', 'EDGE_MISSING', 'keystone', 'secretName', { keystone: undefined }],
  ['credentials of kuryr twice', 'EDGE_CONTRADICTION', 'keystone', 'either', { secretName: 'mine' }],
  [
    'a Secret of its own in the manifests',
    'EDGE_UNUSED',
    'inManifest',
    'remove it',
    { keystone: undefined, secretName: 'mine', inManifest: true },
  ],
  [
    'kuryr without a way to authenticate',
    'EDGE_MISSING',
    'keystone.applicationCredential',
    'password',
    login({ applicationCredential: undefined }),
  ],
  [
    'kuryr with two ways to authenticate',
    'EDGE_CONTRADICTION',
    'keystone.applicationCredential',
    'either',
    login({ password: { ...user, password: 'a' } }),
  ],
  [
    'a password of two lines',
    'EDGE_VALUE',
    'keystone.password.password',
    'control character',
    login({ applicationCredential: undefined, password: user }),
  ],
  [
    'a Keystone without encryption',
    'EDGE_VALUE',
    'keystone.authUrl',
    "'https://",
    login({ authUrl: 'http://keystone.example/v3' }),
  ],
  ['a Keystone without a scheme', 'EDGE_VALUE', 'keystone.authUrl', "'https://", login({ authUrl: 'keystone' })],
  ['certificates that are a path', 'EDGE_CA_BUNDLE', 'caCertificates', 'BEGIN', { caCertificates: '/etc/ca.crt' }],
  ['a project by its name', 'EDGE_VALUE', 'project', 'UUID', { project: 'k8s' }],
  ['kuryr without a subnet', 'EDGE_MISSING', 'podSubnet', 'UUID', { podSubnet: undefined }],
  ['no security group', 'EDGE_MISSING', 'podSecurityGroups', 'security group list', { podSecurityGroups: [] }],
  ['a security group by its name', 'EDGE_VALUE', 'podSecurityGroups[0]', 'UUID', { podSecurityGroups: ['default'] }],
  ['a driver that does not work', 'EDGE_VALUE', 'vifDriver', 'nested-vlan', { vifDriver: 'nested-macvlan' }],
  ['a driver that does not exist', 'EDGE_VALUE', 'vifDriver', "'neutron-vif'", { vifDriver: 'bridge' }],
  ['trunks without subnets', 'EDGE_MISSING', 'workerSubnets', '[id]', { vifDriver: 'nested-vlan' }],
  ['subnets of nodes without trunks', 'EDGE_UNUSED', 'workerSubnets', 'nested-vlan', { workerSubnets: [ID] }],
  ['a trunk without trunks', 'EDGE_UNUSED', 'linkInterface', 'nested-vlan', { linkInterface: 'eth0' }],
  ['a bridge with a blank', 'EDGE_VALUE', 'ovsBridge', "'eth0'", { ovsBridge: 'br int' }],
  ['a pool that is smaller than its least', 'EDGE_CONTRADICTION', 'pool.batch', 'max: 10', { pool: { max: 5 } }],
  ['Octavia', 'EDGE_UNKNOWN_PROPERTY', 'serviceSubnet', 'kube-proxy', { serviceSubnet: ID }],
  ['the address of the API server', 'EDGE_UNKNOWN_PROPERTY', 'apiRoot', 'in the cluster', { apiRoot: 'https://a' }],
];

/** kuryr that would not start, or that would tell its password. */
export const kuryr: BadInput[] = [
  ...changed.map(([what, code, path, hint, more]): Bad => [what, code, path, hint, { ...KURYR, ...more }]),
  ['kuryr without properties', 'EDGE_MISSING', '', 'acknowledgeRetired', undefined] satisfies Bad,
].map((one) => rows((chart, props) => new KuryrKubernetes(chart, 'x', props))(one));
