/** What becomes of workloads on Nodes that differ from each other, or from their NodePool. */
import { provesNoPodNetwork } from 'edge-nodepools/checks';
import { fleetOverview } from '../../src/placement/fleet-overview.js';
import {
  affinity,
  cpu,
  fields,
  hn,
  hostname,
  node,
  ofSize,
  on,
  pool,
  port,
  ssd,
  two,
  withTaint,
  workload,
} from './dumped.js';

describe('Nodes of a dump', () => {
  it.each<[what: string, told: string, expected: RegExp]>([
    ['a label of all', on('hn', ...two({ labels: { disktype: 'ssd' } }), workload('Deployment', ssd)), /^runs$/],
    ['a label of one', on('hn', ...two({ labels: { disktype: 'ssd' } }, {}), workload('Deployment', ssd)), /^runs$/],
    ['a label of none', on('hn', ...two({}), workload('Deployment', ssd)), /^excluded: nodeSelector disktype=ssd$/],
    [
      'a label that must be absent',
      on(
        'hn',
        ...two({ labels: { disktype: 'ssd' } }),
        workload('Deployment', affinity({ matchExpressions: [{ key: 'disktype', operator: 'DoesNotExist' }] })),
      ),
      /^excluded: requires disktype DoesNotExist$/,
    ],
    [
      'a label that lets a Pod without hostNetwork in',
      on('hn', ...two({ labels: { disktype: 'ssd' } }, {}), workload('Deployment', { ...ssd, hostNetwork: false })),
      /^never starts: /,
    ],
    ['the name of one', on('hn', ...two({}), workload('Deployment', hostname)), /^runs$/],
    ['a field', on('hn', ...two({}), workload('Deployment', fields('In'))), /^runs$/],
    [
      'the name of one elsewhere',
      on('b', ...two({}), pool('b', false), workload('Deployment', hostname)),
      /^excluded: /,
    ],
    ['a taint of all', on('hn', ...two(withTaint), workload('Deployment', {})), /^excluded: taint dedicated/],
    ['a taint of one', on('hn', ...two(withTaint, {}), workload('Deployment', {})), /^runs$/],
    [
      'a taint that only the pool has',
      on(
        'hn',
        ...two({}).map((each, index) =>
          index === 0 ? { ...each, spec: { ...each.spec, taints: withTaint.spec.taints } } : each,
        ),
        workload('Deployment', {}),
      ),
      /^runs$/,
    ],
    [
      'a cordon',
      on('hn', ...two({ spec: { unschedulable: true } }), workload('Deployment', {})),
      /^excluded: the node is cordoned$/,
    ],
    [
      'a cordon, of a DaemonSet',
      on('hn', ...two({ spec: { unschedulable: true } }), workload('DaemonSet', {})),
      /^runs$/,
    ],
    [
      'ports of cordoned nodes',
      on('hn', ...two({ spec: { unschedulable: true } }, {}), workload('Deployment', port, { replicas: 2 })),
      /^port taken: 80\/TCP is free on 1 of 1 node, for 2 Pods$/,
    ],
    [
      'room that a DaemonSet takes on large nodes only',
      on(
        'hn',
        hn,
        node('n1', 'hn', ofSize('1')),
        node('n2', 'hn', ofSize('4')),
        { ...workload('DaemonSet', cpu('2')), metadata: { name: 'agent', namespace: 'default' } },
        workload('Deployment', cpu('3')),
      ),
      /^no room: cpu/,
    ],
  ])('%s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });

  it.each<[what: string, podSpec: object, expected: RegExp]>([
    ['a hostname', hostname, /^unknown: it depends on the label kubernetes.io\/hostname/],
    ['a field', fields('In'), /^unknown: /],
    ['a node', { nodeName: 'n1' }, /^unknown: whether node n1 is in the pool/],
    [
      'all but a hostname',
      affinity({ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['n1'] }] }),
      /^runs$/,
    ],
    ['all but a field', fields('NotIn'), /^runs$/],
  ])('without any, nobody knows where %s is', (_, podSpec, expected) => {
    expect(on('hn', hn, workload('Deployment', podSpec))).toMatch(expected);
    const without = workload('Deployment', { ...podSpec, hostNetwork: false });
    const [proof] = provesNoPodNetwork([hn, without], { pods: 'written' });
    expect(proof?.outcome).not.toBe('proven');
  });

  it('Nodes in no pool are told apart by what they are for, and may differ otherwise', () => {
    const control = { spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] } };
    const away = { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] } };
    const nodes = [
      node('cp', undefined, control),
      node('a', undefined),
      node('b', undefined, { labels: { disktype: 'ssd' } }),
      node('c', undefined, away),
    ];
    for (const order of [nodes, [...nodes].reverse()]) {
      const { groups } = fleetOverview([...order, workload('Deployment', ssd)]);
      expect(Object.fromEntries(groups.map(({ pools, nodes: count, runs }) => [pools.join(), [count, runs]]))).toEqual({
        '(no pool)': [3, ['Deployment default/w']],
        '(no pool, taint node-role.kubernetes.io/control-plane)': [1, []],
      });
    }
  });

  it('Pods that can be in several pools need a node each for a port', () => {
    const objects = [hn, node('n1', 'hn'), pool('b', false), node('n2', 'b')];
    const web = (replicas: number): any => workload('Deployment', port, { replicas });
    expect(on('b', ...objects, web(3))).toBe('port taken: 80/TCP is free on 2 nodes of 2 pools, for 3 Pods');
    expect([on('hn', ...objects, web(2)), on('hn', ...objects, pool('c', false), web(9))]).toEqual(['runs', 'runs']);
  });

  it('a number of nodes that is given counts where no Nodes are', () => {
    const three = workload('Deployment', port, { replicas: 3 });
    const told = (count: number): unknown =>
      fleetOverview([hn, three], new Map([['hn', count]])).groups.map(({ runs, others }) => [
        runs.length,
        others.length,
      ]);
    expect([told(2), told(3)]).toEqual([[[0, 1]], [[1, 0]]]);
  });
});
