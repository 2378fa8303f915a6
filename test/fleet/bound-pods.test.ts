/** What becomes of workloads in a dump whose Nodes have Pods. */
import { checkManifests } from 'edge-nodepools/checks';
import fc from 'fast-check';
import { explainOnNode, explainOnPools } from '../../src/fleet/placement-reasons.js';
import { fleetOverview, overviewText, partOf } from '../../src/fleet/fleet-overview.js';
import { runs } from '../depth.js';
import { hn, MEMBER, node, ofSize, pool, port, workload } from './dumped.js';

const requesting = (cpu: string): object => ({
  containers: [{ name: 'w', image: 'registry.example/w', resources: { requests: { cpu } } }],
});

/** A Pod that runs on a Node, of a controller or of nobody. */
const bound = (name: string, on: string, spec: object, owner?: string, labels: object = {}): any => {
  const [kind, ownerName] = owner?.split(' ') ?? [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace: 'default', uid: name, labels },
      ...(owner === undefined ? {} : { ownerReferences: [{ controller: true, kind, name: ownerName }] }),
    },
    spec: { nodeName: on, hostNetwork: true, containers: [{ name: 'c', image: 'registry.example/c' }], ...spec },
    status: { phase: 'Running' },
  };
};

/** A Node with room for some Pods. */
const small = (name: string, cpu = '1', pods = '20', of = 'hn'): any =>
  node(name, of, { status: { allocatable: { cpu, memory: '4Gi', pods } } });

/** What becomes of each object in a pool, by its name. */
function told(name: string, ...objects: readonly any[]): Record<string, string> {
  const { groups } = fleetOverview(objects);
  const { runs: running = [], others = [], excluded = [] } = groups.find(({ pools }) => pools.includes(name)) ?? {};
  const short = (full: string): string => full.split('/')[1] ?? full;
  return Object.fromEntries([
    ...running.map((each) => [short(each), 'runs']),
    ...others.map((each) => [short(each.workload), `${each.outcome}: ${each.reason}`]),
    ...excluded.map((each) => [short(each.workload), `excluded: ${each.reason}`]),
  ]);
}

