/** What a workload does while its nodes are unreachable: autonomy, rollouts, waves. */
import { ApiObject, Testing } from 'cdk8s';
import {
  EdgeCluster,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type HostNetworkWorkloadProps,
  RegularNodePool,
} from 'edge-nodepools';
import fc from 'fast-check';
import { annotatedAutonomy } from '../../src/pools/autonomous-nodes.js';
import { simulateOutage } from '../../src/fleet/simulate-outage.js';
import type { Outage } from '../../src/fleet/outage.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { runs } from '../depth.js';

const PAIRS = { '1.4': '1.23', '1.5': '1.28', '1.6': '1.30', '1.7': '1.34', none: '1.36' } as const;
type Release = keyof typeof PAIRS;
const RELEASES = Object.keys(PAIRS) as Release[];
const clusterOf = (openYurt: Release): EdgeCluster =>
  EdgeCluster.of({ openYurt, kubernetes: PAIRS[openYurt], yurthub: true });

interface Made {
  readonly object: any;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly nodePool: any;
  readonly made: HostNetworkWorkload;
}

function run(
  release: Release,
  workload: any,
  props: Partial<HostNetworkWorkloadProps> = {},
  ofPool: object = {},
): Made {
  const chart = Testing.chart();
  const pool = new HostNetworkNodePool(chart, 'hz', { cluster: clusterOf(release), poolName: 'hz', ...ofPool });
  const made = new HostNetworkWorkload(chart, 'x', { pool, workload, ...props });
  const nodePool = pool.node
    .findAll()
    .find((each) => ApiObject.isApiObject(each))
    ?.toJson();
  return { made, object: made.manifest, warnings: made.warnings, nodePool };
}

const statefulSet = (podSpec: object = {}): any => ({ ...deployment(podSpec), kind: 'StatefulSet' });
const job = (podSpec: object = {}): any => {
  const { selector: _, ...spec } = deployment({ restartPolicy: 'Never', ...podSpec }).spec;
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'web' }, spec };
};
const KINDS = { deployment, daemonSet, statefulSet, job };

const tolerationsOf = ({ object }: Made): unknown => object.spec.template.spec.tolerations;
const both = (toleration: object): object[] =>
  ['not-ready', 'unreachable'].map((word) => ({
    key: `node.kubernetes.io/${word}`,
    effect: 'NoExecute',
    ...toleration,
  }));

const sized = (workload: any, replicas: number): any =>
  ['Deployment', 'StatefulSet'].includes(workload.kind)
    ? { ...workload, spec: { ...workload.spec, replicas } }
    : workload;

describe('autonomy of a workload', () => {
  it.each<[Release, string, object[]]>([
    ['none', 'forever', both({ operator: 'Exists' })],
    ['none', '2h', both({ operator: 'Exists', tolerationSeconds: 7200 })],
    ['1.7', 'forever', both({ operator: 'Exists' })],
    ['1.6', '90s', both({ operator: 'Exists', tolerationSeconds: 90 })],
    // the form that PodBinding of 1.4 and 1.5 does not replace by 300 s
    ['1.5', 'forever', both({ operator: 'Equal' })],
    ['1.4', '1m30s', both({ operator: 'Equal', tolerationSeconds: 90 })],
  ])('OpenYurt %s, %s: its tolerations', (release, autonomy, expected) => {
    const made = run(release, deployment(), { autonomy });
    expect(tolerationsOf(made)).toEqual(expected);
    expect(made.made.changes.find(({ path }) => path.endsWith('.tolerations'))?.why).toContain(autonomy);
    // what it wrote says the same, so that writing it again changes nothing
    expect(tolerationsOf(run(release, made.object, { autonomy }))).toEqual(expected);
  });

  it.each(RELEASES)('OpenYurt %s: default is no option, byte for byte, and so is forever of a DaemonSet', (release) => {
    const text = (made: Made): string => JSON.stringify([made.object, made.nodePool, made.warnings]);
    for (const workload of Object.values(KINDS)) {
      const without = text(run(release, workload()));
      expect(text(run(release, workload(), { autonomy: 'default' }))).toBe(without);
      expect(text(run(release, workload(), { autonomy: 'default' }, { autonomy: 'default' }))).toBe(without);
    }
    expect(text(run(release, daemonSet(), { autonomy: 'forever' }))).toBe(text(run(release, daemonSet())));
  });

  it('keeps tolerations of the workload that say the same', () => {
    const everything = [{ operator: 'Exists' }];
    expect(tolerationsOf(run('1.7', deployment({ tolerations: everything }), { autonomy: 'forever' }))).toEqual(
      everything,
    );
    expect(tolerationsOf(run('1.5', deployment({ tolerations: everything }), { autonomy: 'forever' }))).toEqual(
      everything,
    );
  });

  it.each<[string, any, string | undefined]>([
    ['a StatefulSet, which does not move', statefulSet(), 'does not move'],
    ['a Deployment, which then runs twice', deployment(), 'two at once'],
    ['a Deployment that fills its pool, and has no other node', deployment({}, { replicas: 2 }), undefined],
    ['a Job', job(), undefined],
  ])('for a time, warns of %s', (_, workload, message) => {
    const { warnings } = run('none', workload, { autonomy: '2h' }, { expectedNodes: 2 });
    const found = warnings.filter(({ code }) => code === 'EDGE_AUTONOMY').map((warning) => warning.message);
    expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
    expect(run('none', workload, { autonomy: 'forever' }, { expectedNodes: 2 }).warnings).toEqual(
      run('none', workload, {}, { expectedNodes: 2 }).warnings,
    );
  });
});

