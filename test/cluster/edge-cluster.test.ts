import { EdgeCluster, type EdgeWarning } from 'edge-nodepools';
import fc from 'fast-check';
import { logEntries, summaries } from '../../src/cluster/warning-summary.js';
import { runs } from '../depth.js';

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

const at = (code: EdgeWarning['code'], construct: string, hint = 'h'): EdgeWarning => ({
  code,
  construct,
  path: 'workload',
  message: 'm',
  hint,
});

describe('warnings as text', () => {
  it('have one entry per code, with the count and the first three places', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => at('EDGE_NO_PORTS', name));
    const mixed = [...many.slice(0, 2), at('EDGE_DNS', 'x'), ...many.slice(2)];
    expect(summaries(mixed, ' (all: …)')).toEqual([
      [
        'warning: EDGE_NO_PORTS, 5 times',
        '  a workload: m',
        '  b workload: m',
        '  c workload: m',
        '      -> h',
        '  and 2 more (all: …)',
      ].join('\n'),
      'warning: x\n  EDGE_DNS  workload: m\n      -> h',
      '  see node_modules/edge-nodepools/docs/troubleshooting.md#edge_no_ports #edge_dns',
    ]);
    expect(summaries([], '')).toEqual([]);
    expect(logEntries(mixed).map(({ text }) => text.split('\n').at(-1))).toEqual(
      logEntries(mixed).map(({ first }) =>
        expect.stringMatching(new RegExp(`^  see \\S+troubleshooting.md#${first.code.toLowerCase()}$`)),
      ),
    );
    expect(logEntries(mixed).map(({ first, text }) => [first.construct, text.split('\n')[0]])).toEqual([
      ['a', 'EDGE_NO_PORTS, 5 times:'],
      ['x', 'EDGE_DNS workload: m; h'],
    ]);
  });

  it('show each hint after its places, the same warning once, and no token', () => {
    const token = 'abcdef.0123456789abcdef';
    const [text] = summaries(
      [at('EDGE_DNS', 'a', token), at('EDGE_DNS', 'a', token), at('EDGE_DNS', 'b', 'other')],
      '',
    );
    expect(text).toBe('warning: EDGE_DNS, 2 times\n  a workload: m\n      -> <token>\n  b workload: m\n      -> other');
  });

  it('count every warning in exactly one entry', () => {
    const code = fc.constantFrom<EdgeWarning['code']>('EDGE_DNS', 'EDGE_NO_PORTS', 'EDGE_UNUSED');
    fc.assert(
      fc.property(fc.array(fc.tuple(code, fc.nat(30)), { minLength: 1 }), (given) => {
        const distinct = new Set(given.map(([one, place]) => `${one} ${place}`));
        const entries = summaries(
          given.map(([one, place]) => at(one, `p${place}`)),
          '',
        ).slice(0, -1);
        expect(entries).toHaveLength(new Set(given.map(([one]) => one)).size);
        const counts = entries.map((entry) => Number(/, (\d+) times/.exec(entry)?.[1] ?? 1));
        expect(counts.reduce((a, b) => a + b)).toBe(distinct.size);
        expect(Math.max(...entries.map((entry) => entry.split('\n').length))).toBeLessThanOrEqual(6);
      }),
      runs(100),
    );
  });
});
