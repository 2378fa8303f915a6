import { type App, type Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeWarnings, KeepOffStrategy, placeFleet } from 'edge-nodepools';
import { YardChart } from './chart.js';
import { reportTable } from './report-table.js';

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

  it('makes the new pool and not the one that exists', () => {
    const pools = objects.filter(({ kind }) => kind === 'NodePool');
    expect(pools.map(({ metadata }) => metadata.name)).toEqual(['yard-north']);
  });

  it('runs the gateway on both pools, tolerant of the taint of the one made elsewhere', () => {
    const { spec } = named(objects, 'gateway').spec.template;
    expect(spec.affinity.nodeAffinity[REQUIRED].nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'In', values: ['yard-north', 'depot'] }] },
    ]);
    expect(spec.tolerations).toEqual([{ key: 'site', operator: 'Equal', value: 'depot', effect: 'NoSchedule' }]);
    expect(spec.containers[0].env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.10' });
  });

  it('owns nothing but the required node affinity of what it applies server-side', () => {
    expect(patches.map(({ metadata }) => metadata.name)).toEqual([
      'kube-proxy',
      'coredns',
      'kube-flannel-ds',
      'node-exporter',
    ]);
    for (const patch of patches) {
      expect(Object.keys(patch).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
      expect(Object.keys(patch.metadata as object).sort()).toEqual(['name', 'namespace']);
      expect(patch.spec).toEqual({
        template: { spec: { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: termsOf(patch) } } } } },
      });
    }
  });

  it('keeps the term of flannel, in the same term as the exclusion', () => {
    expect(termsOf(named(patches, 'kube-flannel-ds'))).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }, EXCLUSION] },
    ]);
    expect(systemComponents.applyFlags).toContain('--force-conflicts');
  });

  it('writes both kubeadm patches, equal to the partial objects', () => {
    const files = artifactsOf(app);
    expect(files.map(({ path }) => path)).toEqual([
      'kubeadm-patches/corednsdeployment+strategic.json',
      'kubeadm-patches/kubeproxydaemonset+strategic.json',
    ]);
    expect(files.map(({ content }) => JSON.parse(content) as unknown)).toEqual([
      named(patches, 'coredns'),
      named(patches, 'kube-proxy'),
    ]);
  });

  it('writes the log-shipper whole, with the exclusion in each of its terms', () => {
    const shipper = named(objects, 'log-shipper');
    expect(shipper.spec.template.spec.containers[0].image).toBe('registry.example/log-shipper:3.2.0');
    expect(termsOf(shipper)).toHaveLength(2);
    for (const term of termsOf(shipper)) {
      expect(term.matchExpressions).toContainEqual(EXCLUSION);
    }
  });

  it('keeps every component off the host-network pool, and on ordinary nodes', () => {
    const components = [...patches, named(objects, 'log-shipper')];
    const ordinary = {
      name: 'office-1',
      labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    };
    const pools = objects.filter(({ kind }) => kind === 'NodePool');
    const [office, yard] = ['office-1', 'yard-north'].map((name) =>
      placeFleet([...pools, ...components], [ordinary]).find(({ pool }) => pool === name),
    );
    expect(yard?.runs).toEqual([]);
    expect(office?.runs).toHaveLength(components.length);
  });

  it('reports what can not be kept off, and what undoes the rest', () => {
    expect(systemComponents.cannotKeepOff.map(({ workload }) => workload)).toEqual([
      'DaemonSet calico-system/calico-node',
      'DaemonSet calico-system/csi-node-driver',
    ]);
    const lost = new Map(systemComponents.report.map(({ workload, lostAfter }) => [workload, lostAfter]));
    expect(lost.get('DaemonSet kube-system/kube-proxy')).toEqual([]);
    expect(lost.get('DaemonSet kube-flannel/kube-flannel-ds')).toEqual(['manifest or Helm upgrade']);
    expect(lost.get('DaemonSet logging/log-shipper')).toEqual([]);
    const kubeProxy = systemComponents.report.find(({ component }) => component === 'kube-proxy');
    expect(kubeProxy?.strategies).toContain(KeepOffStrategy.KUBEADM_PATCH);
  });

  it('prints the report as a table with one row per workload and each note once', () => {
    const lines = reportTable(systemComponents.report).split('\n');
    const rows = lines.slice(1, lines.indexOf(''));
    expect(rows).toHaveLength(systemComponents.report.length);
    expect(lines.filter((line) => line.startsWith('calico-operator: '))).toHaveLength(1);
  });

  it('warns that OpenYurt 1.7 never claimed Kubernetes 1.37, and of nothing else', () => {
    expect(EdgeWarnings.of(app).map(({ code }) => code)).toEqual(['EDGE_UNTESTED_PAIR']);
  });
});
