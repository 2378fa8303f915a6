import { EdgeCluster } from 'edge-nodepools';

const hash = `sha256:${'AB'.repeat(32)}`;

describe('EdgeCluster', () => {
  it('has the given properties', () => {
    const cluster = EdgeCluster.of({
      openYurt: '1.7.0',
      kubernetes: 'v1.34.1',
      apiServer: '[fd00::1]:6443',
      caCertHashes: [hash],
      distribution: 'other',
      yurthub: true,
      clusterDomain: 'edge.example',
      nodePoolLabel: 'example.com/pool',
    });
    expect(cluster).toMatchObject({
      openYurt: '1.7',
      openYurtVersion: '1.7.0',
      kubernetesVersion: '1.34.1',
      caCertHashes: [hash.toLowerCase()],
      distribution: 'other',
      yurthub: true,
      clusterDomain: 'edge.example',
      nodePoolLabel: 'example.com/pool',
    });
    expect(cluster.apiServerEndpoint()).toEqual({ host: 'fd00::1', port: 6443 });
    expect(String(cluster)).toBe('OpenYurt 1.7 on Kubernetes 1.34');
  });

  it('has the documented defaults', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    expect(cluster).toMatchObject({
      caCertHashes: [],
      distribution: 'kubeadm',
      clusterDomain: 'cluster.local',
      nodePoolLabel: 'apps.openyurt.io/nodepool',
      warnings: [],
    });
    expect(cluster.yurthub).toBeUndefined();
    expect(cluster.apiServerEndpoint()).toBeUndefined();
  });

  it('is immutable', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    expect(() => Object.assign(cluster, { openYurt: '1.4' })).toThrow(TypeError);
    expect(() => (cluster.caCertHashes as string[]).push('x')).toThrow(TypeError);
  });

  it.each(['1.3', '1.0.4'])('refuses OpenYurt %s, also with allowNewer', (openYurt) => {
    expect(() => EdgeCluster.of({ openYurt, kubernetes: '1.34', allowNewer: true })).toThrow(
      'EDGE_UNSUPPORTED_RELEASE',
    );
  });

  it.each(['10.0.0.1:6443', 'api.example:443', 'api:1', '[::1]:65535'])('accepts the API server %s', (apiServer) => {
    expect(EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34', apiServer }).apiServerEndpoint()).toBeDefined();
  });
});
