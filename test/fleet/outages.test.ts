import fc from 'fast-check';
import { nodeLifecycleOf, zoneOf, zoneStateOf, zoneTaints } from '../../src/fleet/node-lifecycle.js';
import type { Outage, OutageReport } from '../../src/fleet/outage.js';
import { stayOf } from '../../src/fleet/pod-stay.js';
import { outageText } from '../../src/fleet/outage-text.js';
import { simulateOutage } from '../../src/fleet/simulate-outage.js';
import { FOUR, HOST, MEMBER, node, ON_A, pool, POOLS, sized, workload } from '../cli/fleet-objects.js';
import { runs } from '../depth.js';

const PORT = [{ name: 'main', image: 'main', ports: [{ containerPort: 8080 }] }];

function simulate(objects: readonly object[], outage: Omit<Outage, 'down'> & { down?: Outage['down'] }): OutageReport {
  return simulateOutage([...POOLS, ...objects], { down: { pools: ['a'] }, nodes: FOUR, zones: 'pool', ...outage });
}

/** Outage of pools of 4, 4 and 4 Nodes: how many get NoExecute, and how the Deployment on pool a fares. */
const RULES: readonly (readonly [what: string, outage: Partial<Outage>, tainted: string, outcome: string])[] = [
  ['one whole pool, a zone of its own', { zones: 'pool' }, '4', 'evicted'],
  ['one whole pool, no zones', { zones: 'none', otherNodes: 0 }, '4', 'evicted'],
  ['3 of 4 Nodes of one zone', { down: { nodes: ['a-1', 'a-2', 'a-3'] } }, '0-2', 'perhaps evicted'],
  ['2 of 4 Nodes of one zone', { down: { nodes: ['a-1', 'a-2'] } }, '2', 'perhaps evicted'],
  [
    'two whole pools, no zones',
    { zones: 'none', otherNodes: 0, down: { pools: ['a', 'b'] } },
    '0-2',
    'perhaps evicted',
  ],
  ['two whole pools, zones', { down: { pools: ['a', 'b'] } }, '4 4', 'evicted'],
  [
    'all pools, zones, no other Node',
    { otherNodes: 0, down: { pools: ['a', 'b', 'c'] } },
    '0-2 0-2 0-2',
    'perhaps evicted',
  ],
  ['all pools, zones, one other Node', { otherNodes: 1, down: { pools: ['a', 'b', 'c'] } }, '4 4 4', 'evicted'],
  ['over before it is noticed', { for: '30s' }, '0', 'stays'],
  ['over before the eviction', { for: '5m' }, '4', 'stays'],
  ['over after the evictions', { for: '7m' }, '4', 'evicted'],
  ['over in the middle', { for: '350s' }, '4', 'perhaps evicted'],
  ['no taint eviction', { flags: { controllers: '*,-taint-eviction-controller' } }, '4', 'stays'],
  ['nothing watches the Nodes', { flags: { controllers: '*,-nodelifecycle' } }, '0', 'stays'],
];

