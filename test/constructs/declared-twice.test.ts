/** What two declarations of one program both make or change. */
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
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
});