describe('autonomy of a pool', () => {
  it.each<[Release, string, Record<string, string>]>([
    ['1.4', 'forever', { 'node.beta.openyurt.io/autonomy': 'true' }],
    ['1.5', 'forever', { 'node.beta.openyurt.io/autonomy': 'true' }],
    ['1.6', 'forever', { 'node.openyurt.io/autonomy-duration': '0s' }],
    ['1.7', '2h', { 'node.openyurt.io/autonomy-duration': '7200s' }],
  ])('OpenYurt %s, %s: an annotation of its nodes, and none in the Pods', (release, autonomy, annotations) => {
    const { nodePool, object } = run(release, deployment(), {}, { autonomy, annotations: { owner: 'us' } });
    expect(nodePool.spec.annotations).toEqual({ owner: 'us', ...annotations });
    expect(object).toEqual(run(release, deployment()).object);
    // our reading of the annotation is what OpenYurt reads
    expect(annotatedAutonomy(annotations, clusterOf(release))).toBe(autonomy === '2h' ? '7200s' : autonomy);
  });

  it('without OpenYurt: tolerations of its workloads, unless these say otherwise', () => {
    const ofPool = { autonomy: 'forever' };
    expect(tolerationsOf(run('none', deployment(), {}, ofPool))).toEqual(both({ operator: 'Exists' }));
    expect(tolerationsOf(run('none', daemonSet(), {}, ofPool))).toBeUndefined();
    expect(tolerationsOf(run('none', deployment(), { autonomy: 'default' }, ofPool))).toBeUndefined();
    expect(tolerationsOf(run('none', deployment(), { autonomy: '1h' }, ofPool))).toEqual(
      both({ operator: 'Exists', tolerationSeconds: 3600 }),
    );
  });

  it('of a regular pool is an annotation, too', () => {
    const chart = Testing.chart();
    new RegularNodePool(chart, 'hz', { cluster: clusterOf('1.7'), poolName: 'hz', autonomy: '90s' });
    expect(Testing.synth(chart)[0].spec.annotations).toEqual({
      'node.openyurt.io/autonomy-duration': '90s',
    });
  });

  it.each<[Release, string, string]>([
    ['1.5', 'forever', 'stays'],
    ['1.7', 'forever', 'stays'],
    ['1.7', '2h', 'evicted 7240'],
    ['1.7', 'default', 'evicted 340'],
  ])('OpenYurt %s, %s: what the simulator says', (release, autonomy, outcome) => {
    const { nodePool, object } = run(release, deployment(), {}, { autonomy });
    const [found] = simulateOutage([nodePool, object], {
      down: { pools: ['hz'] },
      nodes: { hz: 4 },
      otherNodes: 60,
    }).workloads;
    expect([found?.outcome, found?.evictedAt?.earliest].filter((part) => part !== undefined).join(' ')).toBe(outcome);
  });

  it.each([
    [{ 'node.openyurt.io/autonomy-duration': '0' }, 'forever'],
    [{ 'node.openyurt.io/autonomy-duration': '-1h' }, 'forever'],
    [{ 'node.openyurt.io/autonomy-duration': '1.5h' }, '5400s'],
    [{ 'node.openyurt.io/autonomy-duration': 'soon' }, undefined],
    [{ 'node.beta.openyurt.io/autonomy': 'yes' }, undefined],
    [{ 'apps.openyurt.io/binding': 'true' }, 'forever'],
    [{}, undefined],
  ])('the annotation %p means %s', (annotations, meaning) => {
    expect(annotatedAutonomy(annotations)).toBe(meaning);
  });
});

