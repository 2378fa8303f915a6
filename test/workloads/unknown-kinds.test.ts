/** Nothing that looks like a workload is left as it is without being told, and a named kind is exactly one. */
import { ApiObject, type Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  type EdgeError,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkWorkload,
  placeFleet,
} from 'edge-nodepools';
import { main } from '../../src/cli/main.js';
import { daemonSet, pool as hostNetworkPool, untyped } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const containers = [{ name: 'app', image: 'app:1' }];
const pod = { spec: { containers } };
const worker = (fields: object, kind = 'Worker', apiVersion = 'example.com/v1'): any => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  ...fields,
});

/** What the mixin reports and warns of, and the object that it leaves or makes. */
function mixed(object: any, podTemplatePaths?: Record<string, string | string[]>): any {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  new ApiObject(chart, 'object', object);
  const mixin = ExcludedWorkload.mixin({ cluster, podTemplatePaths });
  chart.with(mixin);
  const [made] = Testing.synth(chart);
  const warnings = EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_NOT_EXCLUDED');
  return { ...mixin.report, made, warnings, isExcluded: !placeFleet([made], [EDGE])[0]?.runs.length };
}

const EDGE = { name: 'edge', labels: { 'nodepool.openyurt.io/hostnetwork': 'true' } };

function postRender(objects: readonly object[], ...args: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['post-render', ...args], {
    stdin: () => objects.map((object) => JSON.stringify(object)).join('\n---\n'),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const UNKNOWN: [string, object, path: string, entry: string][] = [
  ['a template in spec', { spec: { template: pod } }, 'spec.template.spec', "'spec.template'"],
  ['a template in a list', { spec: { jobs: [{ pod }] } }, 'spec.jobs[0].pod.spec', "'spec.jobs[*].pod'"],
  ['a Pod spec without a template', { spec: { podSpec: { containers } } }, 'spec.podSpec', "'spec.podSpec'"],
  ['a Pod spec that is spec', { spec: { containers } }, 'spec', "'spec'"],
  [
    'containers with an image only',
    { spec: { pod: { spec: { containers: [{ image: 'a' }] } } } },
    'spec.pod.spec',
    "'spec.pod'",
  ],
  ['a template outside of spec', { workers: { template: pod } }, 'workers.template.spec', "'workers.template'"],
  [
    'two templates',
    { spec: { agents: [pod, pod], server: pod } },
    'spec.agents[0].spec',
    "['spec.agents[*]', 'spec.server']",
  ],
];

it.each(UNKNOWN)('tells of an unknown kind with %s, and how to exclude it', (_, fields, path, entry) => {
  const object = worker(fields);
  const { skipped, touched, made, warnings } = mixed(object);
  expect(touched).toEqual([]);
  expect(made).toEqual(object);
  expect(skipped).toHaveLength(1);
  expect(skipped[0].reason).toContain(path);
  expect(skipped[0].reason).toContain(`podTemplatePaths: { 'Worker.example.com': ${entry} }`);
  expect(warnings).toEqual([expect.objectContaining({ path, hint: expect.stringContaining(entry) })]);
  const written: any = JSON.parse(entry.replaceAll("'", '"'));
  const after = mixed(object, { 'Worker.example.com': written });
  expect(after.warnings).toEqual([]);
  expect(after.touched).toHaveLength(1);
  expect(JSON.stringify(after.made).match(/hostnetwork/g)).toHaveLength(entry.startsWith('[') ? 3 : 1);
  expect(() => new ExcludedWorkload(Testing.chart(), 'web', { cluster, workload: object })).toThrow(entry);
  new ExcludedWorkload(Testing.chart(), 'web', { cluster, workload: object, podTemplatePath: written });
});

it.each<[string, object]>([
  ['a Service', worker({ spec: { ports: [{ name: 'http' }] } }, 'Service', 'v1')],
  ['a definition of a kind', worker({ spec: { containers } }, 'CustomResourceDefinition', 'apiextensions.k8s.io/v1')],
  ['a report of containers', worker({ status: { containers } })],
  ['names of containers', worker({ spec: { containers: ['app'] } })],
])('says nothing of %s', (_, object) => {
  expect(mixed(object)).toMatchObject({ touched: [], skipped: [], warnings: [] });
  expect(postRender([object])).toEqual({ code: 0, err: '', out: JSON.stringify(object) });
});

it.each<[apiVersion: string, kind: string, hint: string]>([
  ['v1', 'service', "declare it as it is (kind: 'Service'), beside the workload"],
  ['v1', 'Services', "(kind: 'Service')"],
  ['v1', 'svc', "(kind: 'Service')"],
  ['v1', 'configmaps', "(kind: 'ConfigMap')"],
  ['rbac.authorization.k8s.io/v1', 'clusterrole', "(kind: 'ClusterRole')"],
  ['networking.k8s.io/v1', 'ingresses', "(kind: 'Ingress')"],
  ['networking.k8s.io/v1', 'NetworkPolicies', "(kind: 'NetworkPolicy')"],
  ['apps/v1', 'deployment', "did you mean kind: 'Deployment'?"],
  ['apps/v1', 'DaemonSets', "did you mean kind: 'DaemonSet'?"],
  ['apps/v1', 'sts', "did you mean kind: 'StatefulSet'?"],
  ['v1', 'pods', "did you mean kind: 'Pod'?"],
  ['v1', 'deployment', "write apiVersion: 'apps/v1'"],
  ['argoproj.io/v1alpha1', 'rollout', "did you mean kind: 'Rollout'?"],
  ['serving.knative.dev/v1', 'service', "did you mean kind: 'Service'?"],
])('tells how the kind %s %s is written, not its path', (apiVersion, kind, hint) => {
  for (const make of [
    (chart: Chart, workload: any) => new ExcludedWorkload(chart, 'web', { cluster, workload }),
    (chart: Chart, workload: any) => new HostNetworkWorkload(chart, 'web', { pool: hostNetworkPool(chart), workload }),
  ]) {
    let hints = '';
    try {
      make(Testing.chart(), worker({ spec: { template: pod } }, kind, apiVersion));
    } catch (error) {
      hints = (error as EdgeError).problems.map((problem) => problem.hint).join();
    }
    expect(hints).toContain(hint);
    expect(hints).not.toContain('podTemplatePath');
  }
});

it('tells which field is misspelt instead of kind', () => {
  const workload = untyped<any>({ ...daemonSet(), kind: undefined, kidn: 'DaemonSet' });
  expect(() => new ExcludedWorkload(Testing.chart(), 'web', { cluster, workload })).toThrow(
    'write kind instead of kidn',
  );
});

it('tells how a kind is written in a tree and in a stream', () => {
  const object = worker({ spec: { template: pod } }, 'deployment', 'apps/v1');
  expect(mixed(object).warnings).toEqual([expect.objectContaining({ hint: "did you mean kind: 'Deployment'?" })]);
  expect(postRender([object], '--strict').err).toContain("did you mean kind: 'Deployment'?");
});

it('takes the Service of another group for a workload of its own', () => {
  const object = worker({ spec: { template: pod } }, 'Service', 'example.com/v1');
  expect(mixed(object).warnings).toEqual([
    expect.objectContaining({ hint: "write podTemplatePaths: { 'Service.example.com': 'spec.template' }" }),
  ]);
});

it('tells of a further Pod spec in a known kind', () => {
  const object = { ...daemonSet(), sidecar: pod };
  const { touched, warnings } = mixed(object);
  expect(touched).toHaveLength(1);
  expect(warnings).toEqual([expect.objectContaining({ path: 'sidecar.spec' })]);
});

it.each<[string, any, Record<string, string> | undefined, path: string, hint: string]>([
  [
    'a path that is misspelt',
    worker({ spec: { jobs: [pod] } }),
    { 'Worker.example.com': 'spec.job' },
    'spec.jobs[0].spec',
    'spec.jobs[*]',
  ],
  [
    'a path of another kind of that name',
    worker({ spec: { template: pod } }, 'Job', 'batch/v1'),
    { Job: 'spec.tasks[*].template' },
    'spec.template.spec',
    'spec.template',
  ],
  ['a path to nothing', worker({ spec: { image: 'a' } }), { 'Worker.example.com': 'spec.pod' }, '', 'spec.template'],
  [
    'a known kind with its template elsewhere',
    worker({ spec: { tempalte: pod } }, 'Deployment', 'apps/v1'),
    undefined,
    'spec.tempalte.spec',
    'spec.template.spec',
  ],
])('tells of %s: nothing is excluded', (_, object, paths, path, hint) => {
  const { skipped, made, warnings } = mixed(object, paths);
  expect(made).toEqual(object);
  expect(skipped).toHaveLength(1);
  expect(warnings).toEqual([expect.objectContaining({ path, hint: expect.stringContaining(hint) })]);
  const options = Object.entries(paths ?? {}).flatMap(([kind, one]) => ['--pod-template-path', `${kind}=${one}`]);
  const { code, out, err } = postRender([object], '--strict', ...options);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('EDGE_NOT_EXCLUDED');
  expect(err).toContain(hint);
});

it('tells nothing of a Pooler with the template', () => {
  const object = worker({ spec: { cluster: {}, template: pod } }, 'Pooler', 'postgresql.cnpg.io/v1');
  expect(postRender([object], '--strict')).toMatchObject({ code: 0, err: '' });
});

it.each<[string, any, string]>([
  ['a Pooler', worker({ spec: { cluster: {} } }, 'Pooler', 'postgresql.cnpg.io/v1'), 'spec.template'],
  [
    'a RayJob',
    worker({ spec: { rayClusterSpec: { headGroupSpec: { template: pod } } } }, 'RayJob', 'ray.io/v1'),
    'spec.submitterPodTemplate',
  ],
])('tells of the Pods that the controller of %s makes of its own template', (_, object, path) => {
  expect(mixed(object).warnings).toEqual([expect.objectContaining({ path })]);
  expect(postRender([object], '--strict')).toMatchObject({ code: 1, out: '', err: expect.stringContaining(path) });
});

it('tells which feature Knative needs for an affinity, while it is added', () => {
  const object = worker({ spec: { template: pod } }, 'Service', 'serving.knative.dev/v1');
  const { out, err } = postRender([object]);
  expect(err).toContain('EDGE_OPERATOR_SETTING');
  expect(err).toContain('kubernetes.podspec-affinity');
  expect(postRender([JSON.parse(out)])).toEqual({ code: 0, err: '', out });
});

describe('post-render', () => {
  const object = worker({ spec: { jobs: [{ template: pod }] } });
  const option = ['--pod-template-path', 'Worker.example.com=spec.jobs[*].template'];

  it('warns on stderr with its own options, and fails with --strict before it writes', () => {
    const { code, err, out } = postRender([object, daemonSet()]);
    expect(code).toBe(0);
    expect(out).toContain(JSON.stringify(object));
    expect(err).toContain(`${option[0]} '${option[1]}'`);
    expect(postRender([object, daemonSet()], '--strict')).toMatchObject({ code: 1, out: '' });
  });

  it.each([
    [{ apiVersion: 'apps/v1', metadata: { name: 'web' } }, 'object web (apps/v1) has a Pod spec', 'write kind'],
    [{ kind: 'Deployment' }, 'Deployment (no name) (no apiVersion) has a Pod spec', 'write apiVersion'],
    [{}, 'object (no name) (no apiVersion) has a Pod spec', 'write apiVersion and kind'],
  ])('says what is missing in %j', (fields, message, hint) => {
    const { code, err } = postRender([{ ...fields, spec: { template: pod } }]);
    expect(code).toBe(0);
    expect(err).toContain(message);
    expect(err).toContain(`-> ${hint}: clients refuse an object without\n`);
    expect(err).not.toContain('undefined');
  });

  it('excludes it with a path, and is silent when it is skipped', () => {
    const made = postRender([object], '--strict', ...option);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.stringify(JSON.parse(made.out).spec.jobs[0].template)).toContain('hostnetwork');
    expect(postRender([object], '--strict', '--skip', 'Worker.example.com')).toMatchObject({ code: 0, err: '' });
    expect(postRender([object], '--strict', '--only', 'DaemonSet/web')).toMatchObject({ code: 1 });
  });

  it('refuses a kind without its group', () => {
    const { code, err, out } = postRender([object], '--pod-template-path', 'Worker=spec');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Worker.example.com');
  });
});

describe('a named kind', () => {
  const volcano = worker({ spec: { tasks: [{ template: pod }] } }, 'Job', 'batch.volcano.sh/v1alpha1');
  const job = worker({ spec: { template: pod } }, 'Job', 'batch/v1');

  it.each<[string, Record<string, string>]>([
    ['its core kind', { Job: 'spec.template' }],
    ['the kind of a group', { 'Job.batch.volcano.sh': 'spec.tasks[*].template' }],
    ['both', { 'Job.batch': 'spec.template', 'Job.batch.volcano.sh': 'spec.tasks[0].template' }],
  ])('means %s in podTemplatePaths, and leaves the others as they are known', (_, paths) => {
    expect(mixed(job, paths).isExcluded).toBe(true);
    expect(mixed(volcano, paths).isExcluded).toBe(true);
  });

  it('means every group in the filters, unless it has one', () => {
    const select = (kinds: string[]): number[] =>
      [job, volcano].map((object) => {
        const chart = Testing.chart();
        new ApiObject(chart, 'object', object);
        const mixin = ExcludedWorkload.mixin({ cluster, kinds });
        chart.with(mixin);
        return mixin.report.touched.length;
      });
    expect(select(['Job'])).toEqual([1, 1]);
    expect(select(['Job.batch'])).toEqual([1, 0]);
    expect(select(['Job.batch.volcano.sh'])).toEqual([0, 1]);
    expect(postRender([job, volcano], '--only=Job.batch.volcano.sh/web').out.match(/hostnetwork/g)).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['Worker', "'Worker.example.com'"],
    ['Rollout', "'Rollout.argoproj.io'"],
    ['example.com/Worker', "'Worker.example.com'"],
    ['Worker.example.com/v1', "'Worker.example.com'"],
    ['worker', "'worker.example.com'"],
    ['job.batch', 'did you mean Job.batch?'],
    ['deployment', 'did you mean Deployment?'],
    ['', "'Worker.example.com'"],
  ])('is refused as %p, with what to write', (name, hint) => {
    try {
      ExcludedWorkload.mixin({ cluster, podTemplatePaths: { [name]: 'spec.template' } });
    } catch (error) {
      expect((error as EdgeError).problems.map(({ code }) => code)).toEqual(['EDGE_VALUE']);
      expect((error as EdgeError).hint).toContain(hint);
      return;
    }
    throw new Error('accepted');
  });

  it('is refused with a path that is none', () => {
    for (const path of ['', 'spec..template', [], [''], [1], null]) {
      const podTemplatePaths = untyped<Record<string, string>>({ 'Worker.example.com': path });
      expect(() => ExcludedWorkload.mixin({ cluster, podTemplatePaths })).toThrow(/EDGE_VALUE/);
    }
  });
});
