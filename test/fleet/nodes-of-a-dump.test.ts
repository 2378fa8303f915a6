/** What becomes of workloads on Nodes that differ from each other, or from their NodePool. */
import fc from 'fast-check';
import { provesNoPodNetwork } from 'edge-nodepools/checks';
import { fleetOverview } from '../../src/fleet/fleet-overview.js';
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
import { runs } from '../depth.js';
import { explainOnNode, explainOnPools } from '../../src/fleet/placement-reasons.js';

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

/** What the volumes of a dump say of workloads: `show` and `explain --node` alike. */
describe('room for equal Pods', () => {
  const gpu = 'example.com/gpu';
  it('is on each node what the scarcest resource, the Pods and the ports leave', () => {
    const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
    const size = fc.record({ cpu: upTo(8), memory: upTo(8) });
    const taken = fc.record({
      of: fc.record({ cpu: upTo(2), memory: upTo(2) }),
      replicas: upTo(16),
      hasPort: fc.boolean(),
    });
    const machine = fc.record({ of: size, pods: upTo(8) });
    fc.assert(
      fc.property(fc.array(machine, { minLength: 1, maxLength: 4 }), taken, (machines, { of, replicas, hasPort }) => {
        const nodes = machines.map(({ of: { cpu: cores, memory }, pods }, index) =>
          node(`n${index}`, 'hn', {
            status: { allocatable: { cpu: String(cores), memory: `${memory}Gi`, pods: String(pods) } },
          }),
        );
        const main = {
          name: 'w',
          resources: { requests: { cpu: String(of.cpu), memory: `${of.memory}Gi` } },
          ...(hasPort ? { ports: [{ containerPort: 80 }] } : {}),
        };
        const most = machines
          .map((each) => [each.of.cpu / of.cpu, each.of.memory / of.memory, each.pods, ...(hasPort ? [1] : [])])
          .reduce((sum, limits) => sum + Math.floor(Math.min(...limits)), 0);
        const told = on('hn', hn, ...nodes, workload('Deployment', { containers: [main] }, { replicas }));
        expect(told === 'runs').toBe(replicas <= most);
      }),
      runs(2000),
    );
  });

  it('is not of a device that the node does not have, for a Pod that names the node', () => {
    const main = { name: 'w', resources: { limits: { [gpu]: 1 } } };
    const named = workload('Deployment', { nodeName: 'n1', containers: [main] });
    const objects = [...two(ofSize('2')), named];
    expect([on('hn', ...objects), explainOnNode(objects, named, 'n1')?.outcome]).toEqual(['runs', 'runs']);
    const without = workload('Deployment', { containers: [main] });
    expect(on('hn', ...two(ofSize('2')), without)).toMatch(/^no room: example.com\/gpu/);
  });
});

