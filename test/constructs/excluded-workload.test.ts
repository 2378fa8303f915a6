import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';

import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
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

describe('ExcludedWorkload', () => {
  it('adds the annotation and the affinity to a Deployment', () => {
    const { manifest } = exclude(deployment()) as any;
    expect(manifest.spec.template.metadata.annotations).toEqual({ [ANNOTATION]: 'true' });
    expect(termsOf(manifest)).toEqual([{ matchExpressions: [EXCLUSION] }]);
    expect(manifest.metadata).toEqual({ name: 'web' });
  });

  it('accepts null in maps of text, as the API server does, and writes the empty text that it means', () => {
    const nulls = { labels: { app: 'web', tier: null }, annotations: { 'checksum/config': null, [ANNOTATION]: null } };
    const workload = deployment({ nodeSelector: { disk: null } }, {}, { metadata: nulls });
    workload.metadata = { name: 'web', namespace: null, generateName: null, ...nulls };
    workload.spec.selector = { matchLabels: { app: 'web', tier: null } };
    const given = JSON.stringify(workload);
    const chart = Testing.chart();
    EdgeWarnings.setMode(chart, 'error');
    new ExcludedWorkload(chart, 'x', { cluster, workload });
    const [{ metadata, spec }] = Testing.synth(chart);
    expect(metadata).toEqual({
      name: 'web',
      labels: { app: 'web', tier: '' },
      annotations: { 'checksum/config': '', [ANNOTATION]: '' },
    });
    expect(spec.selector.matchLabels).toEqual({ app: 'web', tier: '' });
    expect(spec.template.metadata).toEqual({
      labels: { app: 'web', tier: '' },
      annotations: { 'checksum/config': '', [ANNOTATION]: 'true' },
    });
    expect(spec.template.spec.nodeSelector).toEqual({ disk: '' });
    expect(JSON.stringify(workload)).toBe(given);
  });

  it('takes null and empty text in a selector and its labels for the same', () => {
    const chart = Testing.chart();
    EdgeWarnings.setMode(chart, 'error');
    const workload = deployment({}, {}, { metadata: { labels: { app: '' } } });
    workload.spec.selector = { matchExpressions: [{ key: 'app', operator: 'In', values: [null] }] };
    new ExcludedWorkload(chart, 'x', { cluster, workload });
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  it('adds a label, too, if the cluster has labelsExcludedPods, once', () => {
    const labelled = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', labelsExcludedPods: true });
    const { manifest, report } = exclude(deployment(), labelled) as any;
    const own = deployment().spec.template.metadata?.labels;
    expect(manifest.spec.template.metadata.labels).toEqual({ ...own, 'edge-nodepools/excluded': 'true' });
    expect(manifest.spec.template.metadata.annotations).toEqual({ [ANNOTATION]: 'true' });
    expect(report.changed).toContain('spec.template.metadata.labels["edge-nodepools/excluded"]');
    const again = exclude(manifest, labelled) as any;
    expect([again.manifest, again.report.changed]).toEqual([manifest, []]);
    expect(JSON.stringify(exclude(deployment()).manifest)).not.toContain('edge-nodepools/excluded');
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

  it('preserves the siblings of the affinity', () => {
    const affinity = {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: { topologyKey: 'zone' } }],
      },
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

  it('accepts YAML text as Kubernetes clients parse it', () => {
    const { manifest } = exclude(
      'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a, annotations: {when: 2026-01-31, at: "22:22"}}\nspec: {flag: yes, mode: 0644, time: 22:22, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}}',
    ) as any;
    expect(manifest.metadata.annotations).toEqual({ when: '2026-01-31', at: '22:22' });
    expect(manifest.spec).toMatchObject({ flag: true, mode: 420, time: '22:22' });
  });

  it('accepts any other kind with the path of its Pod template', () => {
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

  it('reports the changes and what enforces the exclusion', () => {
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
  ])('OpenYurt %s: reports whether the annotation is read', (openYurt, kubernetes, read) => {
    const { report, manifest } = exclude(daemonSet(), EdgeCluster.of({ openYurt, kubernetes }));
    expect(report.annotationIsRead).toBe(read);
    expect(termsOf(manifest)).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it.each([
    ['1.4', '1.23', /has no effect on the Pods/],
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

  it('warns that an existing Job or Pod is immutable', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    expect(EdgeWarnings.of(exclude(pod)).map(({ code }) => code)).toEqual(['EDGE_IMMUTABLE']);
    expect(EdgeWarnings.of(exclude(exclude(pod).manifest))).toEqual([]);
  });

  it('warns if every term is empty', () => {
    expect(EdgeWarnings.of(exclude(daemonSet(required([{}])))).map(({ code }) => code)).toEqual([
      'EDGE_MATCHES_NOTHING',
    ]);
  });

  it('warns of a term for nodes with another value of the label, and refuses none', () => {
    const expression = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'Exists' };
    const excluded = exclude(daemonSet(required([{ matchExpressions: [expression] }, { matchExpressions: [] }])));
    expect(EdgeWarnings.of(excluded).map(({ code, path }) => `${code} ${path.replace(/^.*nodeSelector/, '')}`)).toEqual(
      ['EDGE_MATCHES_NOTHING Terms[0]'],
    );
    const terms = (excluded.manifest as any).spec.template.spec.affinity.nodeAffinity;
    expect(terms.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions).toEqual([
      expression,
      { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] },
    ]);
  });

  it('contains an ApiObject, which gets names, namespace and labels of the chart', () => {
    const chart = new Chart(new App(), 'chart', { namespace: 'shop' });
    const made = new ExcludedWorkload(chart, 'x', { cluster, workload: deployment() });
    ApiObject.of(made).addJsonPatch(JsonPatch.add('/spec/template/spec/unknown', { kept: true }));
    expect(Testing.synth(chart)[0]).toMatchObject({
      metadata: { name: 'web', namespace: 'shop' },
      spec: { template: { spec: { unknown: { kept: true } } } },
    });
  });

  it('finds a conflict with a pool that is declared later', () => {
    const chart = Testing.chart();
    new ExcludedWorkload(chart, 'x', {
      cluster,
      workload: deployment({ nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } }),
    });
    expect(Testing.synth(chart)).toHaveLength(1);
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    expect(() => Testing.synth(chart)).toThrow(/EDGE_CONTRADICTION .*nodeSelector.*host-network pool hz/s);
  });
});