const affinityTo = (field: string, labels: object): object => ({
  affinity: {
    [field]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
});

describe('Pods on the Nodes of a dump', () => {
  it.each<[what: string, objects: readonly any[], expected: Record<string, RegExp>]>([
    [
      'a full Node has no room for a DaemonSet',
      [small('n1', '8', '2'), bound('a', 'n1', {}), bound('b', 'n1', {}), workload('DaemonSet', {})],
      { a: /^runs$/, b: /^runs$/, w: /^no room: pods: the node takes 2, and has 2$/ },
    ],
    [
      'CPU that is taken',
      [small('n1'), bound('a', 'n1', requesting('800m')), workload('DaemonSet', requesting('500m'))],
      { a: /^runs$/, w: /^no room: cpu: requests 500m, 200m is free/ },
    ],
    [
      'a port that is taken',
      [small('n1'), bound('a', 'n1', port), workload('DaemonSet', port)],
      { a: /^runs$/, w: /^port taken: 80\/TCP by Pod default\/a$/ },
    ],
    [
      'room for one of two',
      [
        small('n1'),
        small('n2'),
        bound('a', 'n1', requesting('500m')),
        workload('Deployment', requesting('700m'), { replicas: 2 }),
      ],
      { a: /^runs$/, w: /^no room: cpu: room for 1 of 2 Pods/ },
    ],
    [
      'Pods of the workload itself, of which the room is its own',
      [small('n1'), bound('w-1', 'n1', requesting('800m'), 'DaemonSet w'), workload('DaemonSet', requesting('800m'))],
      { w: /^runs$/ },
    ],
    [
      'both Pods of a Deployment that are there',
      [
        small('n1'),
        small('n2'),
        bound('w-1', 'n1', { ...requesting('700m'), ...port }, 'ReplicaSet w-5d', { 'pod-template-hash': '5d' }),
        bound('w-2', 'n2', { ...requesting('700m'), ...port }, 'ReplicaSet w-5d', { 'pod-template-hash': '5d' }),
        workload('Deployment', { ...requesting('700m'), ...port }, { replicas: 2 }),
      ],
      { w: /^runs$/ },
    ],
    [
      'one of two, and no place for the other',
      [
        small('n1'),
        bound('w-1', 'n1', requesting('700m'), 'ReplicaSet w-5d', { 'pod-template-hash': '5d' }),
        workload('Deployment', requesting('700m'), { replicas: 2 }),
      ],
      { w: /^no room: 1 of 2 Pods has no place: cpu: requests 700m, 300m is free/ },
    ],
    [
      'a Pod that is over',
      [
        small('n1'),
        { ...bound('a', 'n1', requesting('800m')), status: { phase: 'Succeeded' } },
        workload('DaemonSet', requesting('500m')),
      ],
      { w: /^runs$/ },
    ],
    [
      'a Pod that kubelet admitted before others asked for more',
      [small('n1'), bound('a', 'n1', requesting('800m')), bound('b', 'n1', requesting('800m'))],
      { a: /^runs$/, b: /^runs$/ },
    ],
    [
      'affinity to a Pod that is there',
      [
        small('n1'),
        bound('a', 'n1', {}, undefined, { app: 'db' }),
        workload('Deployment', affinityTo('podAffinity', { app: 'db' })),
      ],
      { w: /^runs$/ },
    ],
    [
      'affinity to a Pod that is not there',
      [small('n1'), bound('a', 'n1', {}), workload('Deployment', affinityTo('podAffinity', { app: 'db' }))],
      { w: /^waits: for a Pod with app=db/ },
    ],
    [
      'anti-affinity of a Pod that is there',
      [small('n1'), bound('a', 'n1', affinityTo('podAntiAffinity', { app: 'w' })), workload('Deployment', {})],
      { w: /^excluded: podAntiAffinity of Pod default\/a/ },
    ],
  ])('%s', (_, objects, expected) => {
    const outcomes = told('hn', hn, ...objects);
    for (const [name, pattern] of Object.entries(expected)) {
      expect(outcomes[name]).toMatch(pattern);
    }
  });

  it.each<[what: string, about: object, podSpec: object, expected: RegExp]>([
    [
      'does not report',
      { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      {},
      /^waits: for the node: /,
    ],
    ['is not ready', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, {}, /^runs$/],
    ['has Windows', { labels: { 'kubernetes.io/os': 'windows' } }, {}, /^unknown: what Windows makes of hostNetwork/],
    [
      'has Windows, on its host',
      { labels: { 'kubernetes.io/os': 'windows' } },
      { securityContext: { windowsOptions: { hostProcess: true } } },
      /^runs$/,
    ],
  ])('a Node that %s', (_, about, podSpec, expected) => {
    const objects = [hn, node('n1', 'hn', about), workload('DaemonSet', podSpec)];
    expect(told('hn', ...objects).w).toMatch(expected);
    expect(explainOnNode(objects, objects[2], 'n1')?.outcome).toBe(told('hn', ...objects).w?.split(':')[0]);
  });

  it('a Pod on a Node that does not report runs on', () => {
    const away = node('n1', 'hn', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
    const objects = [hn, away, bound('w-1', 'n1', {}, 'DaemonSet w'), bound('a', 'n1', {}), workload('DaemonSet', {})];
    expect(told('hn', ...objects)).toEqual({ w: 'runs', a: 'runs' });
  });

  it('names what every Node of a dump excludes, and check warns of it', () => {
    const dump = [hn, small('n1'), pool('b', false), small('b1', '1', '20', 'b'), bound('a', 'n1', {})];
    const target = workload('Deployment', { nodeSelector: { gone: 'yes' } });
    const nowhere = (...objects: readonly any[]): unknown => [
      fleetOverview(objects).nowhere?.map(({ workload: each }) => each),
      checkManifests(objects).findings.flatMap(({ code, level }) => (code === 'EDGE_NOWHERE' ? [level] : [])),
    ];
    expect(nowhere(...dump, target)).toEqual([['Deployment default/w'], ['warning']]);
    // Nodes of manifests can have more labels
    expect(nowhere(hn, target)).toEqual([undefined, []]);
    expect(nowhere(...dump, workload('Deployment', { nodeSelector: { [MEMBER]: 'b' } }))).toEqual([undefined, []]);
    const problems = partOf(fleetOverview([...dump, target]), undefined, true);
    expect(overviewText(problems)).toMatch(/all Nodes of the dump\n {2}runs nowhere +Deployment default\/w/);
  });

  it('what helps against a Pod that never starts is of its reason', () => {
    const strict = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: strict } };
    const hintOf = (...objects: readonly any[]): string | undefined =>
      checkManifests([hn, ...objects]).findings.find(({ code }) => code === 'EDGE_NEVER_STARTS')?.hint;
    expect(hintOf(workload('DaemonSet', { hostNetwork: false }))).toMatch(/hostNetwork: true$/);
    expect(hintOf(namespace, workload('DaemonSet', {}))).toMatch(/pod-security\.kubernetes\.io\/enforce: privileged/);
    const windows = node('n1', 'hn', { labels: { 'kubernetes.io/os': 'windows' } });
    expect(hintOf(windows, workload('DaemonSet', { os: { name: 'linux' } }))).toMatch(/kubernetes\.io\/os/);
  });

  it('a Pod of a workload that is shown is explained as it is shown', () => {
    const own = bound('w-1', 'n1', requesting('800m'), 'DaemonSet w');
    const objects = [hn, small('n1'), own, workload('DaemonSet', requesting('800m'))];
    expect(explainOnPools(objects, own).map(({ outcome }) => outcome)).toEqual(['runs']);
    expect(explainOnNode(objects, own, 'n1')?.outcome).toBe('runs');
  });

  it('says of a pool of one Node what is said of the Node', () => {
    const podSpec = fc.oneof(
      fc.constant({}),
      fc.constantFrom('300m', '900m').map(requesting),
      fc.constant(port),
      fc.constantFrom('podAffinity', 'podAntiAffinity').map((field) => affinityTo(field, { app: 'db' })),
    );
    const there = fc.record({
      spec: podSpec,
      owner: fc.constantFrom(undefined, 'DaemonSet w', 'StatefulSet other'),
      labels: fc.constantFrom({}, { app: 'db' }, { app: 'w' }),
    });
    const fleets = fc.record({
      pods: fc.array(there, { minLength: 1, maxLength: 3 }),
      kind: fc.constantFrom('Deployment', 'DaemonSet'),
      spec: podSpec,
      hostNetwork: fc.boolean(),
    });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(fleets, ({ pods, kind, spec, hostNetwork }) => {
        const target = workload(kind, { ...spec, hostNetwork });
        const objects = [
          ...[hn, node('n1', 'hn', ofSize('1')), target],
          ...pods.map(({ spec: each, owner, labels }, index) => bound(`p${index}`, 'n1', each, owner, labels)),
        ];
        const [ofPool] = explainOnPools(objects, target);
        const ofNode = explainOnNode(objects, target, 'n1');
        expect(ofPool?.outcome).toBe(ofNode?.outcome);
        expect(told('hn', ...objects).w?.split(':')[0]).toBe(ofNode?.outcome);
        outcomes.add(String(ofNode?.outcome));
      }),
      runs(2000),
    );
    expect([...outcomes].sort()).toEqual(['excluded', 'never starts', 'no room', 'port taken', 'runs', 'waits']);
  });

  it('a pool whose Nodes have the same Pods is judged once, and one that has others apart', () => {
    const web = workload('Deployment', requesting('700m'), { replicas: 3 });
    const agents = ['n1', 'n2', 'n3'].map((each) => bound(`a-${each}`, each, requesting('200m'), 'DaemonSet agent'));
    const nodes = ['n1', 'n2', 'n3'].map((each) => small(each));
    expect(told('hn', hn, ...nodes, ...agents, web).w).toBe('runs');
    const named = (name: string, object: any): any => ({
      ...object,
      metadata: { name, namespace: 'default' },
      spec: { ...object.spec, selector: { matchLabels: { app: name } } },
    });
    const shown = [
      named('agent', workload('DaemonSet', requesting('200m'))),
      named('other', workload('Deployment', requesting('200m'))),
    ];
    const more = bound('other-1', 'n2', requesting('200m'), 'ReplicaSet other-5d', { 'pod-template-hash': '5d' });
    expect(told('hn', hn, ...nodes, ...agents, more, ...shown, web).w).toMatch(/^no room: cpu: room for 2 of 3 Pods/);
    const bare = bound('bare', 'n2', requesting('200m'));
    expect(told('b', hn, pool('b', false), ...nodes, small('b1', '1', '20', 'b'), bare, web).bare).toMatch(/^excluded/);
  });
});
