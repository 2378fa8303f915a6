/** `check` on a dump: Nodes that differ from their pools, and pools that an upgrade of OpenYurt converts. */
import fc from 'fast-check';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, RegularNodePool } from 'edge-nodepools';
import { checkManifests } from 'edge-nodepools/checks';
import { App, Chart } from 'cdk8s';
import { OPENYURT_RELEASES } from '../../src/cluster/openyurt-releases.js';
import { reportNodes } from '../../src/fleet/node-report.js';
import { runs } from '../depth.js';

const MEMBER = 'apps.openyurt.io/nodepool';
const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const TAINT = { key: 'site', value: 'hz', effect: 'NoSchedule' };

const pool = (name: string, version: string, hostNetwork: boolean, annotations = {}): object => ({
  apiVersion: `apps.openyurt.io/${version}`,
  kind: 'NodePool',
  metadata: { name, annotations },
  spec: { type: 'Edge', ...(hostNetwork ? { hostNetwork } : {}), taints: hostNetwork ? [TAINT] : [] },
});
const node = (name: string, labels: object, taints: object[] = []): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
});
const found = (...objects: object[]): string[] =>
  checkManifests(objects).findings.map(({ level, code, object, path }) => `${level} ${code} ${object} ${path}`);

const right = node('right', { [MEMBER]: 'hz', [HOST_NETWORK]: 'true' }, [TAINT]);
const hz = pool('hz', 'v1beta2', true);

describe('check of a dump', () => {
  it('finds no fault of a Node that is as its pool requires', () => {
    expect(
      found(hz, pool('office', 'v1beta2', false), right, node('any', {}), node('desk', { [MEMBER]: 'office' })),
    ).toEqual([]);
  });

  it.each([
    ['without the label', node('n', { [MEMBER]: 'hz' }, [TAINT]), 'metadata.labels'],
    ['without the taint', node('n', { [MEMBER]: 'hz', [HOST_NETWORK]: 'true' }), 'spec.taints'],
    ['of a pool that does not exist', node('n', { [MEMBER]: 'gone' }), 'metadata.labels'],
    ['with the label in no pool', node('n', { [HOST_NETWORK]: 'true' }), 'metadata.labels'],
  ])('finds a Node %s', (_, wrong, path) => {
    expect(found(hz, right, wrong)).toEqual([`error EDGE_NODE Node n ${path}`]);
  });

  it('finds a Pod on a host-network node that is not a hostNetwork Pod', () => {
    const pod = (hostNetwork: boolean): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        namespace: 'shop',
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web', controller: true }],
      },
      spec: { nodeName: 'right', hostNetwork, containers: [{ name: 'web', image: 'web' }] },
    });
    expect(found(hz, right, pod(true))).toEqual([]);
    expect(found(hz, right, pod(false))).toContain('error EDGE_NODE Node right metadata.name');
  });

  it('finds each fault that the command nodes finds, and no other', () => {
    const labels = fc.record(
      { [MEMBER]: fc.constantFrom('hz', 'office', 'gone'), [HOST_NETWORK]: fc.constantFrom('true', 'false') },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(labels, fc.subarray([TAINT])), { maxLength: 6 }), (given) => {
        const objects = [
          hz,
          pool('office', 'v1beta2', false),
          ...given.map(([own, taints], index) => node(`n${index}`, own, taints)),
        ];
        const { nodes } = reportNodes(objects as Record<string, unknown>[]);
        const wanted = nodes.flatMap(({ name, findings }) => findings.map(({ what }) => `Node ${name}: ${what}`));
        const seen = checkManifests(objects).findings.filter(({ code }) => code === 'EDGE_NODE');
        expect(seen.map(({ object, message }) => `${object}: ${message}`).sort()).toEqual(wanted.sort());
      }),
      runs(100),
    );
  });
});

describe('check of pools', () => {
  it.each([
    ['a host-network pool without the annotation', pool('p', 'v1beta1', true), 'warning'],
    ['a regular pool with the annotation', pool('p', 'v1beta1', false, { [HOST_NETWORK]: 'true' }), 'warning'],
    ['a pool that was converted back', pool('p', 'v1beta2', false, { [HOST_NETWORK]: 'true' }), 'error'],
  ])('finds %s', (_, wrong, level) => {
    expect(found(wrong)).toEqual([`${level} EDGE_POOL_CONVERSION NodePool p metadata.annotations`]);
  });

  it('finds a pool that an upgrade has converted by its nodes', () => {
    const member = node('n', { [MEMBER]: 'p', [HOST_NETWORK]: 'true' });
    expect(found(pool('p', 'v1beta2', false), member)).toContain(
      'error EDGE_POOL_CONVERSION NodePool p metadata.annotations',
    );
  });

  it.each(OPENYURT_RELEASES.map(({ release }) => release))(
    'finds nothing in the pools of a program for %s',
    (openYurt) => {
      const chart = new Chart(new App(), 'fleet');
      const cluster = EdgeCluster.of({ openYurt, kubernetes: '1.30' });
      new HostNetworkNodePool(chart, 'edge', { cluster, poolName: 'hz' });
      new RegularNodePool(chart, 'office', { cluster, poolName: 'office' });
      expect(found(...manifestsOf(chart))).toEqual([]);
    },
  );
});
