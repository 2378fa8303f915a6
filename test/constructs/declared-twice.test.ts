/** What two declarations of one program both make or change. */
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import { k8s } from 'cdk8s-plus-33';
import {
  artifactsOf,
  EdgeCluster,
  type EdgeError,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  ExclusionStrategy,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';
import * as components from '../../src/pulumi/index.js';
import { daemonSet, deployment, pool } from '../bad-inputs/case.js';
import { record } from '../pulumi/recorded.js';

const { KUBE_PROXY, COREDNS } = SystemComponent;
const strategy = ExclusionStrategy.SERVER_SIDE_APPLY;

it('refuses a component that another EdgeSystemComponents excludes, with the same error on every minor', () => {
  const refusals = ['1.28', '1.34', '1.36', '1.37'].map((kubernetes) => {
    const chart = new Chart(new App(), 'fleet');
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes });
    new EdgeSystemComponents(chart, 'a', { cluster, exclude: [KUBE_PROXY] });
    try {
      new EdgeSystemComponents(chart, 'b', { cluster, exclude: [COREDNS, KUBE_PROXY], strategy });
    } catch (error) {
      // what is refused excludes nothing
      new EdgeSystemComponents(chart, 'c', { cluster, exclude: [COREDNS], strategy });
      return (error as EdgeError).problems;
    }
    throw new Error(`accepted on ${kubernetes}`);
  });
  expect(new Set(refusals.map((problems) => JSON.stringify(problems))).size).toBe(1);
  expect(refusals[0]).toEqual([
    expect.objectContaining({
      code: 'EDGE_DUPLICATE',
      path: 'exclude[1]',
      message: 'fleet/a already excludes DaemonSet kube-system/kube-proxy',
    }),
  ]);
});

it('refuses two different files with one name, and accepts the same file twice', () => {
  const app = new App();
  const chart = new Chart(app, 'fleet');
  const on = (kubernetes: string): EdgeCluster => EdgeCluster.of({ openYurt: 'none', kubernetes });
  const props = { cluster: on('1.34'), exclude: [COREDNS], strategy: ExclusionStrategy.KUBEADM_PATCH };
  new EdgeSystemComponents(chart, 'a', props);
  new EdgeSystemComponents(chart, 'b', { ...props, cluster: on('1.35') });
  expect(artifactsOf(app)).toHaveLength(1);
  new EdgeSystemComponents(chart, 'c', { ...props, components: { coredns: { namespace: 'dns' } } });
  expect(() => artifactsOf(app)).toThrow(/EDGE_ARTIFACT/);
});

