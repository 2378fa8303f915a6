/** `edge-nodepools explain`: one workload, every pool, every reason. */
import { HOST, MEMBER, node, pool, run, workload, EXCLUDED } from './fleet-objects.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, type App, Chart } from 'cdk8s';
import { type IConstruct, Node } from 'constructs';
import {
  EdgeApp,
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  manifestsOf,
} from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';

const FLEET = [
  pool('hz', true),
  pool('beijing', true),
  pool('office', false),
  { ...workload('web', { tolerations: [] }, 'Deployment'), metadata: { name: 'web', namespace: 'shop' } },
  workload('agent', { hostNetwork: true, nodeSelector: { [MEMBER]: 'hz', site: 'north' } }),
  workload('proxy', { affinity: EXCLUDED }),
];
const explain = (name: string, ...args: string[]): ReturnType<typeof run> => run(FLEET, 'explain', name, '-', ...args);

describe('edge-nodepools explain', () => {
  it('says the outcome on each pool, who decides, why, and where it is written', () => {
    const { code, out } = explain('Deployment shop/web');
    expect(code).toBe(0);
    expect(out).toBe(`Deployment shop/web  stdin:1

hz, beijing (host network): never starts
  kubelet: it needs a Pod network, which the node does not have
      stdin:1  spec.template.spec

office (regular): runs
  NodeAffinity: requires nothing of a node: no nodeSelector, no required node affinity
      stdin:1  spec.template.spec
`);
  });

  it.each<[what: string, spec: object, kind: string, said: string[]]>([
    ['a label', { nodeSelector: { [MEMBER]: 'hz' } }, 'Deployment', [`the node has the label ${MEMBER}=hz`]],
    [
      'the term that matches',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: MEMBER, operator: 'In', values: ['other'] }] },
                { matchExpressions: [{ key: MEMBER, operator: 'Exists' }] },
              ],
            },
          },
        },
      },
      'Deployment',
      ['the node matches term 2 of 2'],
    ],
    [
      'no toleration of a taint that keeps nothing away, and that of the controller',
      {},
      'DaemonSet',
      [
        'requires nothing of a node: no nodeSelector, no required node affinity',
        'tolerates the taint node.kubernetes.io/disk-pressure:NoSchedule, as its controller or the API server adds it',
      ],
    ],
  ])('says of a workload that runs why it may: %s', (_, spec, kind, said) => {
    const pressed = [
      { key: 'soft', effect: 'PreferNoSchedule' },
      { key: 'site', value: 'hz', effect: 'NoSchedule' },
      ...(kind === 'DaemonSet' ? [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] : []),
    ];
    const tainted = { ...pool('hz', true), spec: { type: 'Edge', hostNetwork: true, taints: pressed } };
    const tolerations = [{ key: 'other' }, { key: 'site', operator: 'Exists' }];
    const objects = [tainted, workload('web', { hostNetwork: true, tolerations, ...spec }, kind)];
    const { out } = run(objects, 'explain', 'web', '-', '--format', 'json');
    const [{ outcome, reasons }] = JSON.parse(out).explanations;
    expect([outcome, reasons.map(({ reason }: any) => reason).sort()]).toEqual([
      'runs',
      [...said, 'tolerates the taint site=hz:NoSchedule'].sort(),
    ]);
    expect(reasons.find(({ path }: any) => path.includes('tolerations')).path).toBe(
      'spec.template.spec.tolerations[1]',
    );
  });

  it.each(['web', 'shop/web', 'deployment/web', 'Deployment web', 'DEPLOYMENT shop/web'])('finds %s', (name) => {
    expect(explain(name).out).toContain('Deployment shop/web');
  });

  it('says every reason, also those that show does not tell', () => {
    const tainted = {
      ...pool('hz', true),
      spec: { type: 'Edge', hostNetwork: true, taints: [{ key: 'a', effect: 'NoSchedule' }] },
    };
    const { out } = run([tainted, workload('web', { affinity: EXCLUDED }, 'Deployment')], 'explain', 'web', '-');
    expect(out).toContain('  NodeAffinity: excluded from host-network nodes\n');
    expect(out).toContain('  TaintToleration: taint a:NoSchedule\n');
    expect(out).toContain('  kubelet: never starts: it needs a Pod network');
  });

  it('judges a Node of a dump, with the Pods that it has', () => {
    const edge = {
      ...node('edge-1', { [MEMBER]: 'hz', [HOST]: 'true' }),
      status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } },
    };
    const podOn = (name: string, spec: object): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName: 'edge-1', hostNetwork: true, ...spec },
    });
    const big = podOn('big', { containers: [{ name: 'a', resources: { requests: { cpu: '950m' } } }] });
    const dump = [edge, big, workload('web', { hostNetwork: true }, 'Deployment')];
    expect(run(dump, 'explain', 'web', '-', '--node', 'edge-1').out).toMatch(
      /edge-1 \(host network\): no room\n {2}NodeResourcesFit: cpu/,
    );
    // a Pod that is there is no obstacle to itself
    expect(run(dump, 'explain', 'Pod big', '-', '--node', 'edge-1').out).toContain('edge-1 (host network): runs');
  });

  it('prints JSON, and only the pools that are asked for', () => {
    const { out } = explain('agent', '--format', 'json', '--pool', 'beijing');
    const { workload: name, explanations } = JSON.parse(out);
    expect(name).toBe('DaemonSet default/agent');
    expect(explanations).toEqual([
      expect.objectContaining({
        pools: ['beijing'],
        outcome: 'excluded',
        reasons: [expect.objectContaining({ by: 'NodeAffinity', reason: 'only hz' })],
      }),
    ]);
  });

  it.each<[string, string[], RegExp]>([
    ['a workload that is not there', ['none'], /there is no workload none in stdin; write it as show prints it/],
    ['a name that several have', ['daemonset'], /there is no workload daemonset/],
    [
      'a pool that is not there',
      ['web', '--pool', 'x'],
      /--pool x: there is no such pool; there are hz, beijing, office/,
    ],
    [
      'a Node that is not there',
      ['web', '--node', 'x'],
      /--node x: there is no such Node; there are no Nodes in stdin/,
    ],
  ])('says what to write for %s', (_, [name = '', ...args], message) => {
    expect(explain(name, ...args)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(message) });
  });

  it('asks which one, if a name is that of several', () => {
    const both = [...FLEET, workload('web', { hostNetwork: true })];
    expect(run(both, 'explain', 'web', '-')).toMatchObject({
      code: 2,
      err: expect.stringContaining("web is 2 workloads; write 'Deployment shop/web', 'DaemonSet default/web'"),
    });
  });
});

