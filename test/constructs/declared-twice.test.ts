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
  EdgeApp,
} from 'edge-nodepools';
import { daemonSet, deployment, pool } from '../bad-inputs/case.js';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
});

/** A program that synthesizes twice, such as a test or a watcher: the second synth is checked as the first one is. */
describe('synthesized twice', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'synths-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const written = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const named = (name: string): any => ({ ...deployment(), metadata: { name } });

  describe.each<[string, () => App]>([
    ['App', () => new App({ outdir: folder })],
    ['EdgeApp', () => new EdgeApp({ outdir: folder })],
  ])('%s', (_, make) => {
    /** An excluded workload in the second of two charts. */
    const started = (): { app: App; chart: Chart } => {
      const app = make();
      EdgeWarnings.setMode(app, 'silent');
      new ApiObject(new Chart(app, 'a-first'), 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } });
      const chart = new Chart(app, 'second');
      new ExcludedWorkload(chart, 'own', { cluster, workload: named('web') });
      return { app, chart };
    };

    it('refuses a sure duplicate every time, and writes nothing', () => {
      const { app, chart } = started();
      new ApiObject(chart, 'plain', named('web'));
      [1, 2, 3].forEach(() => {
        expect(() => app.synth()).toThrow(/EDGE_DUPLICATE {2}second\/plain already creates Deployment web/);
        expect(written()).toEqual([]);
      });
    });

    it('looks again for duplicates when one object has taken the place of another', () => {
      const { app, chart } = started();
      const replace = (name: string): void => {
        chart.node.tryRemoveChild('plain');
        new ApiObject(chart, 'plain', named(name));
      };
      replace('web');
      expect(() => app.synth()).toThrow('EDGE_DUPLICATE');
      replace('api');
      app.synth();
      replace('web');
      expect(() => app.synth()).toThrow('EDGE_DUPLICATE');
    });

    it.each<[string, (chart: Chart) => ApiObject, JsonPatch]>([
      [
        'ExcludedWorkload',
        (chart) => ApiObject.of(chart.node.findChild('own')),
        JsonPatch.remove('/spec/template/spec/affinity'),
      ],
      [
        'the mixin',
        (chart) => {
          const object = new ApiObject(chart, 'plain', { ...daemonSet(), metadata: { name: 'log' } });
          chart.with(ExcludedWorkload.mixin({ cluster }));
          return object;
        },
        JsonPatch.add('/spec/template/spec/nodeSelector', { [cluster.hostNetworkLabel.key]: 'true' }),
      ],
    ])('checks what %s writes before anything is written, every time', (_, objectIn, patch) => {
      const { app, chart } = started();
      const object = objectIn(chart);
      app.synth();
      expect(written()).not.toEqual([]);
      rmSync(folder, { recursive: true });
      object.addJsonPatch(patch);
      [1, 2].forEach(() => {
        expect(() => app.synth()).toThrow('EDGE_CONTRADICTION');
        expect(written()).toEqual([]);
      });
    });
  });
});
