/** What Nodes and the ConfigMap of kubeadm show for the joins of a cluster. */
import { createHash, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { EdgeCluster, NodeReservation } from 'edge-nodepools';
import { findReservations } from '../../src/import/found-reservations.js';
import { CA } from '../bad-inputs/certificates.js';
import { runs } from '../depth.js';
import { distOf, imported, moduleOf, RELEASES } from './programs.js';

const cluster = EdgeCluster.of(RELEASES);

const node = (name: string, pool: string, capacity: object, allocatable: object): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, labels: { 'apps.openyurt.io/nodepool': pool } },
  status: { capacity, allocatable },
});

const CAPACITY = { cpu: '4', memory: '8040212Ki', 'ephemeral-storage': '61255492Ki' };
const asNode = ({ ephemeralStorage, ...others }: Record<string, string>): object => ({
  ...others,
  'ephemeral-storage': ephemeralStorage,
});
const withReservation = (reservation: NodeReservation): object =>
  asNode(reservation.allocatable({ cpu: '4', memory: '8040212Ki', ephemeralStorage: '61255492Ki' }));

/** The reservation that a text declares. */
const declared = (text: string): NodeReservation =>
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('NodeReservation', `return ${text}`)(NodeReservation) as NodeReservation;

it('a reservation that Nodes show leaves what they have', () => {
  const amount = (unit: string): fc.Arbitrary<string> =>
    fc.integer({ min: 1, max: 900 }).map((each) => `${each}${unit}`);
  const resources = fc.record(
    { cpu: amount('m'), memory: amount('Mi'), ephemeralStorage: amount('Mi') },
    { requiredKeys: ['cpu'] },
  );
  fc.assert(
    fc.property(resources, fc.option(resources, { nil: undefined }), (kubeReserved, systemReserved) => {
      const allocatable = withReservation(NodeReservation.of({ kubeReserved, systemReserved }));
      const nodes = ['a', 'b'].map((name) => node(name, 'berlin', CAPACITY, allocatable));
      const [found, ...others] = findReservations(nodes as never, cluster);
      expect([found?.pool, found?.nodes, others]).toEqual(['berlin', 2, []]);
      expect(withReservation(declared(found?.text ?? ''))).toEqual(allocatable);
    }),
    runs(200),
  );
});

it('is not guessed: Nodes that differ, other thresholds, and Nodes that reserve nothing', () => {
  const small = NodeReservation.of({ kubeReserved: { cpu: '100m' } });
  const none = withReservation(NodeReservation.of({}));
  const nodes = [
    node('a', 'differ', CAPACITY, withReservation(small)),
    node('b', 'differ', CAPACITY, none),
    node('c', 'thresholds', CAPACITY, CAPACITY),
    node('d', 'nothing', CAPACITY, none),
    node('e', 'says-nothing', {}, {}),
  ];
  expect(findReservations(nodes as never, cluster)).toEqual([
    { pool: 'differ', nodes: 2, text: 'its Nodes differ: kubectl describe node' },
    { pool: 'nothing', nodes: 1, text: '' },
    { pool: 'says-nothing', nodes: 1, text: '' },
    { pool: 'thresholds', nodes: 1, text: expect.stringContaining('read evictionHard on a node') },
  ]);
});

it('takes a rounded share for kubelet’s', () => {
  const [found] = findReservations(
    [node('a', 'berlin', { 'ephemeral-storage': '30Gi' }, { 'ephemeral-storage': '27Gi' })] as never,
    cluster,
  );
  expect(found?.text).toBe('');
});

describe('an import', () => {
  const kubeconfig = (server: string): string =>
    [
      'apiVersion: v1',
      'clusters:',
      '- cluster:',
      `    certificate-authority-data: ${Buffer.from(CA).toString('base64')}`,
      `    server: ${server}`,
      '  name: ""',
      'kind: Config',
      '',
    ].join('\n');
  const clusterInfo = (server: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig: kubeconfig(server) },
  });
  const pool = {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'berlin' },
    spec: { type: 'Edge', hostNetwork: true },
  };
  const allocatable = withReservation(NodeReservation.of({ kubeReserved: { cpu: '100m', memory: '256Mi' } }));

  it('has the address and the CA of the cluster in its program, and the reservations in its report', () => {
    const program = imported([clusterInfo('https://10.0.0.1:6443'), pool, node('a', 'berlin', CAPACITY, allocatable)]);
    const { cluster: written } = moduleOf(program, 'cluster') as { cluster: EdgeCluster };
    const key = new X509Certificate(CA).publicKey.export({ type: 'spki', format: 'der' });
    const hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    expect([written.apiServer, written.caCertHashes]).toEqual(['10.0.0.1:6443', [hash]]);
    expect(program.report).toMatch(
      /^berlin +expectedNodes: 1 +NodeReservation\.of\({ kubeReserved: { cpu: '100m', memory: '256Mi' } }\)$/m,
    );
    expect(imported(distOf(program)).files).toEqual(program.files);
  });

  it('has the address of kubeadm-config where cluster-info is not there, and yurthub', () => {
    const config = (endpoint: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
      data: { ClusterConfiguration: `apiServer: {}\n${endpoint}kind: ClusterConfiguration\n` },
    });
    const yurthub = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtStaticSet',
      metadata: { name: 'yurt-hub', namespace: 'kube-system' },
      spec: { staticPodManifest: 'yurthub' },
    };
    const program = imported([config('controlPlaneEndpoint: kube.example\n'), yurthub, pool]);
    const { cluster: written } = moduleOf(program, 'cluster') as { cluster: EdgeCluster };
    expect([written.apiServer, written.caCertHashes, written.yurthub]).toEqual(['kube.example:6443', [], true]);
    expect(imported(distOf(program)).files).toEqual(program.files);
    const { cluster: without } = moduleOf(imported([config(''), pool]), 'cluster') as { cluster: EdgeCluster };
    expect([without.apiServer, without.yurthub]).toEqual([undefined, undefined]);
  });

  it.each([
    ['https://kube.example', 'kube.example:443'],
    ['https://a:b', undefined],
    ['not an address', undefined],
  ])('has no address that no join can use: %s', (server, address) => {
    const program = imported([clusterInfo(server), pool]);
    expect((moduleOf(program, 'cluster') as { cluster: EdgeCluster }).cluster.apiServer).toBe(address);
  });
});
