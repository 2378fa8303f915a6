/** An excluded YurtAppSet is excluded in every pool, whatever OpenYurt's controllers add to it. */
import { ApiObject, App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
} from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { postRender } from '../../src/workloads/post-render.js';
import { untyped } from '../bad-inputs/case.js';
import { HOST_NETWORK_TWEAKS, TWEAKS, yurtAppSet } from '../corpus/yurt-app-tweaks.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** `CODE path` of each problem of a declaration. */
function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    return (error as any).problems?.map(({ code, path }: any) => `${code} ${path}`) ?? [String(error)];
  }
  return [];
}

const exclude = (chart: Chart, workload: unknown): ExcludedWorkload =>
  new ExcludedWorkload(chart, 'web', untyped({ cluster, workload }));

const postRendered = (object: object, input: object = {}): unknown => {
  const problems = new ProblemList();
  postRender(JSON.stringify(object), { cluster, ...input }, problems);
  problems.throwIfAny('post-render');
  return undefined;
};

const mixin = (object: any, filter: object = {}): unknown => {
  const app = new App();
  const chart = new Chart(app, 'chart');
  new ApiObject(chart, 'it', object);
  chart.with(ExcludedWorkload.mixin({ cluster, ...filter }));
  return Testing.synth(chart);
};

describe('patches in workloadTweaks', () => {
  const at = 'spec.workload.workloadTweaks[0].tweaks.patches';

  it.each(TWEAKS.map(({ what, ...tweak }) => [what, tweak] as const))('%s', (_, { patches, refused }) => {
    const set = yurtAppSet('web', { pools: ['shanghai'] }, [{ pools: ['shanghai'], tweaks: { replicas: 2, patches } }]);
    const expected = refused === undefined ? [] : [`${at}[${refused}]`];
    const paths = (prefix: string): string[] => expected.map((path) => `EDGE_CONTRADICTION ${prefix}${path}`);
    expect(problemsOf(() => exclude(Testing.chart(), set))).toEqual(paths('workload.'));
    expect(problemsOf(() => mixin(set))).toEqual(paths(''));
    expect(problemsOf(() => postRendered(set))).toEqual(paths('["YurtAppSet default/web"].'));
  });

  it('of two tweaks count together, too', () => {
    const terms =
      '/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0';
    const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
    // each alone keeps one of two exclusions
    const swap = {
      nodepoolSelector: {},
      tweaks: { patches: [{ operation: 'replace', path: `${terms}/matchExpressions/0`, value: os }] },
    };
    const second = {
      nodepoolSelector: {},
      tweaks: { patches: [{ operation: 'replace', path: `${terms}/matchExpressions/1`, value: os }] },
    };
    const exclusion = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
    const twice = { nodeSelectorTerms: [{ matchExpressions: [exclusion, exclusion] }] };
    const set = yurtAppSet('web', { pools: ['shanghai'] }, [swap, second]);
    set.spec.workload.workloadTemplate.deploymentTemplate.spec.template.spec.affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: twice },
    };
    expect(problemsOf(() => exclude(Testing.chart(), set))).toEqual([
      'EDGE_CONTRADICTION workload.spec.workload.workloadTweaks[1].tweaks.patches[0]',
    ]);
  });

  it('of a StatefulSet count as those of a Deployment', () => {
    const set = yurtAppSet('web', {}, [
      { pools: ['a'], tweaks: { patches: [{ operation: 'replace', path: '/spec/template/spec/affinity' }] } },
    ]);
    const { workloadTemplate } = set.spec.workload;
    workloadTemplate.statefulSetTemplate = workloadTemplate.deploymentTemplate;
    delete workloadTemplate.deploymentTemplate;
    expect(problemsOf(() => exclude(Testing.chart(), set))).toHaveLength(1);
  });

  it('that select a declared host-network pool are refused', () => {
    const chart = Testing.chart();
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    const path = '/spec/template/spec/nodeSelector/apps.openyurt.io~1nodepool';
    const set = yurtAppSet('web', {}, [
      { pools: ['a'], tweaks: { patches: [{ operation: 'add', path, value: 'hz' }] } },
    ]);
    expect(problemsOf(() => exclude(chart, set))).toEqual([`EDGE_CONTRADICTION workload.${at}[0]`]);
  });
});