describe('two objects of one kind, namespace and name', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const of = (metadata: object, object: any = deployment()): any => ({ ...object, metadata });
  const duplicates = (app: App): string[] =>
    EdgeWarnings.of(app).flatMap(({ code, message }) => (code === 'EDGE_DUPLICATE' ? [message] : []));

  it('are an error in one chart, whichever constructs make them', () => {
    const chart = new Chart(new App(), 'chart', { namespace: 'shop' });
    new ExcludedWorkload(chart, 'a', { cluster, workload: of({ name: 'web' }, daemonSet()) });
    const workload = of({ name: 'web', namespace: 'shop' }, daemonSet());
    expect(() => new ExcludedWorkload(chart, 'b', { cluster, workload })).toThrow(
      /ExcludedWorkload chart\/b: 1 problem\n {2}EDGE_DUPLICATE {2}chart\/a already creates DaemonSet shop\/web/,
    );
    // these pools are in another cluster
    new HostNetworkWorkload(chart, 'c', { pool: pool(chart), workload });
    expect(() => new HostNetworkWorkload(chart, 'd', { pool: pool(chart, 'x'), workload })).toThrow('EDGE_DUPLICATE');
  });

  it.each<[string, object, any]>([
    ['another namespace', { name: 'web', namespace: 'x' }, deployment()],
    ['another name', { name: 'api' }, deployment()],
    ['another kind', { name: 'web' }, daemonSet()],
    ['a generated name', {}, deployment()],
  ])('differ by %s', (_, metadata, object) => {
    const chart = new Chart(new App(), 'chart');
    new ExcludedWorkload(chart, 'a', { cluster, workload: of({ name: 'web' }) });
    new ExcludedWorkload(chart, 'b', { cluster, workload: of(metadata, object) });
    expect(duplicates(chart.node.root as App)).toEqual([]);
  });

  describe('of which one is made by a construct that is not of this library', () => {
    const web = (kind: 'Deployment' | 'DaemonSet', metadata: object = { name: 'web' }): any =>
      of(metadata, kind === 'Deployment' ? deployment() : daemonSet());
    const made: [string, (chart: Chart) => unknown][] = [
      ['an ApiObject', (chart) => new ApiObject(chart, 'plain', web('Deployment'))],
      [
        'another version',
        (chart) => new ApiObject(chart, 'plain', { ...web('Deployment'), apiVersion: 'apps/v1beta2' }),
      ],
      ['k8s', (chart) => new k8s.KubeDeployment(chart, 'plain', web('Deployment'))],
      ['a patch', (chart) => new ApiObject(chart, 'plain', web('Deployment', { name: 'x' })).addJsonPatch(TO_WEB)],
      [
        'a List in a List',
        (chart) => {
          const list = (...items: unknown[]): any => ({ apiVersion: 'v1', kind: 'List', items });
          return new ApiObject(chart, 'plain', list(web('DaemonSet'), list(web('Deployment'))));
        },
      ],
    ];
    const TO_WEB = JsonPatch.replace('/metadata/name', 'web');

    it.each(made)('are an error in one chart: %s', (_, make) => {
      for (const order of [1, -1]) {
        const chart = new Chart(new App(), 'chart');
        const both = [make, () => new ExcludedWorkload(chart, 'own', { cluster, workload: web('Deployment') })];
        (order === 1 ? both : both.reverse()).forEach((one) => one(chart));
        expect(() => Testing.synth(chart)).toThrow(
          /ExcludedWorkload chart\/own: 1 problem\n {2}EDGE_DUPLICATE {2}chart\/plain\S* already creates Deployment web/,
        );
      }
    });

    it('are an error for a HostNetworkWorkload, in the namespace of the chart', () => {
      const chart = new Chart(new App(), 'chart', { namespace: 'shop' });
      new HostNetworkWorkload(chart, 'own', { pool: pool(chart), workload: web('DaemonSet') });
      new ApiObject(chart, 'plain', web('DaemonSet', { name: 'web', namespace: 'shop' }));
      expect(() => Testing.synth(chart)).toThrow(/chart\/plain already creates DaemonSet shop\/web/);
    });

    it.each<[string, object, object, (app: App) => Chart]>([
      [
        'only one has a namespace',
        { name: 'web' },
        { name: 'web', namespace: 'default' },
        (app) => app.node.findChild('chart') as Chart,
      ],
      ['they are in two charts', { name: 'web' }, { name: 'web' }, (app) => new Chart(app, 'other')],
      // it is a file of its own
      [
        'one is in a nested chart',
        { name: 'web' },
        { name: 'web' },
        (app) => new Chart(app.node.findChild('chart'), 'other'),
      ],
    ])('are a warning if %s', (_, own, plain, chartOf) => {
      const app = new App();
      const chart = new Chart(app, 'chart');
      EdgeWarnings.setMode(app, 'silent');
      new ExcludedWorkload(chart, 'own', { cluster, workload: web('Deployment', own) });
      new ApiObject(chartOf(app), 'plain', web('Deployment', plain));
      Testing.synth(chart);
      expect(EdgeWarnings.of(app)).toContainEqual(
        expect.objectContaining({
          construct: 'chart/own',
          code: 'EDGE_DUPLICATE',
          message: expect.stringMatching(/^[a-z/]+\/plain already creates Deployment web/),
        }),
      );
    });

    it('differ by group, kind, name or namespace', () => {
      const chart = new Chart(new App(), 'chart');
      new ExcludedWorkload(chart, 'own', { cluster, workload: web('Deployment') });
      new ApiObject(chart, 'group', { ...web('Deployment'), apiVersion: 'apps.example.com/v1' });
      new ApiObject(chart, 'kind', web('DaemonSet'));
      new ApiObject(chart, 'name', web('Deployment', { name: 'api' }));
      new ApiObject(chart, 'namespace', web('Deployment', { name: 'web', namespace: 'x' }));
      Testing.synth(chart);
      expect(duplicates(chart.node.root as App)).toEqual([]);
    });

    it('differ by the name that a patch gives', () => {
      const chart = new Chart(new App(), 'chart');
      const own = new ExcludedWorkload(chart, 'own', { cluster, workload: web('Deployment') });
      const rename = JsonPatch.replace('/metadata/name', 'x');
      own.node.findAll().forEach((one) => ApiObject.isApiObject(one) && one.addJsonPatch(rename));
      new ApiObject(chart, 'plain', web('Deployment'));
      expect(Testing.synth(chart)).toHaveLength(2);
    });

    it('are no twins of a part of an object, which is applied to it', () => {
      const chart = new Chart(new App(), 'chart');
      new EdgeSystemComponents(chart, 'system', { cluster, exclude: [COREDNS], strategy });
      new ApiObject(chart, 'plain', web('Deployment', { name: 'coredns', namespace: 'kube-system' }));
      expect(duplicates(chart.node.root as App)).toEqual([]);
      Testing.synth(chart);
    });
  });

  it('are a warning in two charts, which may be applied to two clusters', () => {
    const app = new App();
    for (const id of ['staging', 'production']) {
      new ExcludedWorkload(new Chart(app, id), 'web', { cluster, workload: deployment() });
    }
    expect(duplicates(app)).toEqual([expect.stringContaining('staging/web already creates Deployment web')]);
  });

  it('are a warning if the mixin excludes them, by the names that are written', () => {
    const chart = new Chart(new App(), 'chart');
    const [a, b] = ['a', 'b'].map((id) => new ApiObject(chart, id, of({ name: id })));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    expect(duplicates(chart.node.root as App)).toEqual([]);
    b?.addJsonPatch(JsonPatch.replace('/metadata/name', 'a'));
    expect(a?.name).toBe('a');
    EdgeWarnings.setMode(chart, 'silent');
    Testing.synth(chart);
    expect(duplicates(chart.node.root as App)).toEqual([
      expect.stringContaining('chart/a already creates Deployment a'),
    ]);
  });

  it('are a warning in a Pulumi program, whose providers may be two clusters', async () => {
    const { warnings } = await record(() => {
      new components.ExcludedWorkload('a', { cluster, workload: deployment() });
      new components.ExcludedWorkload('b', { cluster, workload: deployment() });
    });
    expect(warnings.filter((text) => text.includes('EDGE_DUPLICATE'))).toEqual([
      expect.stringContaining('a already creates Deployment web'),
    ]);
  });

  it.each<[string, object, object, boolean]>([
    ['the same name', { name: 'web' }, { name: 'web', namespace: 'default' }, true],
    ['another name', { name: 'web' }, { name: 'api' }, false],
    ['a name that is given later', { name: 'web' }, {}, false],
  ])('are a warning in a Pulumi program with the transform: %s', async (_, own, plain, isTold) => {
    for (const isPlainFirst of [true, false]) {
      const { warnings } = await record(() => {
        const transform = components.excludeFromHostNetworkPools(cluster);
        // mocks have no transforms
        const see = (name: string, metadata: object): unknown => {
          const { spec } = deployment();
          const type = 'kubernetes:apps/v1:Deployment';
          return transform({ custom: true, type, name, props: { metadata, spec }, opts: {} });
        };
        const makeOwn = (): void => {
          new components.ExcludedWorkload('own', { cluster, workload: of(own) });
          see('own', own);
        };
        const both = [() => see('plain', plain), makeOwn];
        (isPlainFirst ? both : both.reverse()).forEach((make) => make());
      });
      expect(warnings.filter((text) => text.includes('EDGE_DUPLICATE'))).toEqual(
        isTold ? [expect.stringMatching(/(own|plain) already creates Deployment (default\/)?web/)] : [],
      );
    }
  });
});
