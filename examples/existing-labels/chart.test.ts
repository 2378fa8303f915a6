import { Testing } from 'cdk8s';
import { EdgeWarnings, footprint, manifestsOf, placeFleet } from 'edge-nodepools';
import { cluster, DepotsChart } from './chart.js';

type Manifest = Record<string, any>;

const EXCLUSION = { key: 'node-role.kubernetes.io/edge', operator: 'NotIn', values: [''] };

describe('existing-labels', () => {
  const app = Testing.app();
  const { north } = new DepotsChart(app, 'depots');
  const manifests: Manifest[] = manifestsOf(app);
  // as they are in the cluster, before this program
  const edge = {
    name: 'locomotive-1',
    labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/edge': '', 'rail.example/depot': 'north' },
  };
  const elsewhere = { ...edge, name: 'locomotive-2', labels: { ...edge.labels, 'rail.example/depot': 'south' } };
  const station = { name: 'station-1', labels: { 'kubernetes.io/os': 'linux' } };

  it('writes no object for the pool, and nowhere a label of OpenYurt', () => {
    expect(manifests.filter(({ kind }) => ['NodePool', 'Node'].includes(kind as string))).toEqual([]);
    expect(JSON.stringify(manifests)).not.toMatch(
      /nodepool\.openyurt\.io\/hostnetwork["']|apps\.openyurt\.io\/nodepool/,
    );
  });

  it('excludes by the label that the nodes have', () => {
    const deployment = manifests.find(({ metadata }) => metadata.name === 'timetable');
    const terms =
      deployment?.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        .nodeSelectorTerms;
    expect(terms).toEqual([{ matchExpressions: [EXCLUSION] }]);
  });

  it('runs on nodes as they are', () => {
    const placed = placeFleet(manifests, [edge, elsewhere, station], cluster);
    const system = [
      'DaemonSet kube-system/kube-proxy',
      'Deployment kube-system/coredns',
      'DaemonSet kube-flannel/kube-flannel-ds',
    ];
    expect(placed.map(({ hostNetwork, runs }) => [hostNetwork, runs])).toEqual([
      [true, ['DaemonSet default/signals']],
      [true, []],
      [false, ['Deployment default/timetable', ...system]],
    ]);
    expect(footprint(manifests, [edge], cluster)[0]?.saved.map(({ workload }) => workload)).toEqual([
      'Deployment default/timetable',
      ...system,
    ]);
  });

  it('leaves the label itself to KubeEdge, because a kubelet may not register with it', () => {
    expect(north.joinLabels).toEqual({ 'rail.example/depot': 'north' });
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});
