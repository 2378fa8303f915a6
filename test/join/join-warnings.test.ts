/** What a join and a pool accept, and what no machine does with it. */
import { Testing as Cdk8sTesting } from 'cdk8s';
import {
  EdgeCluster,
  type EdgeWarning,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  NodeReservation,
} from 'edge-nodepools';

const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});

function warned(props: Partial<NodeJoinProps>, reservation?: NodeReservation): EdgeWarning[] {
  const chart = Cdk8sTesting.chart();
  EdgeWarnings.setMode(chart, 'silent');
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge', reservation });
  new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), ...props });
  return EdgeWarnings.of(chart);
}

describe('a service that gives up', () => {
  const after = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

  it('before its first run is a warning', () => {
    const until = after(-60_000);
    expect(warned({ service: { until } })).toEqual([
      expect.objectContaining({
        code: 'EDGE_JOIN',
        path: 'service.until',
        message: `${until} is past: the service gives up before its first run`,
      }),
    ]);
  });

  it('later, or never, is none', () => {
    expect(warned({ service: { until: after(3_600_000) } })).toEqual([]);
    expect(warned({ service: {} })).toEqual([]);
  });
});

describe('what newcomers write', () => {
  it('the words of one command as commands', () => {
    expect(warned({ preJoinCommands: ['swapoff', '-a'] })).toEqual([
      expect.objectContaining({ code: 'EDGE_VALUE', path: 'preJoinCommands[1]' }),
    ]);
    expect(warned({ preJoinCommands: ['swapoff -a', ['swapoff', '-a']] })).toEqual([]);
  });

  it.each(['127.0.0.1:6443', 'localhost:6443', '[::1]:6443', '0.0.0.0:6443', 'kubernetes.default.svc:443'])(
    'an API server that nodes do not reach: %s',
    (apiServer) => {
      const chart = Cdk8sTesting.chart();
      EdgeWarnings.setMode(chart, 'silent');
      const of = EdgeCluster.of({
        ...{ openYurt: 'none', kubernetes: '1.34' },
        apiServer,
        caCertHashes: [...cluster.caCertHashes],
      });
      const pool = new HostNetworkNodePool(chart, 'pool', { cluster: of, poolName: 'edge' });
      new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token') });
      expect(EdgeWarnings.of(chart)).toEqual([expect.objectContaining({ code: 'EDGE_API_SERVER' })]);
    },
  );
});

describe('a reservation of cores', () => {
  const own = (cpu: string | number): NodeReservation => NodeReservation.of({ systemReserved: { cpu } });

  it.each<[cpu: string | number, cores: string]>([
    ['10', '10'],
    [4, '4'],
    ['100', '100'],
  ])('that few machines have is a warning: %p', (cpu, cores) => {
    const told = (path: string): object => ({
      code: 'EDGE_RESERVATION',
      path: `${path}.systemReserved.cpu`,
      message: `${cores} cores are reserved: kubelet does not start on a node that has fewer`,
      hint: `write '${cpu}m' for thousandths of a core; nothing to do if the nodes have more cores`,
    });
    expect(warned({ reservation: own(cpu) })).toEqual([expect.objectContaining(told('reservation'))]);
    expect(warned({}, own(cpu))).toEqual([expect.objectContaining(told('reservation'))]);
  });

  it('that daemons need is none, and that of no preset', () => {
    const presets = ['edge-small', 'kubespray', 'kubernetes-example'] as const;
    const capacity = { cpu: 96, memory: '384Gi', ephemeralStorage: '500Gi' };
    const large = (['gke', 'eks', 'aks'] as const).map((name) => NodeReservation.preset(name, { capacity }));
    for (const reservation of [own('10m'), own(2), ...presets.map((name) => NodeReservation.preset(name)), ...large]) {
      expect(warned({ reservation })).toEqual([]);
    }
  });
});

describe('a kubelet that yurthub does not answer without an API server', () => {
  const warnedOf = (openYurt: '1.7' | 'none', kubernetes: string, props: Partial<NodeJoinProps> = {}) => {
    const chart = Cdk8sTesting.chart();
    EdgeWarnings.setMode(chart, 'silent');
    const own = EdgeCluster.of({
      openYurt,
      kubernetes,
      apiServer: cluster.apiServer,
      caCertHashes: [...cluster.caCertHashes],
    });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster: own, poolName: 'edge' });
    new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), ...props });
    return EdgeWarnings.of(chart).filter(({ path }) => path === 'kubeletConfiguration');
  };

  it.each(['1.35', '1.36', '1.37'])('is a warning: Kubernetes %s', (kubernetes) => {
    expect(warnedOf('1.7', kubernetes)).toEqual([
      expect.objectContaining({
        code: 'EDGE_JOIN',
        message: expect.stringMatching(/^after a reboot without an API server no ordinary Pod comes back/),
        hint: 'write kubeletConfiguration: { featureGates: { WatchListClient: false } }',
      }),
    ]);
    expect(warnedOf('1.7', kubernetes, { kubeletConfiguration: { featureGates: { Other: true } } })).toHaveLength(1);
    expect(warnedOf('1.7', kubernetes, { kubeletExtraArgs: { 'feature-gates': 'WatchListClient=true' } })).toHaveLength(
      1,
    );
  });

  it('is none for an older one, without yurthub, and with the gate', () => {
    expect(warnedOf('1.7', '1.34')).toEqual([]);
    expect(warnedOf('none', '1.36')).toEqual([]);
    expect(warnedOf('1.7', '1.36', { kubeletConfiguration: { featureGates: { WatchListClient: false } } })).toEqual([]);
    const args = { 'feature-gates': 'Other=true,WatchListClient=false' };
    expect(warnedOf('1.7', '1.36', { kubeletExtraArgs: args })).toEqual([]);
  });
});
