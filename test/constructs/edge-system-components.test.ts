import { App, Chart, Testing } from 'cdk8s';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  artifactsOf,
  type EdgeArtifact,
  EdgeCluster,
  EdgeSystemComponents,
  type EdgeSystemComponentsProps,
  EdgeWarnings,
  ExclusionStrategy,
  SystemComponent,
  writeArtifacts,
} from 'edge-nodepools';
import { addArtifact } from '../../src/constructs/artifact.js';
import { daemonSet, required } from '../bad-inputs/case.js';

const { ADMISSION_POLICY, SERVER_SIDE_APPLY, KUBEADM_PATCH, MANIFEST } = ExclusionStrategy;
const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const on = (kubernetes: string, distribution: 'kubeadm' | 'other' = 'kubeadm'): EdgeCluster =>
  EdgeCluster.of({ openYurt: 'none', kubernetes, distribution });
function make(props: Partial<EdgeSystemComponentsProps>): {
  made: EdgeSystemComponents;
  app: App;
  chart: Chart;
  partials: any[];
} {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'edge-nodepools-')) });
  const chart = new Chart(app, 'fleet', { namespace: 'edge', labels: { team: 'edge' } });
  const made = new EdgeSystemComponents(chart, 'system', {
    cluster: on('1.34'),
    exclude: [SystemComponent.KUBE_PROXY],
    ...props,
  });
  return { made, app, chart, partials: made.patchChart === undefined ? [] : Testing.synth(made.patchChart) };
}

function partial(
  kind: string,
  namespace: string,
  name: string,
  terms: any[] = [{ matchExpressions: [EXCLUSION] }],
): any {
  return { apiVersion: 'apps/v1', kind, metadata: { namespace, name }, spec: { template: { spec: required(terms) } } };
}

const component = (name: string): SystemComponent => SystemComponent.known().find((known) => known.name === name)!;

describe('known components', () => {
  // as shipped: namespace, kind, name, and the terms that must be preserved
  it.each<[string, any[]]>([
    ['kube-proxy', [partial('DaemonSet', 'kube-system', 'kube-proxy')]],
    ['coredns', [partial('Deployment', 'kube-system', 'coredns')]],
    ['coredns-daemon-set', [partial('DaemonSet', 'kube-system', 'coredns')]],
    ['yurt-coredns', [partial('DaemonSet', 'kube-system', 'yurt-coredns')]],
    [
      'flannel',
      [
        partial('DaemonSet', 'kube-flannel', 'kube-flannel-ds', [
          { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }, EXCLUSION] },
        ]),
      ],
    ],
    [
      'flannel-kube-system',
      [
        partial('DaemonSet', 'kube-system', 'kube-flannel-ds', [
          { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }, EXCLUSION] },
        ]),
      ],
    ],
    [
      'calico',
      [
        partial('DaemonSet', 'kube-system', 'calico-node'),
        partial('Deployment', 'kube-system', 'calico-kube-controllers'),
      ],
    ],
    [
      'cilium',
      [
        partial('DaemonSet', 'kube-system', 'cilium'),
        partial('DaemonSet', 'kube-system', 'cilium-envoy', [
          { matchExpressions: [{ key: 'cilium.io/no-schedule', operator: 'NotIn', values: ['true'] }, EXCLUSION] },
        ]),
        partial('Deployment', 'kube-system', 'cilium-operator'),
      ],
    ],
    ['node-local-dns', [partial('DaemonSet', 'kube-system', 'node-local-dns')]],
    ['metrics-server', [partial('Deployment', 'kube-system', 'metrics-server')]],
  ])('%s: a partial object that owns exactly the required node affinity', (name, expected) => {
    const { partials, made } = make({ exclude: [component(name)], strategy: SERVER_SIDE_APPLY });
    expect(partials).toEqual(expected);
    expect(made.notExcluded).toEqual([]);
  });

  it('are all in the table above, and one that cannot be excluded', () => {
    expect(
      SystemComponent.known()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      [
        'kube-proxy',
        'coredns',
        'coredns-daemon-set',
        'yurt-coredns',
        'flannel',
        'flannel-kube-system',
        'calico',
        'calico-operator',
        'cilium',
        'node-local-dns',
        'metrics-server',
      ].sort(),
    );
    const { made, partials } = make({ exclude: [SystemComponent.CALICO_OPERATOR] });
    expect(partials).toEqual([]);
    expect(made.notExcluded.map(({ workload, strategies }) => [workload, strategies])).toEqual([
      ['DaemonSet calico-system/calico-node', []],
      ['DaemonSet calico-system/csi-node-driver', []],
    ]);
    expect(made.notExcluded[0]?.note).toContain('Installation');
  });

  it('that ship their own terms need --force-conflicts, the others do not', () => {
    expect(make({ exclude: [SystemComponent.FLANNEL] }).made.applyFlags).toEqual([
      '--server-side',
      '--field-manager=edge-nodepools',
      '--force-conflicts',
    ]);
    expect(make({ exclude: [SystemComponent.KUBE_PROXY] }).made.applyFlags).toEqual([
      '--server-side',
      '--field-manager=edge-nodepools',
    ]);
    const both = make({ exclude: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL] }).made;
    expect(both.applyFlags).toContain('--force-conflicts');
  });
});