describe('an outage', () => {
  it.each(RULES)('%s', (_, outage, tainted, outcome) => {
    const report = simulate([sized('Deployment', 'web', 2, ON_A)], outage);
    expect(report.zones.map((zone) => [...new Set([zone.tainted.min, zone.tainted.max])].join('-')).join(' ')).toBe(
      tainted,
    );
    expect(report.workloads[0]?.outcome).toBe(outcome);
  });

  it('is sure of no eviction that need not happen, also without an end', () => {
    const nodes = ['1', '2', '3', '4'].map((end) => node(`a-${end}`, { [MEMBER]: 'a' }));
    const web = sized('Deployment', 'web', 4, {
      containers: PORT.map((one) => ({ ...one, ports: [{ containerPort: 80, hostPort: 80 }] })),
    });
    const pods = nodes.map(({ metadata }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `web-${metadata.name}`,
        namespace: 'default',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true }],
      },
      spec: {
        ...web.spec.template.spec,
        nodeName: metadata.name,
        tolerations: [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
      },
    }));
    const down = { nodes: ['a-1', 'a-2', 'a-3'] };
    const [report] = simulateOutage([...nodes, web, ...pods], { down, zones: 'pool', otherNodes: 0 }).workloads;
    expect([report?.outcome, report?.evicted]).toEqual(['perhaps evicted', { min: 0, max: 2 }]);
  });

  it('counts the workloads that are elsewhere', () => {
    const elsewhere = (count: number): object[] =>
      Array.from({ length: count }, (_, index) =>
        sized('Deployment', `far-${index}`, 1, { nodeSelector: { far: '1' } }),
      );
    const textWith = (count: number): string =>
      outageText(simulate([sized('Deployment', 'web', 2, ON_A), ...elsewhere(count)], {}));
    expect(textWith(1)).toContain('1 other workload has no Pod there');
    expect(textWith(2)).toContain('2 other workloads have no Pod there');
  });

  it('is unknown where it depends on Nodes that the manifests do not have', () => {
    const unknown = simulate([sized('Deployment', 'web', 2, ON_A)], { zones: 'none', down: { pools: ['a', 'b'] } });
    expect(unknown.zones[0]?.tainted).toEqual({ min: 0, max: 8 });
    expect(unknown.zones[0]?.rule).toMatch(
      /^unknown, because .* With none: 8 of 12 .*: evictions stop\. With many: 8 of many Nodes/,
    );
    expect(unknown.workloads[0]?.outcome).toBe('perhaps evicted');
    // and where it does not, the number is not needed
    expect(simulate([], { zones: 'none' }).zones[0]?.tainted).toEqual({ min: 4, max: 4 });
  });

  it('divides in single precision, and needs more than two', () => {
    const states = (nodes: number): string =>
      Array.from({ length: nodes + 1 }, (_, away) => zoneStateOf(away, nodes, 0.55)[0]).join('');
    expect([1, 2, 3, 4, 5, 9].map(states)).toEqual(['nf', 'nnf', 'nnnf', 'nnnpf', 'nnnppf', 'nnnnnppppf']);
    expect(states(20)).toBe('n'.repeat(11) + 'p'.repeat(9) + 'f');
    // 0.55 is not exact: in double precision 55 of 100 would be the same, and 0.7 of 10 would not
    expect([zoneStateOf(7, 10, 0.7), zoneStateOf(0, 0, 0.55)]).toEqual(['partial', 'normal']);
  });

  it('has slower evictions in large zones', () => {
    const lifecycle = nodeLifecycleOf('1.36');
    const rate = (nodes: number, away: number): number =>
      zoneTaints({ nodes, notReady: away, away }, false, lifecycle).rate;
    expect([rate(50, 28), rate(51, 28), rate(51, 29), rate(51, 51), rate(50, 27)]).toEqual([0, 0.1, 0.01, 0.1, 0.1]);
  });

  it('has no taint before its time, and the times grow', () => {
    const sizes = fc.integer({ min: 1, max: 80 });
    fc.assert(
      fc.property(sizes, sizes, fc.boolean(), (nodes, some, stops) => {
        const away = Math.min(nodes, some);
        const { taintOf, rate } = zoneTaints({ nodes, notReady: away, away }, stops, nodeLifecycleOf('1.30'));
        const times = Array.from({ length: away + 1 }, (_, index) => taintOf(index + 1));
        expect(times[away]).toBeUndefined();
        expect(times.slice(0, away).every((time) => time?.latest !== undefined)).toBe(rate > 0);
        const known = times.flatMap((time) => (time === undefined ? [] : [time]));
        known.forEach((time, index) => {
          expect(time.earliest).toBeGreaterThanOrEqual(30);
          expect(time.latest ?? Infinity).toBeGreaterThanOrEqual(time.earliest);
          expect(time.earliest).toBeGreaterThanOrEqual(known[index - 1]?.earliest ?? 0);
        });
      }),
      runs(1000),
    );
  });

  it('knows the zone of a Node as kube-controller-manager does', () => {
    const beta = 'failure-domain.beta.kubernetes.io/';
    const stable = 'topology.kubernetes.io/';
    expect(zoneOf({})).toBe('');
    expect(zoneOf({ [`${stable}zone`]: 'z' })).toBe('z');
    expect(zoneOf({ [`${stable}zone`]: 'z', [`${stable}region`]: 'r' })).toBe('r/z');
    // GetZoneKey writes both with a separator, so that they are two
    expect(zoneOf({ [`${stable}region`]: 'hz' })).not.toBe(zoneOf({ [`${stable}zone`]: 'hz' }));
    expect(zoneOf({ [`${beta}zone`]: 'old', [`${stable}zone`]: 'z' })).toBe('old');
    expect(zoneOf({ [`${beta}zone`]: '', [`${stable}zone`]: 'z' })).toBe('');
  });

  it('has the grace period of the minor', () => {
    const at = (kubernetes: string): unknown => simulate([], { kubernetes }).notReadyAt;
    expect(at('1.31')).toEqual({ earliest: 30, latest: 50 });
    expect(at('v1.32.3')).toEqual({ earliest: 40, latest: 60 });
  });
});

const UNREACHABLE = 'node.kubernetes.io/unreachable';