describe('patches in workloadTweaks of a HostNetworkWorkload', () => {
  const tweaked = (patches: readonly object[]): unknown =>
    yurtAppSet('web', { pools: ['shop'] }, [{ pools: ['shop'], tweaks: { patches } }]);
  const problems = (workload: any): string[] =>
    problemsOf(() => {
      const chart = Testing.chart();
      const taints = [{ key: 'site', value: 'shop', effect: 'NoSchedule' as const }];
      const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'shop', taints });
      new HostNetworkWorkload(chart, 'web', { pool, workload });
    });

  it.each(HOST_NETWORK_TWEAKS.map(({ what, ...tweak }) => [what, tweak] as const))('%s', (_, { patches, refused }) => {
    const at = `workload.spec.workload.workloadTweaks[0].tweaks.patches[${refused}]`;
    expect(problems(tweaked(patches))).toEqual(refused === undefined ? [] : [`EDGE_CONTRADICTION ${at}`]);
  });

  it('are not blamed for what is wrong without them', () => {
    const set: any = tweaked([{ operation: 'replace', path: '/spec/replicas', value: 2 }]);
    set.spec.workload.workloadTemplate.deploymentTemplate.spec.template.spec.hostNetwork = false;
    const path = 'workload.spec.workload.workloadTemplate.deploymentTemplate.spec.template.spec.hostNetwork';
    expect(problems(set)).toEqual([`EDGE_CONTRADICTION ${path}`]);
  });
});

describe('the patch of a pool in v1alpha1', () => {
  const affinity = (value: unknown): object => ({ spec: { template: { spec: { affinity: value } } } });
  const required = (terms: unknown): object =>
    affinity({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } });
  const exclusion = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'DoesNotExist' };

  it.each<[string, object, boolean]>([
    ['an image', { spec: { template: { spec: { containers: [{ name: 'web', image: 'b' }] } } } }, false],
    ['an affinity beside', affinity({ podAntiAffinity: {} }), false],
    ['terms that exclude', required([{ matchExpressions: [exclusion] }]), false],
    ['other terms', required([{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }]), true],
    ['no affinity', affinity(null), true],
    ['no node affinity', affinity({ nodeAffinity: null }), true],
    ['an affinity that replaces', affinity({ $patch: 'replace', podAffinity: {} }), true],
    ['an affinity that is deleted', affinity({ $patch: 'delete' }), true],
    ['a template that replaces', { spec: { template: { $patch: 'replace', spec: { containers: [] } } } }, true],
    ['a node', { spec: { template: { spec: { nodeName: 'a' } } } }, true],
  ])('%s', (_, patch, isRefused) => {
    const set = yurtAppSet('web', {});
    const { workload, ...spec } = set.spec;
    const alpha = {
      ...set,
      apiVersion: 'apps.openyurt.io/v1alpha1',
      spec: { ...spec, ...workload, topology: { pools: [{ name: 'a' }, { name: 'b', patch }] } },
    };
    expect(problemsOf(() => exclude(Testing.chart(), alpha))).toEqual(
      isRefused ? ['EDGE_CONTRADICTION workload.spec.topology.pools[1].patch'] : [],
    );
  });
});

