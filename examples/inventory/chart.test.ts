import { Testing } from 'cdk8s';
import { artifactsOf } from 'edge-nodepools';
import { ShopsChart } from './chart.js';

describe('inventory', () => {
  const app = Testing.app();
  const chart = new ShopsChart(app, 'shops');
  const files = artifactsOf(app).filter(({ path }) => path.startsWith('join/shops/'));

  it('publishes one join for all machines', () => {
    const objects: { kind: string }[] = Testing.synth(chart);
    // yurthub of OpenYurt 1.7 needs rights that its chart does not have
    const rights = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
    expect(objects.map(({ kind }) => kind)).toEqual(['NodePool', 'ConfigMap', ...rights]);
    const userData = files.filter(({ path }) => path.endsWith('/user-data'));
    expect(userData).toHaveLength(4);
    expect(new Set(userData.map(({ content }) => content))).toEqual(new Set([chart.machines.userData]));
  });

  it('has a network for each machine with a MAC address', () => {
    const networks = files.filter(({ path }) => path.endsWith('/network-config')).map(({ path }) => path);
    expect(networks).toEqual([1, 2, 3].map((number) => `join/shops/shop-000${number}/network-config`));
  });

  it('has the labels of each machine', () => {
    const [first, , , last] = chart.machines.seeds;
    expect(first?.vendorData).toContain('shops.example/rack=r1');
    expect(last?.vendorData).not.toContain('shops.example/rack');
  });
});
