import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, KubeadmConfigTemplate } from 'edge-nodepools';
import { OpenStackMachines } from 'edge-nodepools/control-plane';
import { kubeadmConfigTemplateCrd } from '../../harness/cluster-api.js';
import { toolsOf } from '../../harness/control-plane.js';
import type { Group } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { operatorCrds } from '../../harness/operator-crds.js';

const PLANE = { kubernetes: '1.36' };

/** The objects of the machines of one pool, with every field, in one version of Cluster API. */
function machinesOf(clusterApiVersion: 'v1beta1' | 'v1beta2'): any[] {
  const chart = new Chart(new App(), 'chart', { namespace: `machines-${clusterApiVersion}` });
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const pool = HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, poolName: 'shops' });
  const { templateName } = new KubeadmConfigTemplate(chart, 'join', { pool, version: 'v1beta2' });
  new OpenStackMachines(chart, 'machines', {
    pool,
    clusterName: 'edge',
    bootstrapTemplate: templateName,
    version: 'v1.34.2',
    flavor: 'm1.small',
    image: 'ubuntu',
    failureDomains: ['az1', 'az2'],
    rootVolume: { sizeGib: 50, type: 'ssd', availabilityZone: 'nova' },
    ports: [{ network: 'edge', portSecurity: false }, { networkId: '0c5e2b1e-0000-4000-8000-000000000001' }],
    serverGroupId: '0c5e2b1e-0000-4000-8000-000000000002',
    sshKeyName: 'admin',
    clusterApiVersion,
  });
  return Testing.synth(chart);
}

export const machines: Group = {
  name: 'machines',
  claim:
    'OpenStackMachineTemplates and MachineDeployments of a pool are accepted with strict validation by the resource definitions of Cluster API, in both of its versions, and of its provider for OpenStack (v1beta1); a second apply of the newer one changes nothing. No Nova runs: no machine is made',
  programs: 'kube-apiserver 1.36; the CRDs of Cluster API 1.13 and of cluster-api-provider-openstack 0.14',
  tools: toolsOf(PLANE),
  run: async (proof) => {
    await onControlPlane(PLANE, proof, async (plane) => {
      await plane.applyCrds([
        kubeadmConfigTemplateCrd('v1beta2'),
        ...operatorCrds('cluster-api-1.13', 'machinedeployments'),
        ...operatorCrds('cluster-api-openstack-0.14', 'openstackmachinetemplates'),
      ]);
      for (const version of ['v1beta1', 'v1beta2'] as const) {
        const objects = machinesOf(version);
        const stored = await plane.apply(objects);
        proof.that(`all objects of ${version} are accepted`, stored.length === 4, String(stored.length));
        // without the conversion webhook, what is written as v1beta1 is stored with other fields
        if (version === 'v1beta2') {
          const generations = (list: readonly any[]): unknown => list.map(({ metadata }) => metadata.generation);
          proof.same(
            'applied a second time changes nothing',
            generations(await plane.apply(objects)),
            generations(stored),
          );
        }
      }
    });
  },
};
