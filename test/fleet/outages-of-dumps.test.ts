/** What the Pods of a dump say: who controls them, which of a StatefulSet they are, and what keeps them apart. Expected by the sources that the rules name. */
import { type Outage, type OutageReport, simulateOutage } from '../../src/checks.js';
import { MEMBER, node, run, sized } from '../cli/fleet-objects.js';
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  YurtAppSet,
  type YurtAppSetProps,
  YurtStaticSet,
} from 'edge-nodepools';

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

/** OpenYurt makes a Deployment of a YurtAppSet in each pool (e2e group yurt-sets), so each pool has a fate of its own; static Pods are never evicted. */
describe('workloads of OpenYurt', () => {
  const template = (port: number): Record<string, unknown> => ({
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: port }] }] },
      },
    },
  });
  const TWO = [{ pools: ['site-18'], tweaks: { replicas: 2 } }];

  function simulate(props: Partial<YurtAppSetProps>, outage: Omit<Outage, 'down'> & { down: Outage['down'] }) {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'sites');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    const pools = ['site-17', 'site-18'].map(
      (poolName) => new HostNetworkNodePool(chart, poolName, { cluster, poolName, expectedNodes: 3 }),
    );
    const metadata = (name: string) => ({ name, namespace: 'edge' });
    new YurtAppSet(chart, 'web', { pools, metadata: metadata('web'), ...props });
    const agent = { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } };
    new YurtStaticSet(chart, 'agent', { pools, metadata: metadata('agent'), template: agent });
    return simulateOutage(Testing.synth(chart), { otherNodes: 3, ...outage }, pools);
  }

  const fates = (props: Partial<YurtAppSetProps>, down: Outage['down']) =>
    simulate(props, { down }).workloads.map(({ workload, pool, pods, outcome, then, replacedOn }) => [
      workload,
      pool,
      `${pods.min}-${pods.max}`,
      outcome,
      then,
      replacedOn,
    ]);

  const DEPLOYMENT = { deploymentTemplate: template(8080), workloadTweaks: TWO };
  const STATIC = (most: number): unknown[] => [
    'YurtStaticSet edge/agent',
    undefined,
    `0-${most}`,
    'stays',
    undefined,
    undefined,
  ];

  describe('an outage of a pool with a YurtAppSet', () => {
    it('has the Pods of that pool, which run nowhere else', () => {
      const web = ['YurtAppSet edge/web', 'site-18', '2-2', 'evicted', 'waits for a Node', undefined];
      expect(fates(DEPLOYMENT, { pools: ['site-18'] })).toEqual([web, STATIC(3)]);
    });

    it('of one Node has a replacement in its pool', () => {
      const web = ['YurtAppSet edge/web', 'site-18', '0-1', 'perhaps evicted', 'replaced', ['site-18']];
      expect(fates(DEPLOYMENT, { nodes: ['site-18-1'] })).toEqual([web, STATIC(1)]);
    });

    it('of StatefulSets waits for its Nodes', () => {
      const [db] = fates({ statefulSetTemplate: template(8080) }, { pools: ['site-17'] });
      expect(db?.slice(1)).toEqual(['site-17', '1-1', 'evicted', 'waits for the same Node', undefined]);
    });

    it('that is patched is evicted perhaps, because the patch may say otherwise', () => {
      const patches = [{ operation: 'add', path: '/metadata/labels/a', value: 'b' }] as const;
      const patched = [{ pools: ['site-18'], tweaks: { patches: [...patches] } }];
      const [web] = fates({ deploymentTemplate: template(8080), workloadTweaks: patched }, { pools: ['site-18'] });
      expect(web?.slice(1, 4)).toEqual(['site-18', '1-1', 'perhaps evicted']);
    });

    it('is one row in the table for pools with the same fate', () => {
      const text = String(
        simulate({ deploymentTemplate: template(8080) }, { down: { pools: ['site-17', 'site-18'] } }),
      );
      expect(text.match(/YurtAppSet edge\/web/g)).toHaveLength(1);
    });
  });

  describe('an update of a YurtAppSet', () => {
    const update = (props: Partial<YurtAppSetProps>, down: Outage['down']) => {
      const { pods, away, updated, outcome, rule } =
        simulate({ ...DEPLOYMENT, ...props }, { down, update: 'YurtAppSet edge/web' }).update ?? {};
      return [pods, away?.max, updated?.min, outcome, rule];
    };

    it('finishes in the other pools while a whole pool is away', () => {
      expect(update({}, { pools: ['site-18'] })).toEqual([
        3,
        2,
        1,
        'finishes',
        expect.stringMatching(/^in site-18: all/),
      ]);
    });

    it('hangs, or not, by the rollout of the Deployment of a pool', () => {
      const down = { nodes: ['site-18-1'] };
      const given = template(8080);
      const own = given.spec as any;
      own.strategy = { type: 'Recreate' };
      expect(update({ deploymentTemplate: given }, down).slice(3)).toEqual([
        'perhaps hangs',
        expect.stringMatching(/^in site-18: Recreate/),
      ]);
      expect(update({ rollout: 'rolling', nodesAway: 1 }, down)[3]).toBe('finishes');
    });
  });
});
