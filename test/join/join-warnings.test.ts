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
import type { EvictionThresholds } from 'edge-nodepools/types';
import { KUBELET_FIELD_TYPES } from '../../src/cluster/kubelet-fields.js';
import { ProblemList } from '../../src/base/errors.js';
import { checkKubeletConfiguration } from '../../src/join/kubelet-configuration.js';
import { RESERVED_KUBELET_FIELDS } from '../../src/join/kubelet-values.js';

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

  it.each([
    '127.0.0.1:6443',
    'localhost:6443',
    '[::1]:6443',
    '0.0.0.0:6443',
    'kubernetes.default.svc:443',
    '10.96.0.1:443',
  ])('an API server that nodes do not reach: %s', (apiServer) => {
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
  });
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

describe('a soft threshold', () => {
  const soft = (evictionSoft: EvictionThresholds, evictionHard: EvictionThresholds = {}): string[] => {
    const evictionSoftGracePeriod = Object.fromEntries(Object.keys(evictionSoft).map((signal) => [signal, '1m']));
    const reservation = NodeReservation.of({ evictionSoft, evictionSoftGracePeriod, evictionHard });
    return warned({ reservation }).map(({ code, path }) => `${code} ${path}`);
  };

  it('that is met after the hard one is a warning', () => {
    const told = (signal: string): string[] => [`EDGE_CONTRADICTION reservation.evictionSoft["${signal}"]`];
    expect(soft({ 'memory.available': '50Mi' })).toEqual(told('memory.available'));
    expect(soft({ 'memory.available': '0.1Gi' }, { 'memory.available': '200Mi' })).toEqual(told('memory.available'));
    expect(soft({ 'nodefs.available': '9.5%' })).toEqual(told('nodefs.available'));
  });

  it('before it, or in another unit, is none', () => {
    expect(soft({ 'memory.available': '300Mi', 'nodefs.available': '15%' })).toEqual([]);
    expect(soft({ 'nodefs.available': '1Gi' })).toEqual([]);
    expect(soft({ 'nodefs.available': '5%' }, { 'nodefs.available': '0%' })).toEqual([]);
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

describe('fields of the kubelet configuration', () => {
  /** A value of each type, which kubelet reads. */
  const GOOD = {
    switch: [true, false],
    integer: [0, 110, -999],
    number: [0.9, 1],
    duration: ['30s', '1m30s', '0', '0s', '1.5h', '-1s', '.5s', '1.s', '5µs', '100ms'],
    text: ['', 'static'],
    texts: [[], ['169.254.20.10']],
    integers: [[], [29]],
    maps: [[], [{ numaNode: 0, limits: { memory: '1Gi' } }]],
    textMap: [{}, { a: 'b' }],
    switchMap: [{}, { A: true }],
    textsMap: [{}, { a: ['b'] }],
    map: [{}, { swapBehavior: 'LimitedSwap', anonymous: { enabled: false } }],
  };

  const problemsOf = (fields: object): object[] => {
    const problems = new ProblemList();
    checkKubeletConfiguration(fields, true, problems);
    // which values of a type kubelet takes is another matter (test/bad-inputs/kubelet-values.ts)
    return problems.problems.filter(({ code }) => code !== 'EDGE_VALUE');
  };

  const free = [...KUBELET_FIELD_TYPES].filter(([field]) => !Object.hasOwn(RESERVED_KUBELET_FIELDS, field));

  describe('a field of the KubeletConfiguration', () => {
    it('takes every value of its type, and null', () => {
      expect(free.length).toBeGreaterThan(90);
      for (const [field, type] of free) {
        for (const value of [...GOOD[type], null, undefined]) {
          expect([field, value, problemsOf({ [field]: value })]).toEqual([field, value, []]);
        }
      }
    });

    it('refuses those of the types that are no part of it', () => {
      const own: Partial<Record<string, readonly string[]>> = {
        text: ['duration'],
        number: ['integer'],
        map: ['textMap', 'switchMap', 'textsMap'],
      };
      for (const [field, type] of free) {
        const others = Object.entries(GOOD).filter(([other]) => other !== type && !own[type]?.includes(other));
        for (const [other, values] of others) {
          const value = values.at(-1);
          // 1 is a whole number, too
          if (!(type === 'integer' && Number.isInteger(value))) {
            expect([field, other, problemsOf({ [field]: value }).length]).not.toEqual([field, other, 0]);
          }
        }
      }
    });
  });
});