describe('the kubectl command of the report', () => {
  it('sets the same node affinity as the partial object, and is safe in a shell', () => {
    // only a field that nobody checks can hold such text
    const requirement = { key: 'metadata.name', operator: 'In' as const, values: ['node-a'], note: "a'$(b)" };
    const hostile = { matchFields: [requirement] };
    const reference = SystemComponent.of({
      kind: 'DaemonSet',
      namespace: 'ops',
      name: 'logs',
      requiredTerms: [hostile],
    });
    const { made, partials } = make({ exclude: [reference] });
    const command = made.report[0]?.command ?? '';
    expect(command).toMatch(
      /^kubectl --namespace ops patch daemonset logs --type=strategic --field-manager=edge-nodepools --patch '/,
    );
    const { stdout } = spawnSync('sh', ['-c', command.replace(/^kubectl .* --patch /, 'printf %s ')], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual({ spec: partials[0].spec });
  });

  it('exists only with server-side apply', () => {
    expect(make({ cluster: on('1.37'), strategy: KUBEADM_PATCH }).made.report[0]).not.toHaveProperty('command');
  });
});

describe('the default strategy is the most durable that the cluster has', () => {
  it.each<[string, 'kubeadm' | 'other', string, ExclusionStrategy[], string[]]>([
    ['1.30', 'kubeadm', 'coredns', [SERVER_SIDE_APPLY], ['kubeadm upgrade']],
    ['1.31', 'kubeadm', 'coredns', [KUBEADM_PATCH, SERVER_SIDE_APPLY], []],
    ['1.35', 'kubeadm', 'kube-proxy', [SERVER_SIDE_APPLY], ['kubeadm upgrade']],
    ['1.35', 'other', 'flannel', [SERVER_SIDE_APPLY], ['manifest or Helm upgrade']],
    ['1.35', 'kubeadm', 'calico', [SERVER_SIDE_APPLY], []],
    ['1.35', 'kubeadm', 'calico-operator', [], []],
    ['1.36', 'kubeadm', 'kube-proxy', [ADMISSION_POLICY, SERVER_SIDE_APPLY], []],
    ['1.36', 'kubeadm', 'coredns', [ADMISSION_POLICY, SERVER_SIDE_APPLY], []],
    ['1.37', 'other', 'flannel', [ADMISSION_POLICY, SERVER_SIDE_APPLY], []],
    ['1.37', 'kubeadm', 'calico-operator', [ADMISSION_POLICY], []],
  ])('Kubernetes %s by %s: %s', (kubernetes, distribution, name, strategies, lostAfter) => {
    const { made } = make({ cluster: on(kubernetes, distribution), exclude: [component(name)] });
    expect(made.report[0]).toMatchObject({ component: name, strategies, lostAfter });
  });
});

describe('the admission policy', () => {
  const policyOf = (chart: Chart): any =>
    Testing.synth(chart).find(({ kind }: any) => kind === 'MutatingAdmissionPolicy');

  it('names every workload that it excludes, and precedes its binding', () => {
    const { chart, made } = make({
      cluster: on('1.36'),
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.CALICO_OPERATOR],
      strategy: ADMISSION_POLICY,
    });
    expect(Testing.synth(chart).map(({ kind, metadata }: any) => [kind, metadata.name, metadata.namespace])).toEqual([
      ['MutatingAdmissionPolicy', 'edge-nodepools-system-components', undefined],
      ['MutatingAdmissionPolicyBinding', 'edge-nodepools-system-components', undefined],
    ]);
    const { matchConditions, matchConstraints } = policyOf(chart).spec;
    expect(matchConstraints.resourceRules[0].resources).toEqual(['daemonsets', 'deployments']);
    for (const { workload } of made.report) {
      expect(matchConditions[0].expression).toContain(`'${workload}'`);
    }
    expect(made.report.map(({ command }) => command)).toContain(
      `kubectl --namespace calico-system patch daemonset calico-node --type=merge --patch '{}'`,
    );
  });

  it('is added to a given manifest, and needs no command then', () => {
    const manifest = { ...daemonSet(), metadata: { name: 'agent', namespace: 'ops' } };
    const { made, chart } = make({ cluster: on('1.36'), exclude: [SystemComponent.fromManifest(manifest)] });
    expect(made.report[0]).toMatchObject({ strategies: [MANIFEST, ADMISSION_POLICY], lostAfter: [] });
    expect(made.report[0]).not.toHaveProperty('command');
    expect(policyOf(chart)).toBeDefined();
  });

  it('is v1beta1 on request', () => {
    const { chart, made } = make({ cluster: on('1.35'), mutatingAdmissionPolicy: 'v1beta1' });
    expect(policyOf(chart).apiVersion).toBe('admissionregistration.k8s.io/v1beta1');
    const flags = /^the API server needs --feature-gates=MutatingAdmissionPolicy=true --runtime-config=/;
    expect(made.report.map(({ note }) => flags.test(note ?? ''))).toEqual([true]);
    expect(make({ cluster: on('1.36') }).made.report.map(({ note }) => note)).toEqual([undefined]);
  });

  it('has an unused name if it excludes nothing', () => {
    const unused = (props: Partial<EdgeSystemComponentsProps>): string[] =>
      EdgeWarnings.of(make(props).chart).flatMap(({ code, path }) => (code === 'EDGE_UNUSED' ? [path] : []));
    expect(unused({ policyName: 'mine' })).toEqual(['policyName']);
    expect(unused({ cluster: on('1.36'), policyName: 'mine', strategy: SERVER_SIDE_APPLY })).toEqual(['policyName']);
    expect(unused({ cluster: on('1.36'), policyName: 'mine' })).toEqual([]);
    expect(unused({})).toEqual([]);
  });

  it('has a unique name if there are two', () => {
    const { chart } = make({ cluster: on('1.36') });
    const second = { cluster: on('1.36'), exclude: [SystemComponent.COREDNS] };
    expect(() => new EdgeSystemComponents(chart, 'second', second)).toThrow(/EDGE_DUPLICATE {2}policyName/);
    new EdgeSystemComponents(chart, 'third', { ...second, policyName: 'other' });
    expect(Testing.synth(chart)).toHaveLength(4);
  });
});

