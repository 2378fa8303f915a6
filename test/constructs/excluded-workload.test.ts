import { ApiObject, App, Chart, Include, JsonPatch, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EdgeCluster,
  type EdgeError,
  EdgeWarnings,
  ExcludedWorkload,
  ExcludedWorkloadMixin,
  HostNetworkNodePool,
  HostNetworkWorkload,
} from 'edge-nodepools';
import { daemonSet, deployment, required } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

function exclude(workload: any, clusterOf = cluster): ExcludedWorkload {
  return new ExcludedWorkload(Testing.chart(), 'x', { cluster: clusterOf, workload });
}

function termsOf(object: any, path = ['spec', 'template', 'spec']): any {
  return path.reduce((value, step) => value[step], object).affinity.nodeAffinity
    .requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
}

function load(chart: Chart, yaml: string): Include {
  const file = join(mkdtempSync(join(tmpdir(), 'edge-nodepools-')), 'objects.yaml');
  writeFileSync(file, yaml);
  return new Include(chart, 'included', { url: file });
}

describe('ExcludedWorkload', () => {
  it('adds the annotation and the affinity to a Deployment', () => {
    const { manifest } = exclude(deployment()) as any;
    expect(manifest.spec.template.metadata.annotations).toEqual({ [ANNOTATION]: 'true' });
    expect(termsOf(manifest)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(manifest.metadata).toEqual({ name: 'web' });
  });

  // shapes that ship: flannel's os term, matchFields, several terms, an empty term, an exclusion that is already there
  it.each<[string, any[], any[]]>([
    ['one term', [{ matchExpressions: [os] }], [{ matchExpressions: [os, EXCLUSION] }]],
    [
      'two terms',
      [{ matchExpressions: [os] }, { matchExpressions: [{ ...os, key: 'a' }] }],
      [{ matchExpressions: [os, EXCLUSION] }, { matchExpressions: [{ ...os, key: 'a' }, EXCLUSION] }],
    ],
    [
      'matchFields only',
      [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
      [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }], matchExpressions: [EXCLUSION] }],
    ],
    ['an empty term beside another', [{}, { matchExpressions: [os] }], [{}, { matchExpressions: [os, EXCLUSION] }]],
    ['an empty list of terms', [], [{ matchExpressions: [EXCLUSION] }]],
    ['already excluded', [{ matchExpressions: [EXCLUSION] }], [{ matchExpressions: [EXCLUSION] }]],
    [
      'excluded among other values',
      [{ matchExpressions: [{ ...EXCLUSION, values: ['x', 'true'] }] }],
      [{ matchExpressions: [{ ...EXCLUSION, values: ['x', 'true'] }] }],
    ],
    [
      'excluded by DoesNotExist',
      [{ matchExpressions: [{ key: EXCLUSION.key, operator: 'DoesNotExist' }] }],
      [{ matchExpressions: [{ key: EXCLUSION.key, operator: 'DoesNotExist' }] }],
    ],
    [
      'another value kept out',
      [{ matchExpressions: [{ ...EXCLUSION, values: ['x'] }] }],
      [{ matchExpressions: [{ ...EXCLUSION, values: ['x'] }, EXCLUSION] }],
    ],
    [
      'one of two excluded',
      [{ matchExpressions: [EXCLUSION] }, { matchExpressions: [os] }],
      [{ matchExpressions: [EXCLUSION] }, { matchExpressions: [os, EXCLUSION] }],
    ],
  ])('%s', (_, before, after) => {
    expect(termsOf(exclude(daemonSet(required(before))).manifest)).toEqual(after);
  });

  it('keeps the siblings of the affinity', () => {
    const affinity = {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }] },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [os] } }],
      },
    };
    const { manifest } = exclude(deployment({ affinity })) as any;
    expect(manifest.spec.template.spec.affinity).toEqual({
      podAntiAffinity: affinity.podAntiAffinity,
      nodeAffinity: {
        ...affinity.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [EXCLUSION] }] },
      },
    });
  });

  it('takes YAML text as Kubernetes clients read it', () => {
    const { manifest } = exclude(
      'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a, annotations: {when: 2026-01-31, at: "22:22"}}\nspec: {flag: yes, mode: 0644, time: 22:22, template: {spec: {containers: []}}}',
    ) as any;
    expect(manifest.metadata.annotations).toEqual({ when: '2026-01-31', at: '22:22' });
    expect(manifest.spec).toMatchObject({ flag: true, mode: 420, time: '22:22' });
  });

  it('takes any other kind when told where its Pod template is', () => {
    const rollout = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'a' },
      spec: { pods: { template: { spec: {} } } },
    };
    const made = new ExcludedWorkload(Testing.chart(), 'x', {
      cluster,
      workload: rollout,
      podTemplatePath: 'spec.pods.template',
    });
    expect(termsOf(made.manifest, ['spec', 'pods', 'template', 'spec'])).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it('says what it changed and what the exclusion rests on', () => {
    expect(exclude(deployment()).report).toEqual({
      workload: 'Deployment web',
      changed: [
        `spec.template.metadata.annotations["${ANNOTATION}"]`,
        'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
      ],
      affinity: true,
      annotationIsRead: true,
    });
  });

  it.each([
    ['1.4', '1.23', false],
    ['1.5', '1.28', true],
    ['none', '1.36', false],
  ])('OpenYurt %s: knows whether anybody reads the annotation', (openYurt, kubernetes, read) => {
    const { report, manifest } = exclude(daemonSet(), EdgeCluster.of({ openYurt, kubernetes }));
    expect(report.annotationIsRead).toBe(read);
    expect(termsOf(manifest)).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it.each([
    ['1.4', '1.23', /reaches the Pods neither/],
    ['1.6', '1.30', /OpenYurt's webhook/],
    ['1.7', '1.34', /no controller/],
  ])(
    'OpenYurt %s: warns of YurtAppDaemon, whose controller drops required affinity',
    (openYurt, kubernetes, message) => {
      const workload = {
        apiVersion: 'apps.openyurt.io/v1alpha1',
        kind: 'YurtAppDaemon',
        metadata: { name: 'a' },
        spec: { workloadTemplate: { deploymentTemplate: { spec: { template: { spec: {} } } } } },
      };
      const made = exclude(workload, EdgeCluster.of({ openYurt, kubernetes }));
      const warnings = EdgeWarnings.of(made).filter(({ code }) => code === 'EDGE_AFFINITY_DROPPED');
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.message).toMatch(message);
    },
  );

  it('warns when every term is empty', () => {
    expect(EdgeWarnings.of(exclude(daemonSet(required([{}])))).map(({ code }) => code)).toEqual([
      'EDGE_MATCHES_NOTHING',
    ]);
  });

  it('is a plain ApiObject below; names, namespaces and labels of the chart reach it', () => {
    const chart = new Chart(new App(), 'chart', { namespace: 'shop' });
    const made = new ExcludedWorkload(chart, 'x', { cluster, workload: deployment() });
    ApiObject.of(made).addJsonPatch(JsonPatch.add('/spec/template/spec/unknown', { kept: true }));
    expect(Testing.synth(chart)[0]).toMatchObject({
      metadata: { name: 'web', namespace: 'shop' },
      spec: { template: { spec: { unknown: { kept: true } } } },
    });
  });

  it('finds a contradiction with a pool that is declared later', () => {
    const chart = Testing.chart();
    new ExcludedWorkload(chart, 'x', {
      cluster,
      workload: deployment({ nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } }),
    });
    expect(Testing.synth(chart)).toHaveLength(1);
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    expect(() => Testing.synth(chart)).toThrow(/EDGE_CONTRADICTION .*nodeSelector.*host-network pool hz/);
  });
});

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
  ])('filters by %s and says why the others were skipped', (_, filter, touched) => {
    const chart = Testing.chart();
    load(chart, yaml);
    const mixin = ExcludedWorkload.mixin({ cluster, ...filter });
    chart.with(mixin);
    expect(mixin.report.touched.map(({ workload }) => workload)).toEqual(touched);
    expect(mixin.report.skipped).toHaveLength(1);
    expect(mixin.report.skipped[0]?.reason).toMatch(/^not chosen: /);
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

  it('looks inside a List', () => {
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

  it('leaves alone what is meant for host-network nodes, opts out, or is of an unknown kind', () => {
    const chart = Testing.chart();
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    new HostNetworkWorkload(chart, 'collector', { pool, workload: daemonSet() });
    new ApiObject(chart, 'out', deployment({}, {}, { metadata: { annotations: { [ANNOTATION]: 'false' } } }));
    new ApiObject(chart, 'rollout', { ...deployment(), apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' });
    const before = Testing.synth(chart);
    const mixin = ExcludedWorkload.mixin({ cluster });
    chart.with(mixin);
    expect(Testing.synth(chart)).toEqual(before);
    expect(mixin.report.skipped.map(({ reason }) => reason)).toEqual([
      'runs on a host-network pool (HostNetworkWorkload)',
      expect.stringContaining('opts out'),
      "unknown kind: write podTemplatePaths: { Rollout: 'spec.template' }",
    ]);
    chart.with(ExcludedWorkload.mixin({ cluster, kinds: ['Rollout'], podTemplatePaths: { Rollout: 'spec.template' } }));
    expect(termsOf(Testing.synth(chart)[3])).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it('fails on a contradiction, or skips it when told to', () => {
    const chart = Testing.chart();
    new ApiObject(chart, 'a', deployment({ nodeSelector: { 'nodepool.openyurt.io/hostnetwork': 'true' } }));
    expect(() => chart.with(ExcludedWorkload.mixin({ cluster }))).toThrow(/EDGE_CONTRADICTION/);
    const mixin = ExcludedWorkload.mixin({ cluster, onContradiction: 'skip' });
    chart.with(mixin);
    expect(mixin.report.skipped[0]?.reason).toContain('nodeSelector asks for host-network nodes');
  });

  it('fails the synth when an object loses its exclusion afterwards', () => {
    const chart = Testing.chart();
    const object = new ApiObject(chart, 'a', deployment());
    chart.with(ExcludedWorkload.mixin({ cluster }));
    object.addJsonPatch(JsonPatch.remove('/spec/template/spec/affinity'));
    expect(() => Testing.synth(chart)).toThrow(/EDGE_EXCLUSION_LOST .*apply the mixin last/);
  });

  it('finds a contradiction with a pool that is declared after it was applied', () => {
    const chart = Testing.chart();
    new ApiObject(chart, 'a', deployment({ nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } }));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    expect(() => Testing.synth(chart)).toThrow(/EDGE_CONTRADICTION .*host-network pool hz/);
  });

  it('works on cdk8s-plus workloads and keeps what they have', () => {
    const chart = Testing.chart();
    const made = new kplus.Deployment(chart, 'plus', { containers: [{ image: 'web', port: 80 }] });
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.is('disk', 'ssd')));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    expect(termsOf(Testing.synth(chart)[0])).toEqual([
      { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }, EXCLUSION] },
    ]);
  });

  it('names construct and object in its errors', () => {
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