describe('how long a Pod stays', () => {
  it.each<[what: string, tolerations: object[] | undefined, isDaemon: boolean, seconds: number]>([
    ['by default', undefined, false, 300],
    ['DaemonSet', undefined, true, Infinity],
    ['forever', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' }], false, Infinity],
    ['everything', [{ operator: 'Exists' }], false, Infinity],
    ['a while', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }], false, 5],
    ['negative', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -5 }], false, 0],
    [
      'the first that matches counts',
      [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 }, { operator: 'Exists' }],
      false,
      7,
    ],
    ['another value, so no default either', [{ key: UNREACHABLE, value: 'x', effect: 'NoExecute' }], false, 0],
    ['another effect', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoSchedule' }], false, 300],
    [
      'the controller of a DaemonSet replaces it',
      [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
      true,
      Infinity,
    ],
    [
      'but not one that is written otherwise',
      [{ key: UNREACHABLE, operator: 'Equal', effect: 'NoExecute', tolerationSeconds: 5 }],
      true,
      5,
    ],
  ])('%s', (_, tolerations, isDaemon, seconds) => {
    expect(stayOf({ tolerations }, isDaemon, true).seconds).toBe(seconds);
  });

  it('is what the tolerations of a Pod say, to which nothing is added any more', () => {
    expect(stayOf({}, false, false).seconds).toBe(0);
  });
});

describe('autonomy of Nodes, without Pods', () => {
  const edge = { 'openyurt.io/is-edge-worker': 'true' };
  const binding = { 'apps.openyurt.io/binding': 'true' };
  const own = (key?: string): object[] => [
    { ...(key === undefined ? {} : { key }), operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
  ];
  it.each<[what: string, labels: object, annotations: object, tolerations: object[] | undefined, outcome: string]>([
    ['forever', edge, { 'node.beta.openyurt.io/autonomy': 'true' }, undefined, 'stays'],
    ['by the first annotation that there was', edge, binding, undefined, 'stays'],
    ['not of a Node that is no edge node', {}, binding, undefined, 'evicted'],
    ['of a toleration of the taint', edge, binding, own(UNREACHABLE), 'stays'],
    ['not of a toleration of every taint', edge, binding, own(), 'evicted'],
  ])('PodBinding changes it: %s', (_, labels, annotations, tolerations, outcome) => {
    const a1 = node('a1', { [MEMBER]: 'a', ...labels });
    const objects = [
      { ...a1, metadata: { ...a1.metadata, annotations } },
      sized('Deployment', 'w', 1, { tolerations }),
    ];
    expect(simulateOutage(objects, { down: { nodes: ['a1'] }, otherNodes: 9 }).workloads[0]?.outcome).toBe(outcome);
  });
});

describe('what never starts', () => {
  const fate = (down: string, ...objects: readonly object[]): unknown[] =>
    simulateOutage([pool('a', true), pool('b', false), ...objects], {
      down: { pools: [down] },
      nodes: { a: 4, b: 4 },
      zones: 'pool',
    }).workloads.map(({ outcome, then, replacedOn }) => [outcome, then, replacedOn]);
  const baseline = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
  };
  const host = { hostNetwork: true };

  it('is neither evicted nor replaced', () => {
    const none = [['not there', undefined, undefined]];
    expect(fate('a', sized('Deployment', 'w', 2, ON_A))).toEqual(none);
    expect(fate('a', workload('w'))).toEqual(none);
    expect(fate('a', baseline, workload('w', host))).toEqual(none);
    expect(fate('a', sized('Deployment', 'w', 2, { ...ON_A, ...host }))).toEqual([
      ['evicted', 'waits for a Node', undefined],
    ]);
  });

  it('is no replacement', () => {
    expect(fate('b', sized('Deployment', 'w', 2))).toEqual([['evicted', 'waits for a Node', undefined]]);
    expect(fate('b', sized('Deployment', 'w', 2, host))).toEqual([['perhaps evicted', 'replaced', ['a']]]);
  });

  it('is no Pod, also if it waits on its Node', () => {
    const nodes = [node('a1', { [MEMBER]: 'a', [HOST]: 'true' }), node('b1', { [MEMBER]: 'b' })];
    const pod = (phase: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'w', namespace: 'default' },
      spec: { nodeName: 'a1', containers: [{ name: 'w' }] },
      status: { phase },
    });
    const outcomes = ['Pending', 'Running'].map(
      (phase) =>
        simulateOutage([...nodes, pod(phase)], { down: { nodes: ['a1'] }, zones: 'pool' }).workloads[0]?.outcome,
    );
    expect(outcomes).toEqual(['not there', 'evicted']);
  });
});

