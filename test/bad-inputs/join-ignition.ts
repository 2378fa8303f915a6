import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const join = (props: object): ((chart: Chart) => NodeJoin) => {
  return (chart) => {
    const cluster = EdgeCluster.of({
      openYurt: '1.6',
      kubernetes: '1.30',
      apiServer: '10.0.0.1:6443',
      caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    return new NodeJoin(chart, 'join', untyped({ pool, token, format: 'ignition', ...props }));
  };
};

const file = (path: string): object => ({ files: [{ path, content: '' }] });
const machines = [{ name: 'a' }];

/** What a machine with Ignition cannot be given. */
const rows: readonly (readonly [
  what: string,
  props: object,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
])[] = [
  ['yurtadm', { via: 'yurtadm' }, 'EDGE_JOIN', 'via', "via: 'kubeadm'"],
  ['packages', { packages: { manager: 'apt', version: '1.30.2' } }, 'EDGE_JOIN', 'packages', 'systemd-sysext'],
  ['gzip', { gzip: true }, 'EDGE_CONTRADICTION', 'gzip', 'leave it out'],
  ['a file in /usr', file('/usr/local/bin/tool'), 'EDGE_JOIN', 'files[0].path', '/opt'],
  ['a file in a link to /usr', file('/lib64/tool'), 'EDGE_JOIN', 'files[0].path', '/opt'],
  ['a file in /run', file('/run/edge/token'), 'EDGE_JOIN', 'files[0].path', 'with a command before the join'],
  ['a file in /var/run', file('/var/run/edge/token'), 'EDGE_JOIN', 'files[0].path', '/var'],
  ['CNI in /usr', { cniFolder: '/usr/share/cni' }, 'EDGE_JOIN', 'cniFolder', '/etc'],
  [
    'a file in the place of its unit',
    file('/etc/systemd/system/edge-nodepools-boot.service'),
    'EDGE_RESERVED_KEY',
    'files[0].path',
    'another path',
  ],
  [
    'a host name beside those of machines',
    { machines, ...file('/etc/hostname') },
    'EDGE_RESERVED_KEY',
    'files[0].path',
    'another path',
  ],
  [
    'a network beside those of machines',
    { machines, ...file('/etc/NetworkManager/system-connections/edge-nodepools.nmconnection') },
    'EDGE_RESERVED_KEY',
    'files[0].path',
    'another path',
  ],
];

export const joinIgnition: BadInput[] = rows.map(([what, props, code, path, hint]) => ({
  what: `Ignition with ${what}`,
  code,
  path,
  hint,
  make: join(props),
}));
