import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, KubeadmConfigTemplate } from 'edge-nodepools';
import { OpenStackMachines } from 'edge-nodepools/control-plane';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** The objects of the machines of one pool. */
function made(more: object = {}): any[] {
  const chart = new Chart(new App(), 'chart', { namespace: 'clusters' });
  const pool = HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, poolName: 'shops' });
  const bootstrapTemplate = new KubeadmConfigTemplate(chart, 'join', { pool, name: 'shops-join' }).templateName;
  const image = { version: 'v1.34.2', flavor: 'm1.small', image: 'ubuntu' };
  new OpenStackMachines(chart, 'machines', { pool, clusterName: 'edge', bootstrapTemplate, ...image, ...more });
  return Testing.synth(chart).filter(({ kind }: any) => kind !== 'KubeadmConfigTemplate');
}

describe('machines of OpenStack', () => {
  it('are a MachineDeployment for each failure domain, of one template', () => {
    const [template, ...deployments] = made({ failureDomains: ['az1', 'AZ_2'], replicas: 3 });
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['shops-az1', 'shops-az-2']);
    for (const { spec } of deployments) {
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
      expect(spec.template.spec.infrastructureRef.name).toBe(template.metadata.name);
      expect(spec.template.spec.bootstrap.configRef.name).toBe('shops-join');
      expect(spec.replicas).toBe(3);
    }
    expect(deployments.map(({ spec }) => spec.template.spec.failureDomain)).toEqual(['az1', 'AZ_2']);
  });

  it('say the same in the fields of both versions', () => {
    const ports = [{ network: 'edge', portSecurity: false }];
    const spec = (providerVersion: string): any => made({ ports, providerVersion })[0].spec.template.spec;
    expect(spec('v1beta1')).toMatchObject({ flavor: 'm1.small', ports: [{ disablePortSecurity: true }] });
    expect(spec('v1beta2')).toMatchObject({
      flavor: { filter: { name: 'm1.small' } },
      ports: [{ enablePortSecurity: false }],
    });
  });

  it('are referenced as the version of Cluster API does', () => {
    const reference = (clusterApiVersion: string): any =>
      made({ clusterApiVersion })[1].spec.template.spec.infrastructureRef;
    expect(reference('v1beta1').apiVersion).toBe('infrastructure.cluster.x-k8s.io/v1beta1');
    expect(reference('v1beta2').apiGroup).toBe('infrastructure.cluster.x-k8s.io');
  });

  it('are another template when they change, and the same when they do not', () => {
    const name = (more?: object): string => made(more)[0].metadata.name;
    expect(name()).toBe(name({ replicas: 5 }));
    expect(name()).not.toBe(name({ flavor: 'm1.large' }));
    expect(name()).toMatch(/^shops-machine-[0-9a-f]{10}$/);
  });
});
