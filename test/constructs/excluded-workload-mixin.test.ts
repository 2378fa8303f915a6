import { ApiObject, App, Chart, Include, JsonPatch, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EdgeCluster,
  type EdgeError,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  ExcludedWorkloadMixin,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';
import { daemonSet, deployment, required } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

function termsOf(object: any, path = ['spec', 'template', 'spec']): any {
  return path.reduce((value, step) => value[step], object).affinity.nodeAffinity
    .requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
}

function load(chart: Chart, yaml: string): Include {
  const file = join(mkdtempSync(join(tmpdir(), 'edge-nodepools-')), 'objects.yaml');
  writeFileSync(file, yaml);
  return new Include(chart, 'included', { url: file });
}

describe('ExcludedWorkload.mixin', () => {
  const yaml = [
    daemonSet(),
    { ...deployment(), metadata: { name: 'api', namespace: 'shop', labels: { tier: 'web' } } },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'api' } },
  ]
    .map((object) => JSON.stringify(object))
    .join('\n---\n');

  it.each([
    ['args[0]', 'args: [.]', /NaN in place of a text such as \. or e2/],
    ['args[1]', 'args: [-c, -e2]', /NaN/],
    ['args[0]', 'args: [._8]', /the number 0.8 in place of a text/],
    ['args[1]', 'args: [-L, 22:22]', /the number 1342/],
    ['env[0].value', 'env: [{name: A, value: .5}]', /the number 0.5/],
    ['args[0]', 'args: [2001-01-01]', /the time 2001-01-01T00:00:00.000Z in place of a text such as 2001-01-01/],
    ['args[0]', 'args: [!!binary aGk=]', /bytes/],
    ['NaN', 'e2: a', /the key NaN/],
    ['securityContext.runAsUser', 'securityContext: {runAsUser: 9007199254740993}', /cannot represent/],
  ])('warns of what Include reads otherwise than Kubernetes: %s of {%s}', (at, field, message) => {
    const lossy = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, creationTimestamp: 2001-01-01T00:00:00Z}\nspec:
  template: {spec: {containers: [{name: a, ${field}, workingDir: a.b, ports: [{containerPort: 80}]}]}}\n`;
    const chart = Testing.chart();
    EdgeWarnings.setMode(chart, 'silent');
    load(chart, lossy);
    chart.with(ExcludedWorkload.mixin({ cluster }));
    const losses = (): any[] => EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_YAML');
    expect(losses()).toMatchObject(
      [
        {
          construct: 'test/included/a-deployment',
          path: `spec.template.spec.containers[0].${at}`,
          hint: /post-render/,
        },
      ].map((each) => ({ ...each, hint: expect.stringMatching(each.hint), message: expect.stringMatching(message) })),
    );
    // and is silent about it when it is corrected
    const object = chart.node.findAll().find((each) => ApiObject.isApiObject(each)) as ApiObject;
    object.addJsonPatch(JsonPatch.replace('/spec/template/spec/containers/0', { name: 'a' }));
    Testing.synth(chart);
    expect(losses()).toEqual([]);
  });

  it('takes null in nodeSelectorTerms for an empty term, as the API server does', () => {
    const chart = Testing.chart();
    EdgeWarnings.setMode(chart, 'silent');
    const pods: any[] = [[null], [null, { matchExpressions: [os] }], [{ matchExpressions: [os], matchFields: null }]];
    pods.forEach((terms, index) => {
      new ApiObject(chart, `w${index}`, { ...deployment(required(terms)), metadata: { name: `w${index}` } });
    });
    chart.with(ExcludedWorkload.mixin({ cluster }));
    const objects = Testing.synth(chart);
    expect(objects.slice(0, 3).map((each) => termsOf(each))).toEqual([
      [undefined],
      [{}, { matchExpressions: [os, EXCLUSION] }],
      [{ matchExpressions: [os, EXCLUSION] }],
    ]);
  });

  it('does not warn of what Include reads as Kubernetes does', () => {
    const schema =
      '{spec: {properties: {args: {maxItems: 5}, metadata: {properties: {labels: {maxProperties: 3}}}, n: {maximum: 9223372036854775807}}}}';
    const chart = Testing.chart();
    load(
      chart,
      `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: ${schema}\n---\n` +
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b, labels: {a: "1"}}\nspec: {replicas: 08, selector: {matchLabels: {app: b}}, ' +
        'template: {metadata: {labels: {app: b}}, spec: {priority: 1_000, containers: [{name: a, image: i, args: ["1", 0x1p-2, v1], ports: [{containerPort: 80}], livenessProbe: {exec: {command: [a]}, periodSeconds: 5}}]}}}\n' +
        '---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: c}\nspec: {data: {a: 1}, arguments: [1], rate: 0.5}\n',
    );
    EdgeWarnings.setMode(chart, 'error');
    chart.with(ExcludedWorkload.mixin({ cluster }));
    expect(Testing.synth(chart)).toHaveLength(3);
  });

  it('excludes every workload of a tree and reports each', () => {
    const chart = Testing.chart();
    load(chart, yaml);
    const mixin = ExcludedWorkload.mixin({ cluster });
    expect(mixin).toBeInstanceOf(ExcludedWorkloadMixin);
    chart.with(mixin);
    const [daemon, api, service] = Testing.synth(chart);
    expect(termsOf(daemon)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(termsOf(api)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(service).toEqual({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'api' } });
    expect(mixin.report.touched.map(({ workload }) => workload)).toEqual(['DaemonSet web', 'Deployment shop/api']);
    expect(mixin.report.skipped).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['kinds', { kinds: ['DaemonSet'] }, ['DaemonSet web']],
    ['namespaces', { namespaces: ['shop'] }, ['Deployment shop/api']],
    ['the default namespace', { namespaces: ['default'] }, ['DaemonSet web']],
    ['names', { names: ['api'] }, ['Deployment shop/api']],
    ['labels', { labels: { tier: 'web' } }, ['Deployment shop/api']],
  ])('filters by %s and reports why the others were skipped', (_, filter, touched) => {
    const chart = Testing.chart();
    load(chart, yaml);
    const mixin = ExcludedWorkload.mixin({ cluster, ...filter });
    chart.with(mixin);
    expect(mixin.report.touched.map(({ workload }) => workload)).toEqual(touched);
    expect(mixin.report.skipped).toHaveLength(1);
    expect(mixin.report.skipped[0]?.reason).toMatch(/^not selected: /);
  });

  it('applied twice changes nothing more', () => {
    const chart = Testing.chart();
    load(chart, yaml);
    chart.with(ExcludedWorkload.mixin({ cluster }));
    const once = Testing.synth(chart);
    const again = ExcludedWorkload.mixin({ cluster });
    chart.with(again);
    expect(Testing.synth(chart)).toEqual(once);
    expect(again.report.skipped.map(({ reason }) => reason)).toEqual(['already excluded', 'already excluded']);
  });

  it('processes the items of a List', () => {
    const chart = Testing.chart();
    load(
      chart,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, daemonSet()],
      }),
    );
    chart.with(ExcludedWorkload.mixin({ cluster }));
    const [list] = Testing.synth(chart);
    expect(termsOf(list.items[1])).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(list.items[0]).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
  });

  it('skips workloads for host-network nodes, workloads that opt out, and unknown kinds', () => {
    const chart = Testing.chart();
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    new HostNetworkWorkload(chart, 'collector', { pool, workload: daemonSet() });
    new ApiObject(chart, 'out', deployment({}, {}, { metadata: { annotations: { [ANNOTATION]: 'false' } } }));
    new ApiObject(chart, 'worker', { ...deployment(), apiVersion: 'example.com/v1', kind: 'Worker' });
    const before = Testing.synth(chart);
    const mixin = ExcludedWorkload.mixin({ cluster });
    chart.with(mixin);
    expect(Testing.synth(chart)).toEqual(before);
    expect(mixin.report.skipped.map(({ reason }) => reason)).toEqual([
      'runs on a host-network pool (HostNetworkWorkload)',
      expect.stringContaining('opts out'),
      "unknown kind with a Pod spec at spec.template.spec: write podTemplatePaths: { 'Worker.example.com': 'spec.template' }",
    ]);
    expect(EdgeWarnings.of(chart)).toEqual([
      expect.objectContaining({
        code: 'EDGE_NOT_EXCLUDED',
        path: 'spec.template.spec',
        construct: 'test/worker',
        hint: "write podTemplatePaths: { 'Worker.example.com': 'spec.template' }",
      }),
    ]);
    const podTemplatePaths = { 'Worker.example.com': 'spec.template' };
    chart.with(ExcludedWorkload.mixin({ cluster, kinds: ['Worker'], podTemplatePaths }));
    expect(termsOf(Testing.synth(chart)[3])).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it('fails on conflicting constraints, or skips the workload on request', () => {
    const chart = Testing.chart();
    new ApiObject(chart, 'a', deployment({ nodeSelector: { 'nodepool.openyurt.io/hostnetwork': 'true' } }));
    expect(() => chart.with(ExcludedWorkload.mixin({ cluster }))).toThrow(/EDGE_CONTRADICTION/);
    const mixin = ExcludedWorkload.mixin({ cluster, onContradiction: 'skip' });
    chart.with(mixin);
    expect(mixin.report.skipped[0]?.reason).toContain('nodeSelector requires host-network nodes');
  });

  it('preserves later changes, by patches and by the construct, and still excludes', () => {
    const chart = Testing.chart();
    const object = new ApiObject(chart, 'a', deployment());
    const made = new kplus.Deployment(chart, 'plus', { containers: [{ image: 'web', portNumber: 80 }] });
    chart.with(ExcludedWorkload.mixin({ cluster }));
    object.addJsonPatch(
      JsonPatch.add('/spec/template/spec/affinity', required([{ matchExpressions: [os] }])),
      JsonPatch.remove('/spec/template/spec/affinity'),
    );
    object.addJsonPatch(JsonPatch.add('/spec/template/metadata/annotations', { later: 'kept' }));
    made.podMetadata.addAnnotation('prometheus.io/scrape', 'true');
    made.scheduling.separate(made);
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.is('disk', 'ssd')));
    const [patched, plus] = Testing.synth(chart);
    expect(patched.spec.template.metadata.annotations).toEqual({ later: 'kept', [ANNOTATION]: 'true' });
    expect(termsOf(patched)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(plus.spec.template.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', [ANNOTATION]: 'true' });
    expect(plus.spec.template.spec.affinity.podAntiAffinity).toBeDefined();
    expect(termsOf(plus)).toEqual([
      { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }, EXCLUSION] },
    ]);
  });

  it('skips partial objects of system components, which own only the required affinity', () => {
    const app = new App();
    const chart = new Chart(app, 'fleet');
    const { patchChart } = new EdgeSystemComponents(chart, 'system', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY],
    });
    const before = Testing.synth(patchChart as Chart);
    const mixin = ExcludedWorkload.mixin({ cluster });
    app.with(mixin);
    expect(Testing.synth(patchChart as Chart)).toEqual(before);
    expect(mixin.report.skipped[0]?.reason).toContain('EdgeSystemComponents');
  });

  it('finds Pod templates inside lists, and Lists inside Lists', () => {
    const chart = Testing.chart();
    const job = { template: { spec: { template: { spec: { containers: [{ name: 'a' }] } } } } };
    new ApiObject(chart, 'set', {
      apiVersion: 'example.com/v1',
      kind: 'WorkerSet',
      metadata: { name: 'set' },
      spec: { replicatedJobs: [job, job] },
    });
    new ApiObject(chart, 'list', {
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'apps/v1', kind: 'DaemonSetList', items: [daemonSet()] }],
    });
    const blind = ExcludedWorkload.mixin({ cluster, kinds: ['WorkerSet'] });
    chart.with(blind);
    expect(blind.report.skipped.map(({ workload, reason }) => `${workload}: ${reason}`)).toContainEqual(
      expect.stringMatching(
        /^WorkerSet set: unknown kind .*: write podTemplatePaths: \{ 'WorkerSet.example.com': 'spec.replicatedJobs\[\*\].template.spec.template' \}$/,
      ),
    );
    chart.with(
      ExcludedWorkload.mixin({
        cluster,
        podTemplatePaths: { 'WorkerSet.example.com': 'spec.replicatedJobs[*].template.spec.template' },
      }),
    );
    const [set, list] = Testing.synth(chart);
    for (const index of [0, 1]) {
      expect(termsOf(set.spec.replicatedJobs[index].template)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    }
    expect(termsOf(list.items[0].items[0])).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it('finds a conflict with a pool that is declared later', () => {
    const chart = Testing.chart();
    new ApiObject(chart, 'a', deployment({ nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } }));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    expect(() => Testing.synth(chart)).toThrow(/EDGE_CONTRADICTION .*host-network pool hz/);
  });

  it('works on cdk8s-plus workloads and preserves their fields', () => {
    const chart = Testing.chart();
    const made = new kplus.Deployment(chart, 'plus', { containers: [{ image: 'web', port: 80 }] });
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.is('disk', 'ssd')));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    expect(termsOf(Testing.synth(chart)[0])).toEqual([
      { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }, EXCLUSION] },
    ]);
  });

  it('has construct and object in its errors', () => {
    const chart = Testing.chart();
    new ApiObject(chart, 'a', deployment({ nodeName: 'n' }));
    try {
      chart.with(ExcludedWorkload.mixin({ cluster }));
    } catch (error) {
      expect((error as EdgeError).subject).toBe('ExcludedWorkload.mixin on test/a (Deployment web)');
      return;
    }
    throw new Error('accepted');
  });
});
