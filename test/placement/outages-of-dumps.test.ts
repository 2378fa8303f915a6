/** What the Pods of a dump say: who controls them, which of a StatefulSet they are, and what keeps them apart. Expected by the sources that the rules name. */
import { type Outage, type OutageReport, simulateOutage } from '../../src/checks.js';
import { MEMBER, node, run, sized } from '../app/fleet-objects.js';

const HOSTNAME = 'kubernetes.io/hostname';
const NODES = ['s1', 's2', 's3', 'c1', 'c2', 'c3', 'c4'].map((name) => ({
  ...node(name, { [MEMBER]: name.startsWith('s') ? 'site' : 'cloud', [HOSTNAME]: name }),
  status: { nodeInfo: { kubeletVersion: name === 's1' ? 'v1.34.2' : 'v1.33.9' } },
}));
const SITE = { nodeSelector: { [MEMBER]: 'site' } };
const TOLERATIONS = [
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
];

/** A Pod of a workload on a Node. */
const pod = (name: string, nodeName: string, owner?: object, metadata: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    ...(owner === undefined ? {} : { ownerReferences: [{ controller: true, ...owner }] }),
    ...metadata,
  },
  spec: { nodeName, containers: [{ name: 'main' }], tolerations: TOLERATIONS },
});

/** A workload and its Pods, on the Nodes in this order. */
function on(nodes: readonly string[], kind: string, podSpec: object = {}, spec: object = {}): object[] {
  const object = sized(kind, 'w', nodes.length, podSpec, spec);
  object.spec.template.metadata = { labels: { app: 'w' } };
  return [object, ...nodes.map((name, index) => pod(`w-${index}`, name, { kind, name: 'w' }))];
}

function simulate(objects: readonly object[], outage: Partial<Outage> = {}): OutageReport {
  return simulateOutage([...NODES, ...objects], { down: { nodes: ['s1'] }, ...outage });
}

const then = (objects: readonly object[]): unknown => simulate(objects).workloads[0]?.then;

describe('what follows an eviction', () => {
  const job = (spec: object): object[] => [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'w', namespace: 'default' },
      spec: { ...spec, template: { spec: { containers: [{ name: 'main' }] } } },
    },
    pod('w-1', 's1', { kind: 'Job', name: 'w' }),
  ];
  const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
  const apart = (fields: object = {}): object => ({
    ...SITE,
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: 'w' } }, topologyKey: HOSTNAME, ...fields },
        ],
      },
    },
  });

  it.each<[what: string, objects: object[], expected: string]>([
    ['Job', job({}), 'replaced'],
    ['Job that replaces only failed Pods', job({ podReplacementPolicy: 'Failed' }), 'waits for the same Node'],
    [
      'Job with a podFailurePolicy, whose default is that',
      job({ podFailurePolicy: { rules } }),
      'waits for the same Node',
    ],
    [
      'Job with a podFailurePolicy that says otherwise',
      job({ podFailurePolicy: { rules }, podReplacementPolicy: 'TerminatingOrFailed' }),
      'replaced',
    ],
    ['Pod of nobody', [pod('bare', 's1')], 'not created again'],
    ['Pod of a controller that is not there', [pod('clone-1', 's1', { kind: 'CloneSet', name: 'cl' })], 'unknown'],
    ['Deployment', on(['s1', 's2', 's3'], 'Deployment', SITE), 'replaced'],
    ['with anti-affinity to itself', on(['s1', 's2', 's3'], 'Deployment', apart()), 'waits for a Node'],
    ['with anti-affinity and a Node left', on(['s1', 's2'], 'Deployment', apart()), 'replaced'],
    [
      'with anti-affinity to another',
      on(['s1', 's2', 's3'], 'Deployment', apart({ labelSelector: { matchLabels: { app: 'x' } } })),
      'replaced',
    ],
  ])('%s: %#', (_, objects, expected) => {
    expect(then(objects)).toBe(expected);
  });

  it('says what is not read of the affinity', () => {
    const zone = on(['s1'], 'Deployment', apart({ topologyKey: 'topology.kubernetes.io/zone' }));
    expect(simulate(zone).workloads[0]?.rule).toContain('podAntiAffinity, not considered');
    expect(simulate(on(['s1', 's2'], 'Deployment', apart())).workloads[0]?.rule).toBe('tolerationSeconds 300');
    expect(simulate([pod('clone-1', 's1', { kind: 'CloneSet', name: 'cl' })]).workloads[0]?.rule).toContain(
      'CloneSet default/cl',
    );
  });

  it('is nothing for a static Pod, also yurthub', () => {
    const mirror = (name: string): object => ({
      ...pod(name, 's1', { kind: 'Node', name: 's1' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    });
    expect(simulate([mirror('yurthub-s1'), mirror('agent-s1')]).workloads).toMatchObject(
      ['yurthub-s1', 'agent-s1'].map((name) => ({
        workload: `Pod default/${name}`,
        outcome: 'stays',
        pods: { max: 1 },
      })),
    );
  });

  it('depends on the revision, if only Pods of one are kept apart', () => {
    const update = (fields: object): unknown =>
      simulate(on(['s1', 's2', 's3'], 'Deployment', apart(fields)), { update: 'w' }).update?.outcome;
    expect([update({}), update({ matchLabelKeys: ['pod-template-hash'] })]).toEqual(['hangs', 'finishes']);
  });
});