it.each<[Release, any, boolean]>([
  ['1.7', deployment({ tolerations: both({ operator: 'Exists' }) }), true],
  ['1.5', statefulSet({ tolerations: both({ operator: 'Exists', tolerationSeconds: 60 }) }), true],
  ['1.7', daemonSet({ tolerations: both({ operator: 'Exists' }) }), false],
])('OpenYurt %s: own tolerations on autonomous nodes, which it overwrites', (release, workload, isRefused) => {
  const declare = (): Made => run(release, workload, {}, { autonomy: 'forever' });
  (isRefused ? expect(declare) : expect(declare).not).toThrow(/with which OpenYurt overwrites this toleration/);
});

describe('a workload that is autonomous forever', () => {
  it('is never evicted, in any outage', () => {
    const outages = fc.record<Outage>(
      {
        down: fc.subarray(['hz-1', 'hz-2', 'hz-3', 'hz-4', 'x-1'], { minLength: 1 }).map((nodes) => ({ nodes })),
        zones: fc.constantFrom('pool' as const, 'none' as const),
        for: fc.constantFrom('10s', '10m', '300h'),
        otherNodes: fc.integer({ min: 0, max: 60 }),
        flags: fc.record(
          {
            nodeMonitorGracePeriod: fc.constantFrom('20s', '50s'),
            nodeEvictionRate: fc.constantFrom(0, 0.1, 5),
            unhealthyZoneThreshold: fc.double({ min: 0, max: 1, noNaN: true }),
            largeClusterSizeThreshold: fc.constantFrom(0, 50),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['down'] },
    );
    const cases = fc.record({
      release: fc.constantFrom(...RELEASES),
      kind: fc.constantFrom(...Object.values(KINDS)),
      replicas: fc.integer({ min: 1, max: 6 }),
      outage: outages,
    });
    let evictedByDefault = 0;
    fc.assert(
      fc.property(cases, ({ release, kind, replicas, outage }) => {
        const fates = ['forever', 'default'].map((autonomy) => {
          const { object, nodePool } = run(release, sized(kind(), replicas), { autonomy });
          const pools = nodePool === undefined ? [] : [nodePool];
          const here = {
            pool: 'hz',
            name: 'hz',
            labels: { 'apps.openyurt.io/nodepool': 'hz', 'nodepool.openyurt.io/hostnetwork': 'true' },
          };
          const other = { ...here, name: 'x', labels: { 'apps.openyurt.io/nodepool': 'x' } };
          const report = simulateOutage([...pools, object], { ...outage, nodes: { hz: 4, x: 2 } }, [
            here,
            other,
          ] as never);
          return report.workloads.map(({ outcome }) => outcome).join();
        });
        evictedByDefault += fates[1]?.includes('evicted') === true ? 1 : 0;
        expect(fates[0]).not.toContain('evicted');
      }),
      runs(400),
    );
    expect(evictedByDefault).toBeGreaterThan(0);
  });
});

const UPDATER = 'apps.openyurt.io/update-strategy';
const AT_ONCE = 'apps.openyurt.io/max-unavailable';

describe('a rollout', () => {
  it.each<[string, Release, any, Partial<HostNetworkWorkloadProps>, object, object]>([
    ['10% of 30 nodes by default', 'none', daemonSet(), { rollout: 'rolling' }, { maxUnavailable: 4 }, {}],
    ['a share is rounded up', '1.7', daemonSet(), { rollout: 'rolling', nodesAway: '5%' }, { maxUnavailable: 3 }, {}],
    ['a number', '1.7', daemonSet(), { rollout: 'rolling', nodesAway: 7 }, { maxUnavailable: 8 }, {}],
    [
      'advanced-rolling',
      '1.4',
      daemonSet(),
      { rollout: 'advanced-rolling' },
      {},
      { [UPDATER]: 'AdvancedRollingUpdate', [AT_ONCE]: '10%' },
    ],
    [
      'advanced-rolling, 3 at once',
      '1.7',
      daemonSet(),
      { rollout: 'advanced-rolling', nodesAway: 3 },
      {},
      { [UPDATER]: 'AdvancedRollingUpdate', [AT_ONCE]: '3' },
    ],
    ['ota', '1.5', daemonSet(), { rollout: 'ota' }, {}, { [UPDATER]: 'OTA' }],
    ['on-delete', 'none', daemonSet(), { rollout: 'on-delete' }, {}, {}],
  ])('%s', (_, release, workload, props, limits, annotations) => {
    const { object, made, warnings } = run(release, workload, props, { expectedNodes: 30 });
    expect(object.spec.updateStrategy).toEqual(
      props.rollout === 'rolling' ? { type: 'RollingUpdate', rollingUpdate: limits } : { type: 'OnDelete' },
    );
    expect(object.metadata.annotations ?? {}).toEqual(annotations);
    expect(made.changes.filter(({ why }) => why.includes(`rollout ${props.rollout}`)).map(({ path }) => path)).toEqual([
      'spec.updateStrategy.type',
      ...(props.rollout === 'rolling' ? ['spec.updateStrategy.rollingUpdate.maxUnavailable'] : []),
      ...Object.keys(annotations).map((key) => `metadata.annotations["${key}"]`),
    ]);
    expect(warnings).toEqual([]);
    // written again, it is the same
    const again = run(release, object, props, { expectedNodes: 30 });
    expect(again.object).toEqual(object);
    expect(again.made.changes).toEqual([]);
  });

  it('of a Deployment leaves no room for a surge Pod, and one more than may be away', () => {
    const strategy = (replicas: number, nodesAway: number): unknown =>
      run('none', deployment({}, { replicas }), { rollout: 'rolling', nodesAway }, { expectedNodes: 9 }).object.spec
        .strategy;
    expect(strategy(9, 2)).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 3 } });
    expect(strategy(2, 5)).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } });
  });

  it('finishes in the simulator while as many nodes are unreachable as it says, and hangs without it', () => {
    const cases = fc.record({
      nodes: fc.integer({ min: 2, max: 40 }),
      percent: fc.integer({ min: 1, max: 60 }),
      kind: fc.constantFrom(deployment, daemonSet),
      rollout: fc.constantFrom<'rolling' | 'advanced-rolling'>('rolling', 'advanced-rolling'),
    });
    let hung = 0;
    fc.assert(
      fc.property(cases, ({ nodes, percent, kind, rollout }) => {
        const away = Math.ceil((nodes * percent) / 100);
        const chosen = kind === deployment ? 'rolling' : rollout;
        const outcome = (props: object): string | undefined => {
          const { object, nodePool } = run('1.7', sized(kind(), nodes), props, { expectedNodes: nodes });
          const names = Array.from({ length: away }, (_, index) => `hz-${index + 1}`);
          return simulateOutage([nodePool, object], {
            down: { nodes: names },
            nodes: { hz: nodes },
            update: `${object.kind} web`,
          }).update?.outcome;
        };
        fc.pre(away < nodes);
        hung += outcome({}) === 'hangs' ? 1 : 0;
        expect(outcome({ rollout: chosen, nodesAway: `${percent}%` })).toBe('finishes');
      }),
      runs(200),
    );
    expect(hung).toBeGreaterThan(0);
  });

  it.each<[string, Release, string, string | undefined, string | undefined]>([
    ['without OnDelete', '1.7', 'OTA', undefined, 'updateStrategy is not OnDelete'],
    ['without OpenYurt', 'none', 'OTA', 'OnDelete', 'no OpenYurt'],
    ['Auto in 1.7', '1.7', 'Auto', 'OnDelete', 'does not know Auto'],
    ['Auto in 1.6', '1.6', 'Auto', 'OnDelete', undefined],
    ['other letters in 1.4', '1.4', 'ota', 'OnDelete', 'does not know ota'],
    ['other letters in 1.5', '1.5', 'ota', 'OnDelete', undefined],
  ])('warns of an annotation that nothing reads: %s', (_, release, strategy, type, why) => {
    const workload = {
      ...daemonSet({}, type === undefined ? {} : { updateStrategy: { type } }),
      metadata: { name: 'web', annotations: { [UPDATER]: strategy } },
    };
    const found = run(release, workload).warnings.filter(({ code }) => code === 'EDGE_UNUSED');
    expect(found.map(({ message }) => message)).toEqual(why === undefined ? [] : [expect.stringContaining(why)]);
  });

  it('has its place in an order, on the object and not in its Pods', () => {
    const { object } = run('none', daemonSet(), { wave: 2 });
    expect(object.metadata).toMatchObject({
      labels: { 'edge-nodepools/wave': '2' },
      annotations: { 'argocd.argoproj.io/sync-wave': '2' },
    });
    expect(object.spec).toEqual(run('none', daemonSet()).object.spec);
  });
});