describe('volumes', () => {
  const ZONE = 'topology.kubernetes.io/zone';
  const storageClass = (name: string, more: object = {}, annotations: object = {}): any => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'csi.example',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...more,
  });
  const inZone = (zone: string): object => ({
    allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }],
  });
  const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const statefulSet = (storageClassName?: string, more: object = {}): any =>
    workload(
      'StatefulSet',
      {},
      { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { storageClassName } }], ...more },
    );
  const claim = (name: string, spec: object, isBound = false): any => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', annotations: isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {} },
    spec: { accessModes: ['ReadWriteOnce'], ...spec },
  });
  const volume = (name: string, storageClassName: string, more: object = {}): any => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], ...more },
  });
  const claiming = workload('Deployment', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] });
  const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' });

  /** A Pod that is there: only a dump has one. */
  const there: any = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'there', namespace: 'default', uid: 'there' },
    spec: { nodeName: 'n1', hostNetwork: true, containers: [{ name: 'c', image: 'c' }] },
    status: { phase: 'Running' },
  };

  it.each<[what: string, objects: readonly any[], expected: RegExp]>([
    ['a class for each claim', [storageClass('fast'), statefulSet('fast')], /^runs$/],
    ['a class for this zone', [storageClass('fast', inZone('a')), statefulSet('fast')], /^runs$/],
    [
      'a class for another zone',
      [storageClass('fast', inZone('b')), statefulSet('fast')],
      /^excluded: allowedTopologies/,
    ],
    ['a class that is not there', [storageClass('fast'), statefulSet('slow')], /^waits: for StorageClass slow/],
    [
      'the default class',
      [storageClass('fast', inZone('a')), storageClass('far', inZone('b'), isDefault), statefulSet()],
      /^excluded: allowedTopologies of the StorageClass far$/,
    ],
    ['no default class', [storageClass('fast'), statefulSet()], /^waits: for a volume for its claim data-w-0/],
    [
      'a class that binds at once',
      [storageClass('fast', { volumeBindingMode: 'Immediate' }), statefulSet('fast')],
      /^unknown: where the volume for its claim data-w-0 is made/,
    ],
    [
      'a claim that is there already',
      [
        storageClass('fast'),
        claim('data-w-0', { volumeName: 'pv', storageClassName: 'fast' }, true),
        volume('pv', 'fast', {
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] }] },
          },
        }),
        statefulSet('fast'),
      ],
      /^excluded: node affinity of PersistentVolume pv$/,
    ],
    [
      'ordinals that begin later',
      [
        storageClass('fast'),
        claim('data-w-5', { storageClassName: 'gone' }),
        statefulSet('fast', { ordinals: { start: 5 } }),
      ],
      /^waits: for StorageClass gone of PersistentVolumeClaim default\/data-w-5/,
    ],
    [
      'a claim that is missing',
      [storageClass('fast'), claiming],
      /^waits: for PersistentVolumeClaim default\/data, which/,
    ],
    [
      'a claim that is pending',
      [storageClass('fast', { volumeBindingMode: 'Immediate' }), claim('data', { storageClassName: 'fast' }), claiming],
      /^waits: for PersistentVolumeClaim default\/data to be bound$/,
    ],
    [
      'a class without provisioner and without volumes',
      [local, claim('data', { storageClassName: 'local' }), claiming],
      /^waits: for a PersistentVolume of the class local/,
    ],
    [
      'and with the volume of another claim',
      [
        local,
        claim('data', { storageClassName: 'local' }),
        volume('pv', 'local', { claimRef: { name: 'x' } }),
        claiming,
      ],
      /^waits: for a PersistentVolume of the class local/,
    ],
    [
      'and with one for other access',
      [local, claim('data', { storageClassName: 'local' }), volume('pv', 'local', { accessModes: [] }), claiming],
      /^waits: for a PersistentVolume of the class local/,
    ],
    [
      'and with one that is free',
      [local, claim('data', { storageClassName: 'local' }), volume('pv', 'local'), claiming],
      /^unknown: the scheduler chooses the volume/,
    ],
  ])('%s', (_, objects, expected) => {
    const dump = [hn, node('n1', 'hn', { labels: { [ZONE]: 'a' } }), there, ...objects];
    const target = objects.at(-1);
    const text = ({ outcome, reasons }: { outcome: string; reasons: readonly { reason: string }[] }): string =>
      outcome === 'runs' ? outcome : `${outcome}: ${reasons[0]?.reason}`;
    const answers = [
      ...explainOnPools(dump, target),
      ...[explainOnNode(dump, target, 'n1')].flatMap((each) => each ?? []),
    ];
    expect(answers.map(text)).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
  });

  it.each<[what: string, objects: readonly any[], expected: RegExp]>([
    ['a class', [statefulSet('fast')], /^StorageClass fast of its claim data-w-0 is not in the manifests$/],
    [
      'the default class',
      [statefulSet()],
      /^the default StorageClass, of its claim data-w-0, is not in the manifests$/,
    ],
    [
      'the volumes of a class',
      [local, claim('data', { storageClassName: 'local' }), claiming],
      /^the PersistentVolumes of the class local are not in the manifests$/,
    ],
  ])('manifests do not say %s', (_, objects, expected) => {
    const [{ outcome, reasons } = { outcome: '', reasons: [] }] = explainOnPools([hn, ...objects], objects.at(-1));
    expect([outcome, reasons[0]?.reason]).toEqual(['unknown', expect.stringMatching(expected)]);
  });
});