describe('an update of a StatefulSet whose Pods are known', () => {
  const parallel = { podManagementPolicy: 'Parallel' };
  const from = (partition: number): object => ({ updateStrategy: { rollingUpdate: { partition } } });
  const most = (maxUnavailable: unknown): object => ({ updateStrategy: { rollingUpdate: { maxUnavailable } } });
  it.each<[away: number, spec: object, kubernetes: string, outcome: string, updated: number]>([
    [0, parallel, '1.36', 'finishes', 2],
    [1, parallel, '1.36', 'hangs', 1],
    [2, parallel, '1.36', 'hangs', 0],
    [0, { ...parallel, ...from(1) }, '1.36', 'finishes', 2],
    [1, { ...parallel, ...from(2) }, '1.36', 'finishes', 1],
    [2, { ...parallel, ...from(2) }, '1.36', 'hangs', 0],
    [0, { ...parallel, ...from(3) }, '1.36', 'by hand', 0],
    [0, { ...parallel, ordinals: { start: 0 }, ...most(2) }, '1.36', 'finishes', 2],
    [2, { ...parallel, ...most(2) }, '1.36', 'hangs', 0],
    // MaxUnavailableStatefulSet is on by default: unavailable Pods count, wherever they are
    [0, parallel, '1.37', 'hangs', 0],
    [2, { ...parallel, ...most(2) }, '1.37', 'finishes', 2],
    [2, { ...parallel, ...most('70%') }, '1.37', 'finishes', 2],
    [2, { ...parallel, ...most('50%') }, '1.37', 'hangs', 0],
    [0, most(2), '1.37', 'hangs', 0],
    [0, from(1), '1.36', 'hangs', 0],
    [0, { updateStrategy: { type: 'OnDelete' } }, '1.36', 'by hand', 0],
  ])('Pod %i away, %j, %s: %s', (away, spec, kubernetes, outcome, updated) => {
    const nodes = ['c1', 'c2', 'c3'].map((name, index) => (index === away ? 's1' : name));
    const { update } = simulate(on(nodes, 'StatefulSet', {}, spec), { update: 'StatefulSet default/w', kubernetes });
    expect([update?.outcome, update?.updated]).toEqual([outcome, { min: updated, max: updated }]);
  });

  it('counts from its first ordinal', () => {
    const [object, ...pods] = on(['s1', 'c1'], 'StatefulSet', {}, { ...parallel, ordinals: { start: 7 } }) as any[];
    pods.forEach((each, index) => (each.metadata.name = `w-${7 + index}`));
    const { update } = simulate([object, ...pods], { update: 'w', kubernetes: '1.36' });
    expect([update?.outcome, update?.updated.max]).toEqual(['finishes', 1]);
  });
});

describe('a Deployment that is paused', () => {
  it('is not updated', () => {
    const paused = on(['s1', 'c1'], 'Deployment', {}, { paused: true });
    const { update } = simulate(paused, { update: 'deployment/w' });
    expect(update).toMatchObject({ workload: 'Deployment default/w', outcome: 'by hand', updated: { max: 0 } });
    expect(update?.rule).toContain('spec.paused');
  });
});

describe('the minor of kube-controller-manager', () => {
  const said = (...more: string[]): string =>
    run([...NODES], 'simulate', '-', '--down', 'node=s1', ...more).out.replace(/\s+/g, ' ');

  it('is assumed, and said so, if the dump does not have its Pod', () => {
    expect(said()).toContain('kube-controller-manager 1.34 (assumed)');
    expect(said()).toContain('this is the minor of the newest kubelet');
    expect(said('--kubernetes', '1.36')).not.toContain('assumed');
    const none = simulateOutage(
      NODES.map((each) => ({ ...each, status: {} })),
      { down: { nodes: ['s1'] } },
    );
    expect(none.assumed).toContain('the newest minor that is known');
  });
});

describe('an option of simulate that is wrong', () => {
  it.each<[args: string[], words: RegExp]>([
    [['--other-nodes', '-2'], /whole number of at least 0: --other-nodes 6/],
    [['--other-nodes', 'x'], /whole number of at least 0: --other-nodes 6/],
    [
      ['--flag', 'node-eviction-rate=fast'],
      /node-eviction-rate=fast is not a number.* write --flag node-eviction-rate=0\.1/,
    ],
    [['--flag', 'unhealthy-zone-threshold='], /write --flag unhealthy-zone-threshold=0\.55/],
    [['--update', 'w'], /w is 2 workloads[^]*'Deployment default\/w', 'StatefulSet default\/w'/],
    [['--update', 'ww'], /there is no workload ww/],
    [['--format', 'html'], /text, json, svg/],
  ])('%j', (args, words) => {
    const objects = [...NODES, sized('Deployment', 'w', 1), sized('StatefulSet', 'w', 1)];
    const { code, err } = run(objects, 'simulate', '-', '--down', 'node=s1', ...args);
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(err).not.toContain('NaN');
  });
});
