import { type App, type Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeWarnings, ExclusionStrategy, placeFleet } from 'edge-nodepools';
import { YardChart } from './chart.js';

const { ADMISSION_POLICY, KUBEADM_PATCH, SERVER_SIDE_APPLY } = ExclusionStrategy;

type Manifest = Record<string, any>;

const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function termsOf(object: Manifest): Manifest[] {
  return object.spec.template.spec.affinity.nodeAffinity[REQUIRED].nodeSelectorTerms;
}

describe('existing-cluster', () => {
  const app: App = Testing.app();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new YardChart(app, 'yard');
  const { systemComponents } = chart;
  const objects: Manifest[] = Testing.synth(chart);
  const patches: Manifest[] = Testing.synth(systemComponents.patchChart as Chart);
  const named = (list: Manifest[], name: string): Manifest =>
    list.find(({ metadata }) => metadata.name === name) as Manifest;

  it('creates the new pool and not the existing one', () => {
    const pools = objects.filter(({ kind }) => kind === 'NodePool');
    expect(pools.map(({ metadata }) => metadata.name)).toEqual(['yard-north']);
  });

  it('runs the gateway on both pools, with a toleration of the taint of the existing one', () => {
    const { spec } = named(objects, 'gateway').spec.template;
    expect(spec.affinity.nodeAffinity[REQUIRED].nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'In', values: ['yard-north', 'depot'] }] },
    ]);
    expect(spec.tolerations).toEqual([{ key: 'site', operator: 'Equal', value: 'depot', effect: 'NoSchedule' }]);
    expect(spec.containers[0].env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.10' });
  });

  it('owns only the required node affinity of the objects that it applies server-side', () => {
    expect(patches.map(({ metadata }) => metadata.name)).toEqual(['kube-proxy', 'coredns', 'kube-flannel-ds']);
    for (const patch of patches) {
      expect(Object.keys(patch).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
      const { name, namespace, ...rest } = patch.metadata as Record<string, object>;
      expect([name, namespace]).not.toContain(undefined);
      // by it the policy knows a write that takes the patch back
      expect(Object.keys(rest.annotations ?? {})).toEqual(['edge-nodepools-system-components/patched']);
      expect(patch.spec).toEqual({
        template: { spec: { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: termsOf(patch) } } } } },
      });
    }
  });

  it('preserves the term of flannel, in the same term as the exclusion', () => {
    expect(termsOf(named(patches, 'kube-flannel-ds'))).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }, EXCLUSION] },
    ]);
    expect(systemComponents.applyFlags).toContain('--force-conflicts');
  });

  it('writes the kubeadm patch of CoreDNS, equal to the partial object', () => {
    const [file, ...others] = artifactsOf(app);
    expect(others).toEqual([]);
    expect(file?.path).toBe('kubeadm-patches/corednsdeployment+strategic.json');
    const { metadata, ...patch } = named(patches, 'coredns');
    const { annotations: _, ...identity } = metadata as Record<string, object>;
    expect(JSON.parse(file?.content ?? '')).toEqual({ ...patch, metadata: identity });
  });

  it('names in the policy the components that it excludes, and not CoreDNS', () => {
    const [policy, binding] = objects.filter(({ kind }) => kind.startsWith('MutatingAdmissionPolicy'));
    const [condition] = policy?.spec.matchConditions;
    const byPolicy = systemComponents.report.filter(({ strategies }) => strategies.includes(ADMISSION_POLICY));
    expect(byPolicy).toHaveLength(6);
    for (const { workload } of byPolicy) {
      expect(condition.expression).toContain(`'${workload}'`);
    }
    expect(condition.expression).not.toContain('coredns');
    expect(binding).toMatchObject({
      kind: 'MutatingAdmissionPolicyBinding',
      spec: { policyName: policy?.metadata.name },
    });
  });

  it('writes the whole log-shipper, with the exclusion in each of its terms', () => {
    const shipper = named(objects, 'log-shipper');
    expect(shipper.spec.template.spec.containers[0].image).toBe('registry.example/log-shipper:3.2.0');
    expect(termsOf(shipper)).toHaveLength(2);
    for (const term of termsOf(shipper)) {
      expect(term.matchExpressions).toContainEqual(EXCLUSION);
    }
  });

  it('excludes every component from the host-network pool, and not from regular nodes', () => {
    const components = [...patches, named(objects, 'log-shipper')];
    const regular = {
      name: 'office-1',
      labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    };
    const pools = objects.filter(({ kind }) => kind === 'NodePool');
    const [office, yard] = ['office-1', 'yard-north'].map((name) =>
      placeFleet([...pools, ...components], [regular]).find(({ pool }) => pool === name),
    );
    expect(yard?.runs).toEqual([]);
    expect(office?.runs).toHaveLength(components.length);
  });

  it('excludes workloads of an operator or a chart only by the policy, with one empty patch', () => {
    expect(systemComponents.notExcluded).toEqual([]);
    const touched = systemComponents.report.filter(({ strategies }) =>
      strategies.every((strategy) => strategy === ADMISSION_POLICY),
    );
    expect(touched.map(({ workload, command }) => [workload, command?.endsWith(`--type=merge --patch '{}'`)])).toEqual([
      ['DaemonSet monitoring/node-exporter', true],
      ['DaemonSet calico-system/calico-node', true],
      ['DaemonSet calico-system/csi-node-driver', true],
    ]);
  });

  it('has nothing that must be applied again', () => {
    expect(systemComponents.report.filter(({ lostAfter }) => lostAfter.length > 0)).toEqual([]);
    const coreDns = systemComponents.report.find(({ component }) => component === 'coredns');
    expect(coreDns?.strategies).toEqual([SERVER_SIDE_APPLY, KUBEADM_PATCH]);
  });

  it('prints the report as a table with one row per workload', () => {
    const [heading, ...rows] = String(systemComponents.report).split('\n');
    expect(heading).toMatch(/^WORKLOAD +EXCLUDED BY +APPLY AGAIN AFTER$/);
    expect(rows).toHaveLength(systemComponents.report.length);
  });

  it('warns only that OpenYurt 1.7 does not claim Kubernetes 1.37', () => {
    expect(EdgeWarnings.of(app).map(({ code }) => code)).toEqual(['EDGE_UNCLAIMED_PAIR']);
  });
});