/** A fleet that is twice as large takes twice as many steps: what is counted are visits of the tree, objects that are rendered, and checks, so no time. */
describe('the growth of a fleet', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'growth-'))));
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  /** Counts the calls of a method, which does what it did. */
  function counting<Name extends string>(
    of: Record<Name, (...args: any[]) => unknown>,
    name: Name,
    count: () => void,
  ): void {
    const method = of[name];
    jest.spyOn(of as Record<string, (...args: any[]) => unknown>, name).mockImplementation(function (
      this: unknown,
      ...args
    ) {
      count();
      return Reflect.apply(method, this, args);
    });
  }

  /** Steps of a synth, by kind. */
  function stepsOf(
    count: number,
    build: (app: App, count: number) => void,
    read: (app: App) => unknown,
  ): Record<string, number> {
    const steps = { visits: 0, rendered: 0, checks: 0 };
    const { get: children } = Object.getOwnPropertyDescriptor(Node.prototype, 'children') as {
      get: () => IConstruct[];
    };
    jest.spyOn(Node.prototype, 'children', 'get').mockImplementation(function (this: Node) {
      const found = children.call(this);
      steps.visits += 1 + found.length;
      return found;
    });
    counting(ApiObject.prototype, 'toJson', () => (steps.rendered += 1));
    counting(ProblemList.prototype, 'at', () => (steps.checks += 1));
    const app = new EdgeApp({ outdir: join(folder, String(count)) });
    EdgeWarnings.setMode(app, 'silent');
    build(app, count);
    read(app);
    jest.restoreAllMocks();
    return steps;
  }

  const named = (workload: { readonly metadata: object }, name: string): any => ({ ...workload, metadata: { name } });
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `site-${index}`);
  const poolIn = (chart: Chart, name: string): HostNetworkNodePool =>
    new HostNetworkNodePool(chart, name, { cluster, poolName: name, labels: { site: name } });

  const SHAPES: Readonly<Record<string, (app: App, count: number) => void>> = {
    'one chart, many pools': (app, count) => {
      const chart = new Chart(app, 'fleet');
      names(count).forEach((name) => poolIn(chart, name));
    },
    'a chart for each pool': (app, count) => {
      names(count).forEach((name) => poolIn(new Chart(app, name), name));
    },
    'charts with workloads of both kinds': (app, count) => {
      for (const name of names(count)) {
        const chart = new Chart(app, name);
        const pool = poolIn(chart, name);
        new HostNetworkWorkload(chart, 'agent', { pool, workload: named(daemonSet(), `agent-${name}`) });
        new ExcludedWorkload(chart, 'web', { cluster, workload: named(deployment(), `web-${name}`) });
      }
    },
    'the mixin over plain workloads': (app, count) => {
      for (const name of names(count)) {
        const chart = new Chart(app, name);
        new ApiObject(chart, 'web', named(deployment(), `web-${name}`));
        chart.with(ExcludedWorkload.mixin({ cluster }));
      }
    },
    'a warning for each': (app, count) => {
      for (const name of names(count)) {
        const chart = new Chart(app, name);
        poolIn(chart, name);
        new ApiObject(chart, 'odd', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { odd: '1:20' } });
      }
    },
  };

  const READERS: readonly [string, string[], (app: App) => unknown][] = [
    ['synth', ['visits', 'rendered', 'checks'], (app) => app.synth()],
    // cdk8s itself visits the whole tree for every chart
    ['manifestsOf', ['rendered', 'checks'], manifestsOf],
  ];

  describe.each(Object.entries(SHAPES))('%s', (_, build) => {
    it.each(READERS)('%s grows by an exponent of at most 1.05', (_, kinds, read) => {
      const [small, large] = [40, 80].map((count) => stepsOf(count, build, read));
      const exponents = kinds.map((kind) => [kind, Math.log2(Number(large?.[kind]) / Number(small?.[kind]))]);
      expect(Math.min(...kinds.map((kind) => Number(small?.[kind])))).toBeGreaterThanOrEqual(40);
      expect(exponents.filter(([, exponent]) => !(Number(exponent) <= 1.05))).toEqual([]);
    });
  });
});
