import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});

const join = (boxes: unknown, props: object = {}): ((chart: Chart) => NodeJoin) => {
  return (chart) => {
    const pool = new HostNetworkNodePool(chart, `pool-${chart.node.children.length}`, {
      cluster,
      poolName: `hz-${chart.node.children.length}`,
      labels: { site: 'hz' },
    });
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    return new NodeJoin(chart, `join-${chart.node.children.length}`, untyped({ pool, token, boxes, ...props }));
  };
};

const mac = '52:54:00:12:34:56';
const other = '52:54:00:12:34:57';
const address = '192.0.2.10/24';

/** A box with one wrong property, or a list of boxes. */
const rows: readonly (readonly [
  what: string,
  boxes: unknown,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
])[] = [
  ['no list of boxes', { name: 'a' }, 'EDGE_TYPE', 'boxes', 'shop-0001'],
  ['no boxes', [], 'EDGE_MISSING', 'boxes', 'leave it out'],
  ['text as a box', ['a'], 'EDGE_TYPE', 'boxes[0]', 'shop-0001'],
  ['a box without a name', [{ mac }], 'EDGE_MISSING', 'boxes[0].name', /name/],
  ['a box with capitals', [{ name: 'Shop' }], 'EDGE_NAME', 'boxes[0].name', 'shop'],
  ['a box whose name is a command', [{ name: 'a$(id)' }], 'EDGE_NAME', 'boxes[0].name', 'a-id'],
  ['a box whose name is not ASCII', [{ name: 'köln' }], 'EDGE_NAME', 'boxes[0].name', 'k-ln'],
  ['a box with a long name', [{ name: 'a'.repeat(64) }], 'EDGE_NAME', 'boxes[0].name', 'shorter'],
  ['ip for address', [{ name: 'a', mac, ip: address }], 'EDGE_UNKNOWN_PROPERTY', 'boxes[0].ip', 'address'],
  ['a token in a box', [{ name: 'a', token: 'x' }], 'EDGE_UNKNOWN_PROPERTY', 'boxes[0].token', 'into the join'],
  ['a MAC address of five bytes', [{ name: 'a', mac: '52:54:00:12:34' }], 'EDGE_VALUE', 'boxes[0].mac', mac],
  ['a MAC address of a group', [{ name: 'a', mac: '01:00:5e:00:00:01' }], 'EDGE_VALUE', 'boxes[0].mac', 'ip link'],
  ['an address without a prefix', [{ name: 'a', mac, address: '192.0.2.10' }], 'EDGE_VALUE', 'boxes[0].address', '/24'],
  ['a prefix of 33', [{ name: 'a', mac, address: '192.0.2.10/33' }], 'EDGE_VALUE', 'boxes[0].address', address],
  [
    'the address of a network',
    [{ name: 'a', mac, address: '192.0.2.0/24' }],
    'EDGE_VALUE',
    'boxes[0].address',
    'machine',
  ],
  ['a broadcast address', [{ name: 'a', mac, address: '192.0.2.127/25' }], 'EDGE_VALUE', 'boxes[0].address', 'machine'],
  ['a loopback address', [{ name: 'a', mac, address: '127.0.0.1/8' }], 'EDGE_VALUE', 'boxes[0].address', address],
  ['an address without a MAC address', [{ name: 'a', address }], 'EDGE_MISSING', 'boxes[0].mac', mac],
  [
    'DNS servers without a MAC address',
    [{ name: 'a', nameservers: ['192.0.2.1'] }],
    'EDGE_MISSING',
    'boxes[0].mac',
    mac,
  ],
  [
    'a gateway without an address',
    [{ name: 'a', mac, gateway: '192.0.2.1' }],
    'EDGE_MISSING',
    'boxes[0].address',
    address,
  ],
  [
    'a gateway that is a name',
    [{ name: 'a', mac, address, gateway: 'router' }],
    'EDGE_VALUE',
    'boxes[0].gateway',
    '192.0.2.1',
  ],
  [
    'a gateway in another network',
    [{ name: 'a', mac, address, gateway: '192.0.3.1' }],
    'EDGE_VALUE',
    'boxes[0].gateway',
    'prefix',
  ],
  [
    'an IPv6 gateway for IPv4',
    [{ name: 'a', mac, address, gateway: 'fe80::1' }],
    'EDGE_VALUE',
    'boxes[0].gateway',
    'prefix',
  ],
  [
    'itself as gateway',
    [{ name: 'a', mac, address, gateway: '192.0.2.10' }],
    'EDGE_VALUE',
    'boxes[0].gateway',
    'router',
  ],
  [
    'a DNS server that is none',
    [{ name: 'a', mac, nameservers: ['192.0.2'] }],
    'EDGE_VALUE',
    'boxes[0].nameservers[0]',
    '192.0.2.1',
  ],
  ['an NTP server with a blank', [{ name: 'a', ntp: ['a b'] }], 'EDGE_VALUE', 'boxes[0].ntp[0]', 'pool.ntp.org'],
  ['a label with a line end', [{ name: 'a', labels: { k: 'a\nname=b' } }], 'EDGE_LABEL', 'boxes[0].labels.k', /./],
  [
    'a label that kubelet may not set',
    [{ name: 'a', labels: { 'node-role.kubernetes.io/edge': '' } }],
    'EDGE_RESERVED_KEY',
    'boxes[0].labels["node-role.kubernetes.io/edge"]',
    'kubectl',
  ],
  [
    'the label of the pool',
    [{ name: 'a', labels: { 'apps.openyurt.io/nodepool': 'b' } }],
    'EDGE_RESERVED_KEY',
    'boxes[0].labels["apps.openyurt.io/nodepool"]',
    'leave it out',
  ],
  [
    'a label that the pool gives',
    [{ name: 'a', labels: { site: 'b' } }],
    'EDGE_RESERVED_KEY',
    'boxes[0].labels.site',
    'leave it out',
  ],
  [
    'a token as a label',
    [{ name: 'a', labels: { k: 'k3x9q2.7v1m0c8z4b6n5j2h' } }],
    'EDGE_TOKEN',
    'boxes[0].labels.k',
    'another',
  ],
  ['two boxes of one name', [{ name: 'a' }, { name: 'a' }], 'EDGE_DUPLICATE', 'boxes[1].name', 'its own'],
  [
    'two boxes with one MAC address',
    [
      { name: 'a', mac },
      { name: 'b', mac: mac.replaceAll(':', '-') },
    ],
    'EDGE_DUPLICATE',
    'boxes[1].mac',
    'its own',
  ],
  [
    'two boxes with one address',
    [
      { name: 'a', mac, address },
      { name: 'b', mac: other, address: '192.0.2.10/16' },
    ],
    'EDGE_DUPLICATE',
    'boxes[1].address',
    'a join each',
  ],
  [
    'two boxes with one IPv6 address',
    [
      { name: 'a', mac, address: 'fd00::a/64' },
      { name: 'b', mac: other, address: 'FD00:0::000A/64' },
    ],
    'EDGE_DUPLICATE',
    'boxes[1].address',
    'its own',
  ],
];

/** The machines of a join. */
export const joinBoxes: BadInput[] = [
  ...rows.map(([what, boxes, code, path, hint]): BadInput => ({ what, code, path, hint, make: join(boxes) })),
  {
    what: 'nodeName beside boxes',
    code: 'EDGE_CONTRADICTION',
    path: 'boxes',
    hint: 'leave one out',
    make: join([{ name: 'a' }], { nodeName: 'b' }),
  },
  ...[{ name: 'a' }, { name: 'c', mac: mac.toUpperCase() }].map((box): BadInput => {
    const property = 'mac' in box ? 'mac' : 'name';
    return {
      what: `a box with the ${property} of a box of another join`,
      code: 'EDGE_DUPLICATE',
      path: `boxes[0].${property}`,
      hint: 'one join',
      make: (chart) => [join([{ name: 'a', mac, address }])(chart), join([box])(chart)],
    };
  }),
];