describe('a YurtAppOverrider', () => {
  const overrider = (patch: object, kind = 'YurtAppSet'): any => ({
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'YurtAppOverrider',
    metadata: { name: 'it', namespace: 'shop' },
    subject: { apiVersion: 'apps.openyurt.io/v1alpha1', kind, name: 'web' },
    entries: [
      { pools: ['a'], items: [] },
      { pools: ['*'], patches: [{ path: '/spec/replicas', operation: 'replace', value: 2 }, patch] },
    ],
  });
  const frees = overrider({ path: '/spec/template/spec/affinity', operation: 'replace', value: {} });
  const keeps = overrider({
    path: '/spec/template/spec/tolerations/-',
    operation: 'add',
    value: { operator: 'Exists' },
  });

  it('that undoes the exclusion is refused', () => {
    expect(problemsOf(() => mixin(frees))).toEqual(['EDGE_CONTRADICTION entries[1].patches[1]']);
    expect(problemsOf(() => postRendered(frees))).toEqual([
      'EDGE_CONTRADICTION ["YurtAppOverrider shop/it"].entries[1].patches[1]',
    ]);
  });

  it('that keeps it, or patches another workload, is not changed', () => {
    expect(mixin(keeps)).toEqual([keeps]);
    expect(problemsOf(() => postRendered(keeps))).toEqual([]);
    expect(mixin(frees, { names: ['other'] })).toEqual([frees]);
    expect(mixin(frees, { namespaces: ['other'] })).toEqual([frees]);
    expect(problemsOf(() => postRendered(frees, { skip: ['YurtAppSet/web'] }))).toEqual([]);
    expect(mixin(frees, { onContradiction: 'skip' })).toEqual([frees]);
  });
});

describe('pools of an excluded YurtAppSet', () => {
  const term = (key: string, values: string[]): object => ({
    nodeSelectorTerm: { matchExpressions: [{ key, operator: 'In', values }] },
  });

  it.each<[string, object, string | undefined]>([
    ['a regular pool', { pools: ['shanghai'] }, undefined],
    ['a pool that nobody declares', { pools: ['unknown'] }, undefined],
    ['a host-network pool beside others', { pools: ['shanghai', 'hz'] }, 'pools[1]'],
    ['v1alpha1', { topology: { pools: [{ name: 'hz' }] } }, 'topology.pools[0].name'],
    [
      'v1alpha1, by its term',
      { topology: { pools: [{ name: 'x', ...term('apps.openyurt.io/nodepool', ['shanghai', 'hz']) }] } },
      'topology.pools[0].nodeSelectorTerm.matchExpressions[0].values[1]',
    ],
    [
      'v1alpha1, by name and term',
      { topology: { pools: [{ name: 'hz', ...term('apps.openyurt.io/nodepool', ['hz']) }] } },
      'topology.pools[0].name',
    ],
    [
      'v1alpha1, a term for another label',
      { topology: { pools: [{ name: 'x', ...term('site', ['hz']) }] } },
      undefined,
    ],
    ['every pool', { nodepoolSelector: {} }, 'nodepoolSelector'],
    [
      'every edge pool',
      { nodepoolSelector: { matchLabels: { 'nodepool.openyurt.io/type': 'edge' } } },
      'nodepoolSelector',
    ],
    ['every cloud pool', { nodepoolSelector: { matchLabels: { 'nodepool.openyurt.io/type': 'cloud' } } }, undefined],
    ['by label', { nodepoolSelector: { matchLabels: { site: 'hangzhou' } } }, 'nodepoolSelector'],
    ['by another label', { nodepoolSelector: { matchLabels: { site: 'shanghai' } } }, undefined],
    [
      'by expressions',
      { nodepoolSelector: { matchExpressions: [{ key: 'site', operator: 'In', values: ['hangzhou', 'x'] }] } },
      'nodepoolSelector',
    ],
    [
      'by expressions that leave it out',
      { nodepoolSelector: { matchExpressions: [{ key: 'site', operator: 'NotIn', values: ['hangzhou'] }] } },
      undefined,
    ],
    [
      'by absence',
      { nodepoolSelector: { matchExpressions: [{ key: 'other', operator: 'DoesNotExist' }] } },
      'nodepoolSelector',
    ],
    [
      'by a label that it does not have',
      { nodepoolSelector: { matchExpressions: [{ key: 'other', operator: 'Exists' }] } },
      undefined,
    ],
  ])('%s', (_, spec, path) => {
    const declare = (chart: Chart): void => {
      new HostNetworkNodePool(chart, 'hz', { cluster, poolName: 'hz', metadata: { labels: { site: 'hangzhou' } } });
      new RegularNodePool(chart, 'shanghai', {
        cluster,
        poolName: 'shanghai',
        metadata: { labels: { site: 'shanghai' } },
      });
    };
    const expected = path === undefined ? [] : [`EDGE_CONTRADICTION workload.spec.${path}`];
    const before = Testing.chart();
    declare(before);
    expect(problemsOf(() => exclude(before, yurtAppSet('web', { ...spec })))).toEqual(expected);

    // a pool that is declared later is seen at synthesis
    const after = Testing.chart();
    exclude(after, yurtAppSet('web', { ...spec }));
    declare(after);
    const synthesized = problemsOf(() => Testing.synth(after));
    expect(synthesized.map((text) => /workload\.spec\.[\w.[\]]+/.exec(text)?.[0])).toEqual(
      path === undefined ? [] : [`workload.spec.${path}`],
    );
  });

  it('and of a YurtAppDaemon, which runs there without its affinity', () => {
    const cluster16 = EdgeCluster.of({ openYurt: '1.6', kubernetes: '1.30' });
    const chart = Testing.chart();
    new HostNetworkNodePool(chart, 'hz', { cluster: cluster16, poolName: 'hz' });
    const { workload, ...spec } = yurtAppSet('web', { nodepoolSelector: {} }).spec;
    const daemon = { ...yurtAppSet('web', {}), kind: 'YurtAppDaemon', spec: { ...spec, ...workload } };
    const run = (): unknown =>
      new ExcludedWorkload(
        chart,
        'web',
        untyped({ cluster: cluster16, workload: { ...daemon, apiVersion: 'apps.openyurt.io/v1alpha1' } }),
      );
    expect(problemsOf(run)).toEqual(['EDGE_CONTRADICTION workload.spec.nodepoolSelector']);
  });
});

