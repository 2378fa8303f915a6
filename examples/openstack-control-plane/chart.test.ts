import { type Chart, Testing } from 'cdk8s';
import { EdgeWarnings } from 'edge-nodepools';
import { ClusterChart, ManagementChart } from './chart.js';

type Manifest = Record<string, any>;

describe('openstack-control-plane', () => {
  const app = Testing.app();
  const edge = new ClusterChart(app, 'edge');
  const management: Manifest[] = Testing.synth(new ManagementChart(app, 'management', edge));
  const objects: Manifest[] = Testing.synth(edge);
  const controlPlane = management.find(({ kind }) => kind === 'KubeadmControlPlane')?.spec
    .kubeadmConfigSpec as Manifest;

  it('gives the API servers the members of etcd, and no etcd of their own', () => {
    expect(controlPlane.clusterConfiguration.etcd.external.endpoints).toEqual([
      'https://10.0.0.11:2379',
      'https://10.0.0.12:2379',
      'https://10.0.0.13:2379',
    ]);
    expect(controlPlane.files.map(({ path }: Manifest) => path)).not.toContain(expect.stringContaining('etcd'));
  });

  it('makes the Secrets of etcd where Cluster API looks for them', () => {
    const [namespace] = management.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
    const script = edge.etcd.certificatesScript ?? '';
    expect(script).toMatch(new RegExp(`\\bnamespace='?${namespace}'?\\s`));
    expect(script.match(/^ +secret "\$cluster_api_\w+"/gm)).toHaveLength(2);
  });

  it('writes the patches into the folder that kubeadm reads', () => {
    const { directory } = controlPlane.initConfiguration.patches;
    expect(controlPlane.joinConfiguration.patches).toEqual({ directory });
    expect(controlPlane.files.map(({ path }: Manifest) => path)).toEqual(
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map(
        (name) => `${directory}/${name}0+strategic.json`,
      ),
    );
  });

  it('keeps metrics on a volume, guaranteed, with a priority that exists', () => {
    const { spec } = objects.find(({ kind }) => kind === 'Prometheus') as Manifest;
    expect(spec.resources.limits).toEqual(spec.resources.requests);
    expect(spec.storage.volumeClaimTemplate.spec.storageClassName).toBe('ssd');
    const classes = objects.filter(({ kind }) => kind === 'PriorityClass').map(({ metadata }) => metadata.name);
    expect(classes).toContain(spec.priorityClassName);
  });

  it('makes machines of the pool, which only host-network Pods can use', () => {
    const [join] = management.filter(({ kind }) => kind === 'KubeadmConfigTemplate');
    const text = JSON.stringify(join);
    expect(text).toContain('apps.openyurt.io/nodepool=shops');
    const deployments = management.filter(({ kind }) => kind === 'MachineDeployment');
    expect(deployments.map(({ spec }) => spec.template.spec.bootstrap.configRef.name)).toEqual(
      Array(2).fill(join?.metadata.name),
    );
  });

  it('patches kube-proxy apart from everything else, and warns of nothing', () => {
    const patches: Manifest[] = Testing.synth(edge.qos.patchChart as Chart);
    expect(patches.map(({ metadata }) => metadata.name)).toEqual(['kube-proxy']);
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});
