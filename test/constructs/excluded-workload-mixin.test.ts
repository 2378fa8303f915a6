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