describe('EdgeSystemComponents', () => {
  it('writes kubeadm patch files with the identity of the patched object', () => {
    const { app, made } = make({
      cluster: on('1.37'),
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
      strategy: KUBEADM_PATCH,
    });
    expect(made.patchChart).toBeUndefined();
    expect(made.kubeadmPatches.map(({ path }) => path)).toEqual([
      'kubeadm-patches/kubeproxydaemonset+strategic.json',
      'kubeadm-patches/corednsdeployment+strategic.json',
    ]);
    expect(artifactsOf(app)).toHaveLength(2);
    const files = writeArtifacts(app);
    expect(files).toHaveLength(2);
    expect(JSON.parse(readFileSync(files[1] as string, 'utf8'))).toEqual(
      partial('DaemonSet', 'kube-system', 'kube-proxy'),
    );
    // the same file of another construct is fine, another file with its path is not
    const [first, second] = made.kubeadmPatches as [EdgeArtifact, EdgeArtifact];
    addArtifact(app, first);
    expect(artifactsOf(app)).toHaveLength(2);
    addArtifact(app, { ...second, content: 'other' });
    expect(() => artifactsOf(app)).toThrow(/EDGE_ARTIFACT[^]*write different files/);
    // kubeadm reads target[suffix][+patchtype].extension
    files.forEach((file) => expect(file).toMatch(/(corednsdeployment|kubeproxydaemonset)\+strategic\.json$/));
  });

  it('writes the whole patched manifest of a component', () => {
    const manifest = {
      ...daemonSet(required([{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }])),
      metadata: { name: 'agent', namespace: 'ops', annotations: { keep: 'me' } },
    };
    const { chart, made } = make({ exclude: [SystemComponent.fromManifest(manifest)] });
    expect(made.report[0]?.strategies).toEqual([MANIFEST]);
    const [object] = Testing.synth(chart);
    expect(object).toMatchObject({
      metadata: { name: 'agent', namespace: 'ops', annotations: { keep: 'me' } },
      spec: { selector: manifest.spec.selector },
    });
    expect(object.spec.template.spec.affinity).toEqual(
      (required([{ matchExpressions: [{ key: 'a', operator: 'Exists' }, EXCLUSION] }]) as any).affinity,
    );
    expect(made.patchChart).toBeUndefined();
  });

  it('can apply a partial object of a component with a manifest', () => {
    const manifest = {
      ...daemonSet(required([{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }])),
      metadata: { name: 'agent', namespace: 'ops' },
    };
    const { partials } = make({ exclude: [SystemComponent.fromManifest(manifest)], strategy: SERVER_SIDE_APPLY });
    expect(partials).toEqual([
      partial('DaemonSet', 'ops', 'agent', [{ matchExpressions: [{ key: 'a', operator: 'Exists' }, EXCLUSION] }]),
    ]);
  });

  it('excludes any other component by reference, with its shipped terms', () => {
    const reference = SystemComponent.of({
      kind: 'StatefulSet',
      namespace: 'ops',
      name: 'logs',
      requiredTerms: [{}, { matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
    });
    expect(make({ exclude: [reference] }).partials).toEqual([
      partial('StatefulSet', 'ops', 'logs', [{}, { matchExpressions: [{ key: 'a', operator: 'Exists' }, EXCLUSION] }]),
    ]);
  });

  it('accepts differences of the cluster', () => {
    const { partials } = make({
      exclude: [SystemComponent.CILIUM, SystemComponent.FLANNEL],
      components: {
        cilium: { namespace: 'cni', absent: ['cilium-envoy'] },
        flannel: { namespace: 'cni', strategy: SERVER_SIDE_APPLY },
      },
    });
    expect(partials.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'cni/cilium',
      'cni/cilium-operator',
      'cni/kube-flannel-ds',
    ]);
  });

  it('puts the partial objects into a separate chart, without labels and namespace of the parent chart', () => {
    const { made, app, chart } = make({});
    expect(made.patchChart?.node.path).toBe('fleet-system-patches');
    expect(app.charts).toHaveLength(2);
    expect(Testing.synth(chart)).toEqual([]);
    expect(Testing.synth(made.patchChart as Chart)).toEqual([partial('DaemonSet', 'kube-system', 'kube-proxy')]);
  });

  it('uses a given chart', () => {
    const app = new App();
    const patchChart = new Chart(app, 'patches');
    const made = new EdgeSystemComponents(new Chart(app, 'fleet'), 'system', {
      cluster: on('1.34'),
      exclude: [SystemComponent.KUBE_PROXY],
      patchChart,
    });
    expect(made.patchChart).toBe(patchChart);
    expect(Testing.synth(patchChart)).toHaveLength(1);
  });
});
