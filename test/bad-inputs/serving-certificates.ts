import { EdgeCluster, ServingCertificateApprover } from 'edge-nodepools';
import type { BadInput } from './case.js';
import { type Bad, rows } from './storage.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
const least = { cluster, nodeNames: ['shop-0001'], addresses: ['10.0.0.0/24'] };
const machines = [{ name: 'shop-0001' }];

const changed: [string, Bad[1], string, string | RegExp, object][] = [
  ['an approver without a cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', { cluster: undefined }],
  ['an approver for no node', 'EDGE_MISSING', '', 'machines', { nodeNames: undefined }],
  ['an approver for an empty list of nodes', 'EDGE_MISSING', '', 'namePattern', { nodeNames: [], machines: [] }],
  ['an approver for any address', 'EDGE_MISSING', 'addresses', '10.0.0.0/24', { addresses: undefined }],
  [
    'a machine without an address',
    'EDGE_MISSING',
    'addresses',
    '10.0.0.0/24',
    { nodeNames: [], machines, addresses: [] },
  ],
  ['the whole world of addresses', 'EDGE_VALUE', 'addresses[0]', '10.0.0.0/24', { addresses: ['0.0.0.0/0'] }],
  ['a name for an address', 'EDGE_VALUE', 'addresses[0]', '10.0.0.7', { addresses: ['shop-0001'] }],
  ['a node name with a wildcard', 'EDGE_NAME', 'nodeNames[0]', 'shop-0001', { nodeNames: ['shop-*'] }],
  ['node names as text', 'EDGE_TYPE', 'nodeNames', "['shop-0001']", { nodeNames: 'shop-0001' }],
  ['machines as names', 'EDGE_TYPE', 'machines[0]', 'name:', { machines: ['shop-0001'] }],
  [
    'a machine without a name',
    'EDGE_NAME',
    'machines[0].name',
    'shop-0001',
    { machines: [{ address: '10.0.0.1/24' }] },
  ],
  [
    'a machine with an address of letters',
    'EDGE_VALUE',
    'machines[0].address',
    '10.0.0.7',
    { machines: [{ name: 'a', address: 'x' }] },
  ],
  ['an empty pattern', 'EDGE_VALUE', 'namePattern', 'shop-', { namePattern: '' }],
  ['a long pattern', 'EDGE_VALUE', 'namePattern', 'shop-', { namePattern: 'a'.repeat(1001) }],
  ...['(?=a)b', '(a)\\1', 'a{1001}', '(a{99}){99}', '[', 'a**', '(?i)a', 'a b', '[]a]', '\\z', '(?<n>a)'].map(
    (namePattern): (typeof changed)[number] => [
      `the pattern ${namePattern}, which Go does not read as JavaScript does`,
      'EDGE_VALUE',
      'namePattern',
      'look-ahead',
      { namePattern },
    ],
  ),
  ['text for resolvesNames', 'EDGE_TYPE', 'resolvesNames', 'true', { resolvesNames: 'yes' }],
  ['text for deniesOthers', 'EDGE_TYPE', 'deniesOthers', 'true', { deniesOthers: 'yes' }],
  ['certificates for two years', 'EDGE_VALUE', 'maxDays', '367', { maxDays: 730 }],
  ['certificates for no day', 'EDGE_VALUE', 'maxDays', /1/, { maxDays: 0 }],
  ['no replica', 'EDGE_VALUE', 'replicas', /1/, { replicas: 0 }],
  ['many replicas', 'EDGE_VALUE', 'replicas', '5', { replicas: 9 }],
  ['an image without a tag', 'EDGE_VALUE', 'image', 'kubelet-csr-approver', { image: 'registry.example/approver' }],
  ['a namespace with capitals', 'EDGE_NAME', 'namespace', /./, { namespace: 'Edge' }],
  ['a priority class with a blank', 'EDGE_NAME', 'priorityClassName', /./, { priorityClassName: 'a b' }],
  ['the flag of the program', 'EDGE_UNKNOWN_PROPERTY', 'providerRegex', 'namePattern', { providerRegex: 'x' }],
  ['a pool', 'EDGE_UNKNOWN_PROPERTY', 'pool', 'machines', { pool: 'shops' }],
];

/** Approvers of serving certificates. */
export const servingCertificates: BadInput[] = [
  ...[
    ['an approver as text', 'EDGE_MISSING', '', '{ cluster, machines }', 'approver'] satisfies Bad,
    ...changed.map(([what, code, path, hint, more]): Bad => [what, code, path, hint, { ...least, ...more }]),
  ].map(rows((chart, props) => new ServingCertificateApprover(chart, 'approver', props))),
  {
    what: 'two approvers in a cluster',
    code: 'EDGE_DUPLICATE',
    path: '',
    hint: 'one approver',
    make: (chart) => {
      new ServingCertificateApprover(chart, 'one', least);
      return new ServingCertificateApprover(chart, 'two', least);
    },
  },
  {
    what: 'more names than a process can be given',
    code: 'EDGE_SIZE',
    path: 'nodeNames',
    hint: 'namePattern',
    make: (chart) => {
      const nodeNames = [...Array(3000).keys()].map((index) => `shop-${index}.${'a'.repeat(40)}.example`);
      return new ServingCertificateApprover(chart, 'one', { ...least, nodeNames });
    },
  },
];
