import { type App, type Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeWarnings, placeFleet } from 'edge-nodepools';
import { FleetChart } from './chart.js';

type Manifest = Record<string, any>;

function synthesized(): { app: App; fleet: Manifest[]; patches: Manifest[] } {
  const app = Testing.app();
  const chart = new FleetChart(app, 'fleet');
  return { app, fleet: Testing.synth(chart), patches: Testing.synth(chart.systemComponents.patchChart as Chart) };
}

describe('quickstart', () => {
  const { app, fleet, patches } = synthesized();
  const find = (kind: string, name: string): Manifest =>
    fleet.find((object) => object.kind === kind && object.metadata.name === name) as Manifest;

  it('creates two host-network pools and a regular one', () => {
    const pools = fleet.filter(({ kind }) => kind === 'NodePool');
    expect(pools.map(({ metadata, spec }) => [metadata.name, spec.hostNetwork])).toEqual([
      ['beijing', true],
      ['hangzhou', true],
      ['shanghai', undefined],
    ]);
    expect(new Set(pools.map(({ apiVersion }) => apiVersion))).toEqual(new Set(['apps.openyurt.io/v1beta2']));
  });

  it('declares every namespace before the first object in it', () => {
    const declared = new Set<string>();
    for (const { kind, metadata } of fleet) {
      if (kind === 'Namespace') {
        declared.add(metadata.name);
      } else if (metadata.namespace !== undefined) {
        expect(declared).toContain(metadata.namespace);
      }
    }
    expect(find('Namespace', 'edge-system').metadata.labels).toEqual({
      'pod-security.kubernetes.io/enforce': 'privileged',
    });
  });

  it('runs the collector only on the host-network pools, and the web only elsewhere', () => {
    const runs = Object.fromEntries(placeFleet(fleet).map((placement) => [placement.pool, placement.runs]));
    expect(runs).toEqual({
      beijing: ['DaemonSet edge-system/collector'],
      hangzhou: ['DaemonSet edge-system/collector'],
      shanghai: ['Deployment shop/web'],
    });
  });

  it('runs the collector with hostNetwork and its port, and the web without', () => {
    const collector = find('DaemonSet', 'collector').spec.template.spec;
    expect(collector).toMatchObject({ hostNetwork: true, dnsPolicy: 'Default' });
    expect(collector.containers[0].ports).toEqual([{ containerPort: 9110, hostPort: 9110 }]);
    expect(find('Deployment', 'web').spec.template.spec).not.toHaveProperty('hostNetwork');
  });

  it('patches only the affinity of the system components', () => {
    expect(patches.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'DaemonSet kube-system/kube-proxy',
      'Deployment kube-system/coredns',
      'DaemonSet kube-flannel/kube-flannel-ds',
    ]);
    for (const { metadata, spec } of patches) {
      expect(Object.keys(metadata as object).sort()).toEqual(['name', 'namespace']);
      expect(Object.keys(spec as object)).toEqual(['template']);
      expect(Object.keys(spec.template.spec as object)).toEqual(['affinity']);
    }
    const pools = fleet.filter(({ kind }) => kind === 'NodePool');
    expect(placeFleet([...pools, ...patches]).map(({ pool, runs }) => [pool, runs.length])).toEqual([
      ['beijing', 0],
      ['hangzhou', 0],
      ['shanghai', 3],
    ]);
  });

  it('writes the only kubeadm patch that Kubernetes 1.34 supports, without warnings', () => {
    expect(artifactsOf(app).map(({ path }) => path)).toEqual(['kubeadm-patches/corednsdeployment+strategic.json']);
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});