it.each<[string, object, string[]]>([
  ['v1alpha1', { poolName: 'hz' }, ['EDGE_CONTRADICTION workload.spec.poolName']],
  ['v1alpha2', { poolName: 'hz' }, ['EDGE_CONTRADICTION workload.spec.poolName']],
  ['v1beta1', { nodepools: ['x', 'hz'] }, ['EDGE_CONTRADICTION workload.spec.nodepools[1]']],
  ['v1beta1', { nodepools: ['x'] }, []],
])('an excluded PlatformAdmin %s names no host-network pool: %j', (version, spec, expected) => {
  const chart = new Chart(new App(), 'chart');
  new HostNetworkNodePool(chart, 'hz', { cluster, poolName: 'hz' });
  const apiVersion = `iot.openyurt.io/${version}`;
  const workload = { apiVersion, kind: 'PlatformAdmin', metadata: { name: 'edgex' }, spec };
  expect(problemsOf(() => exclude(chart, workload))).toEqual(expected);

  // the mixin says the same, unless its filter leaves the object out
  const mixed = (filter: object): string[] =>
    problemsOf(() => {
      const tree = new Chart(new App(), 'chart');
      new HostNetworkNodePool(tree, 'hz', { cluster, poolName: 'hz' });
      new ApiObject(tree, 'edgex', workload);
      const mixin = ExcludedWorkload.mixin({ cluster, ...filter });
      tree.with(mixin);
      expect(mixin.report.skipped).toMatchObject([{ workload: 'PlatformAdmin edgex', changed: [] }]);
    });
  expect(mixed({})).toEqual(expected.map((text) => text.replace('workload.', '')));
  expect(mixed({ onContradiction: 'skip' })).toEqual([]);
  expect(mixed({ names: ['web'] })).toEqual([]);
});