describe('what follows', () => {
  const fates = (objects: readonly object[], outage: Partial<Outage> = {}): unknown[] =>
    simulate(objects, outage).workloads.map(({ outcome, pods, then, replacedOn, doubled }) => [
      outcome,
      pods.min,
      pods.max,
      then,
      replacedOn,
      doubled,
    ]);

  it('depends on the kind, and on the Nodes that are left', () => {
    const anywhere = { hostNetwork: true, containers: PORT };
    expect(
      fates([
        workload('agent', { hostNetwork: true }),
        sized('Deployment', 'pinned', 2, ON_A),
        sized('Deployment', 'free', 2),
        sized('Deployment', 'full', 12, anywhere),
        sized('Deployment', 'almost', 10, anywhere),
        sized('StatefulSet', 'db', 2, ON_A),
        sized('Deployment', 'elsewhere', 2, { nodeSelector: { [MEMBER]: 'b' } }),
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' }, spec: { ...ON_A, containers: PORT } },
      ]),
    ).toEqual([
      ['stays', 4, 4, undefined, undefined, false],
      ['evicted', 2, 2, 'waits for a Node', undefined, false],
      ['perhaps evicted', 0, 2, 'replaced', ['b', 'c'], true],
      ['evicted', 4, 4, 'waits for a Node', undefined, false],
      ['evicted', 2, 4, 'replaced', ['b', 'c'], true],
      ['evicted', 2, 2, 'waits for the same Node', undefined, false],
      ['not there', 0, 0, undefined, undefined, false],
      ['evicted', 1, 1, 'not created again', undefined, false],
    ]);
  });

  it('of a StatefulSet without time to end is removed at once, and volumes are not considered', () => {
    const report = (more: object, spec: object = {}): any => {
      const set = sized('StatefulSet', 'db', 4, { terminationGracePeriodSeconds: 0, ...more });
      return simulate([{ ...set, spec: { ...set.spec, ...spec } }], {}).workloads[0];
    };
    expect(report({ terminationGracePeriodSeconds: 1 }).then).toBe('waits for the same Node');
    expect(report({})).toMatchObject({ then: 'replaced', doubled: true });
    expect(report({}).rule).toContain('with terminationGracePeriodSeconds 0 its Pod is removed at once');
    const claim = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
    expect(report({ volumes: [claim] }).rule).toContain('if its persistentVolumeClaim, not considered here, allows it');
    expect(report({}, { volumeClaimTemplates: [{ metadata: { name: 'data' } }] }).rule).toContain(
      'if its volumeClaimTemplates, not considered here, allows it',
    );
    expect(report({ volumes: [{ name: 'tmp', emptyDir: {} }] }).rule).not.toContain('not considered');
  });

  it('is known from the Pods of a dump', () => {
    const labels = (name: string): object => ({ [MEMBER]: name[0] });
    const nodes = ['a1', 'a2', 'b1'].map((name) => node(name, labels(name)));
    const pod = (name: string, nodeName: string, hash: string): any => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'default',
        labels: { 'pod-template-hash': hash },
        ownerReferences: [{ kind: 'ReplicaSet', name: `web-${hash}`, controller: true }],
      },
      spec: {
        nodeName,
        tolerations: [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 20 }],
      },
    });
    const manager = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kube-controller-manager-cp', namespace: 'kube-system' },
      spec: {
        nodeName: 'b1',
        containers: [
          {
            name: 'kube-controller-manager',
            image: 'registry.k8s.io/kube-controller-manager:v1.31.4',
            command: [
              'kube-controller-manager',
              '--node-monitor-grace-period=16s',
              '--node-eviction-rate',
              '2',
              '--controllers=*',
            ],
          },
        ],
      },
    };
    const objects = [
      ...nodes,
      manager,
      sized('Deployment', 'web', 3),
      pod('p1', 'a1', 'x'),
      pod('p2', 'b1', 'x'),
      pod('p3', 'a2', 'x'),
    ];
    const report = simulateOutage(objects, { down: { nodes: ['a1'] } });
    expect(report.kubernetes).toBe('1.31');
    expect(report.notReadyAt).toEqual({ earliest: 6, latest: 26 });
    expect(report.workloads.find((each) => each.workload === 'Deployment default/web')).toMatchObject({
      pods: { min: 1, max: 1 },
      outcome: 'evicted',
      evictedAt: { earliest: 26, latest: 46.5 },
    });
    expect(
      simulateOutage(objects, { down: { nodes: ['a1'] }, flags: { nodeMonitorGracePeriod: 60 } }).notReadyAt?.earliest,
    ).toBe(50);
  });
});
