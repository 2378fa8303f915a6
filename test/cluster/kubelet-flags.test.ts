import { EdgeCluster, HostNetworkNodePool, JoinToken, KubeadmConfigTemplate, NodeReservation } from 'edge-nodepools';
import { App, ApiObject, Chart } from 'cdk8s';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';
import { hasCompressibleReservations, knownKubeletFlags } from '../../src/cluster/kubelet-capabilities.js';

const flagsOf = (kubernetes: string): readonly string[] =>
  knownKubeletFlags(EdgeCluster.of({ openYurt: 'none', kubernetes })) ?? [];

describe('the flags of kubelet', () => {
  // counted in `kubelet --help` of 1.36.2 and in cmd/kubelet/app/options of the others
  it.each([
    ['1.22', 185],
    ['1.26', 154],
    ['1.36', 149],
    ['1.37', 130],
  ])('of Kubernetes %s: %i', (kubernetes, count) => {
    const flags = flagsOf(kubernetes);
    expect(flags).toHaveLength(count);
    expect(new Set(flags).size).toBe(count);
    expect(flags).toEqual(expect.arrayContaining(['max-pods', 'node-ip', 'v', 'feature-gates']));
  });

  it('are unknown for a newer Kubernetes, so none is refused', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.99', allowNewer: true });
    expect(knownKubeletFlags(cluster)).toBeUndefined();
    const pool = new HostNetworkNodePool(new Chart(new App(), 'site'), 'pool', { cluster, poolName: 'hz' });
    expect(
      () => new KubeadmConfigTemplate(pool, 'join', { pool, kubeletExtraArgs: { 'of-the-future': '1' } }),
    ).not.toThrow();
  });

  it('for compressible reservations exist from 1.32 on', () => {
    const has = (kubernetes: string): boolean =>
      hasCompressibleReservations(EdgeCluster.of({ openYurt: 'none', kubernetes }));
    expect([has('1.31'), has('1.32')]).toEqual([false, true]);
  });
});

describe('all as the one check that only warns', () => {
  it('is the only one, because kubeadm refuses it together with ours', () => {
    for (const way of WAYS.filter(({ via }) => via !== 'yurtadm')) {
      const { join, pool, chart } = declareJoin(way, JoinToken.fromFile('/run/t'), { ignorePreflightErrors: ['all'] });
      expect((join.joinConfiguration as any).nodeRegistration.ignorePreflightErrors).toEqual(['all']);
      const template = new KubeadmConfigTemplate(chart, 'template', { pool, ignorePreflightErrors: ['all'] });
      const { spec } = ApiObject.of(template).toJson();
      expect(spec.template.spec.joinConfiguration.nodeRegistration.ignorePreflightErrors).toEqual(['all']);
    }
  });
});

describe('a minimum reclaim', () => {
  it('may be 0', () => {
    const reservation = NodeReservation.of({
      evictionMinimumReclaim: { 'memory.available': '0', 'nodefs.available': '0.5%' },
    });
    expect(reservation.kubeletConfiguration().evictionMinimumReclaim).toEqual({
      'memory.available': '0',
      'nodefs.available': '0.5%',
    });
  });
});
