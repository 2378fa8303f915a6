import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});

const join = (machines: unknown, props: object = {}): ((chart: Chart) => NodeJoin) => {
  return (chart) => {
    const pool = new HostNetworkNodePool(chart, `pool-${chart.node.children.length}`, {
      cluster,
      poolName: `hz-${chart.node.children.length}`,
      labels: { site: 'hz' },
    });
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    return new NodeJoin(chart, `join-${chart.node.children.length}`, untyped({ pool, token, machines, ...props }));
  };
};

const mac = '52:54:00:12:34:56';
const other = '52:54:00:12:34:57';
const address = '192.0.2.10/24';

/** A machine with one wrong property, or a list of machines. */
const rows: readonly (readonly [
  what: string,
  machines: unknown,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
])[] = [
  ['no list of machines', { name: 'a' }, 'EDGE_TYPE', 'machines', 'shop-0001'],
  ['no machines', [], 'EDGE_MISSING', 'machines', 'leave it out'],
  ['text as a machine', ['a'], 'EDGE_TYPE', 'machines[0]', "write { name: 'a' }"],
  ['a machine without a name', [{ mac }], 'EDGE_MISSING', 'machines[0].name', /name/],
  ['a machine with capitals', [{ name: 'Shop' }], 'EDGE_NAME', 'machines[0].name', 'shop'],
  ['a machine whose name is a command', [{ name: 'a$(id)' }], 'EDGE_NAME', 'machines[0].name', 'a-id'],
  ['a machine whose name is not ASCII', [{ name: 'köln' }], 'EDGE_NAME', 'machines[0].name', 'k-ln'],
  ['a machine with a long name', [{ name: 'a'.repeat(64) }], 'EDGE_NAME', 'machines[0].name', 'shorter'],
  ['ip for address', [{ name: 'a', mac, ip: address }], 'EDGE_UNKNOWN_PROPERTY', 'machines[0].ip', 'address'],
  ['a token in a machine', [{ name: 'a', token: 'x' }], 'EDGE_UNKNOWN_PROPERTY', 'machines[0].token', 'in the join'],
  ['a MAC address of five bytes', [{ name: 'a', mac: '52:54:00:12:34' }], 'EDGE_VALUE', 'machines[0].mac', mac],
  ['a MAC address of a group', [{ name: 'a', mac: '01:00:5e:00:00:01' }], 'EDGE_VALUE', 'machines[0].mac', 'ip link'],
  [
    'an address without a prefix',
    [{ name: 'a', mac, address: '192.0.2.10' }],
    'EDGE_VALUE',
    'machines[0].address',
    '/24',
  ],
  ['a prefix of 33', [{ name: 'a', mac, address: '192.0.2.10/33' }], 'EDGE_VALUE', 'machines[0].address', address],
  [
    'the address of a network',
    [{ name: 'a', mac, address: '192.0.2.0/24' }],
    'EDGE_VALUE',
    'machines[0].address',
    'machine',
  ],
  [
    'a broadcast address',
    [{ name: 'a', mac, address: '192.0.2.127/25' }],
    'EDGE_VALUE',
    'machines[0].address',
    'machine',
  ],
  ['a loopback address', [{ name: 'a', mac, address: '127.0.0.1/8' }], 'EDGE_VALUE', 'machines[0].address', address],
  ['an address without a MAC address', [{ name: 'a', address }], 'EDGE_MISSING', 'machines[0].mac', mac],
  [
    'DNS servers without a MAC address',
    [{ name: 'a', nameservers: ['192.0.2.1'] }],
    'EDGE_MISSING',
    'machines[0].mac',
    mac,
  ],
  [
    'a gateway without an address',
    [{ name: 'a', mac, gateway: '192.0.2.1' }],
    'EDGE_MISSING',
    'machines[0].address',
    address,
  ],
  [
    'a gateway that is a name',
    [{ name: 'a', mac, address, gateway: 'router' }],
    'EDGE_VALUE',
    'machines[0].gateway',
    '192.0.2.1',
  ],
  [
    'a gateway in another network',
    [{ name: 'a', mac, address, gateway: '192.0.3.1' }],
    'EDGE_VALUE',
    'machines[0].gateway',
    'prefix',
  ],
  [
    'an IPv6 gateway for IPv4',
    [{ name: 'a', mac, address, gateway: 'fe80::1' }],
    'EDGE_VALUE',
    'machines[0].gateway',
    'prefix',
  ],
  [
    'itself as gateway',
    [{ name: 'a', mac, address, gateway: '192.0.2.10' }],
    'EDGE_VALUE',
    'machines[0].gateway',
    'router',
  ],
  [
    'a DNS server that is none',
    [{ name: 'a', mac, nameservers: ['192.0.2'] }],
    'EDGE_VALUE',
    'machines[0].nameservers[0]',
    '192.0.2.1',
  ],
  ['an NTP server with a blank', [{ name: 'a', ntp: ['a b'] }], 'EDGE_VALUE', 'machines[0].ntp[0]', 'pool.ntp.org'],
  ['a label with a line end', [{ name: 'a', labels: { k: 'a\nname=b' } }], 'EDGE_LABEL', 'machines[0].labels.k', /./],
  [
    'a label that kubelet may not set',
    [{ name: 'a', labels: { 'node-role.kubernetes.io/edge': '' } }],
    'EDGE_RESERVED_KEY',
    'machines[0].labels["node-role.kubernetes.io/edge"]',
    'kubectl',
  ],
  [
    'a label that kubelet sets',
    [{ name: 'a', labels: { 'kubernetes.io/os': 'windows' } }],
    'EDGE_RESERVED_KEY',
    'machines[0].labels["kubernetes.io/os"]',
    'leave it out',
  ],
  [
    'the label of the pool',
    [{ name: 'a', labels: { 'apps.openyurt.io/nodepool': 'b' } }],
    'EDGE_RESERVED_KEY',
    'machines[0].labels["apps.openyurt.io/nodepool"]',
    'leave it out',
  ],
  [
    'a label that the pool gives',
    [{ name: 'a', labels: { site: 'b' } }],
    'EDGE_RESERVED_KEY',
    'machines[0].labels.site',
    'leave it out',
  ],
  [
    'a token as a label',
    [{ name: 'a', labels: { k: 'k3x9q2.7v1m0c8z4b6n5j2h' } }],
    'EDGE_TOKEN',
    'machines[0].labels.k',
    'another',
  ],
  [
    'a machine with the address of the API server',
    [{ name: 'a', mac, address: '10.0.0.1/8' }],
    'EDGE_DUPLICATE',
    'machines[0].address',
    'its own',
  ],
  ['two machines of one name', [{ name: 'a' }, { name: 'a' }], 'EDGE_DUPLICATE', 'machines[1].name', 'its own'],
  [
    'two machines with one MAC address',
    [
      { name: 'a', mac },
      { name: 'b', mac: mac.replaceAll(':', '-') },
    ],
    'EDGE_DUPLICATE',
    'machines[1].mac',
    'its own',
  ],
  [
    'two machines with one address',
    [
      { name: 'a', mac, address },
      { name: 'b', mac: other, address: '192.0.2.10/16' },
    ],
    'EDGE_DUPLICATE',
    'machines[1].address',
    'their own join',
  ],
  [
    'two machines with one IPv6 address',
    [
      { name: 'a', mac, address: 'fd00::a/64' },
      { name: 'b', mac: other, address: 'FD00:0::000A/64' },
    ],
    'EDGE_DUPLICATE',
    'machines[1].address',
    'its own',
  ],
];

/** The machines of a join. */
export const joinMachines: BadInput[] = [
  ...rows.map(([what, machines, code, path, hint]): BadInput => ({ what, code, path, hint, make: join(machines) })),
  {
    what: 'nodeName beside machines',
    code: 'EDGE_CONTRADICTION',
    path: 'machines',
    hint: 'leave one out',
    make: join([{ name: 'a' }], { nodeName: 'b' }),
  },
  ...[{ name: 'a' }, { name: 'c', mac: mac.toUpperCase() }].map((machine): BadInput => {
    const property = 'mac' in machine ? 'mac' : 'name';
    return {
      what: `a machine with the ${property} of a machine of another join`,
      code: 'EDGE_DUPLICATE',
      path: `machines[0].${property}`,
      hint: 'one join',
      make: (chart) => [join([{ name: 'a', mac, address }])(chart), join([machine])(chart)],
    };
  }),
];
