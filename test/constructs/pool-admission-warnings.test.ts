import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeWarnings,
  HostNetworkNodePool,
  PoolAdmission,
  type PoolAdmissionProps,
} from 'edge-nodepools';

const on = (kubernetes: string, openYurt = '1.7'): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });

/** A chart with a namespace and labels. */
function chartOf(): Chart {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return new Chart(app, 'fleet', { namespace: 'edge', labels: { team: 'edge' } });
}

function make(props: Partial<PoolAdmissionProps> = {}) {
  const chart = chartOf();
  const cluster = props.cluster ?? on('1.36');
  new PoolAdmission(chart, 'admission', { cluster, ...props });
  return { chart, cluster };
}

function declarePools(chart: Chart, cluster: EdgeCluster, count: number, from = 0): void {
  for (let index = from; index < from + count; index++) {
    new RegularNodePool(chart, `p${index}`, { cluster, poolName: `p${index}` });
  }
}

const warnings = (chart: Chart): string[] =>
  EdgeWarnings.of(chart)
    .filter(({ code }) => code !== 'EDGE_UNCLAIMED_PAIR')
    .map(({ code, path }) => `${code} ${path}`);

describe('PoolAdmission warns', () => {
  it('about live pools from 51 on, counted in the whole tree', () => {
    const { chart, cluster } = make({ pools: 'live' });
    declarePools(chart, cluster, 50);
    expect(warnings(chart)).toEqual([]);
    declarePools(chart, cluster, 1, 50);
    expect(warnings(chart)).toEqual(['EDGE_POLICY_COST pools']);
  });

  it('not about many listed pools, or if no policy reads them', () => {
    for (const props of [{ pools: 'listed' as const, otherPools: ['a'] }, { guarantees: { nodeLabel: false } }]) {
      const { chart, cluster } = make(props);
      declarePools(chart, cluster, 60);
      expect(warnings(chart)).toEqual([]);
    }
  });

  it('about an empty list', () => {
    const { chart, cluster } = make({ cluster: on('1.36', 'none') });
    expect(warnings(chart)).toEqual(['EDGE_NOT_GUARANTEED pools']);
    HostNetworkNodePool.fromPoolName(chart, 'a', { cluster, poolName: 'a' });
    expect(warnings(chart)).toEqual([]);
  });

  it('about a list that is empty because the pools are declared with another EdgeCluster', () => {
    const { chart, cluster } = make({ cluster: on('1.36', 'none') });
    const message = (): string | undefined => EdgeWarnings.of(chart).find(({ path }) => path === 'pools')?.message;
    expect(message()).not.toContain('another EdgeCluster');
    const other = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', apiServer: '192.0.2.1:6443' });
    HostNetworkNodePool.fromPoolName(chart, 'a', { cluster: other, poolName: 'a' });
    expect(message()).toMatch(/declared with another EdgeCluster are not in it: a$/);
    HostNetworkNodePool.fromPoolName(chart, 'b', { cluster, poolName: 'b' });
    expect(message()).toBeUndefined();
  });

  it.each<[string, Partial<PoolAdmissionProps>, string[]]>([
    ['breakGlassGroups', { breakGlassGroups: ['a'] }, ['1.29']],
    ['excludedNamespaces', { excludedNamespaces: ['a'] }, ['1.29', '1.35']],
    ['validationActions', { validationActions: ['Warn'] }, ['1.29']],
    ['pools', { pools: 'live' }, ['1.29', '1.35']],
    ['otherPools', { pools: 'listed', otherPools: ['a'] }, ['1.29', '1.35']],
    ['templates', { templates: ['daemonsets'] }, ['1.29', '1.35']],
    ['namespaceGateLabel', { namespaceGateLabel: 'a' }, ['1.29', '1.35', '1.36']],
    ['namePrefix', { namePrefix: 'a' }, ['1.29']],
    ['metadata', { metadata: { annotations: { a: 'b' } } }, ['1.29']],
  ])('about %s if it has no effect', (option, props, minors) => {
    const unused = (kubernetes: string): string[] =>
      EdgeWarnings.of(make({ cluster: on(kubernetes), ...props }).chart)
        .filter(({ code }) => code === 'EDGE_UNUSED')
        .map(({ path }) => path);
    expect(['1.29', '1.35', '1.36'].filter((minor) => unused(minor).includes(option))).toEqual(minors);
    expect(unused('1.36').every((path) => path === option)).toBe(true);
  });

  it.each<[string, Partial<PoolAdmissionProps>, string[]]>([
    ['the gate is there', { namespaceGateLabel: 'a', guarantees: { namespaceGate: true } }, []],
    ['the list is there', { pools: 'listed', otherPools: ['a'] }, []],
    ['empty lists say nothing', { cluster: on('1.29'), breakGlassGroups: [], excludedNamespaces: [] }, []],
    [
      'no guarantee looks at templates',
      { templates: ['daemonsets'], guarantees: { annotatedTemplates: false } },
      ['templates'],
    ],
    [
      'strict looks at templates',
      { templates: ['daemonsets'], guarantees: { annotatedTemplates: false, strict: true } },
      [],
    ],
    [
      'each has actions of its own, and no policy checks Pods',
      {
        cluster: on('1.35'),
        validationActions: ['Warn'],
        guarantees: {
          immutablePools: { validationActions: ['Deny'] },
          frozenNodeLabels: { validationActions: ['Deny'] },
        },
      },
      ['validationActions'],
    ],
  ])('about options without effect: %s', (_, props, expected) => {
    const found = EdgeWarnings.of(make(props).chart).filter(({ code }) => code === 'EDGE_UNUSED');
    expect(found.map(({ path }) => path)).toEqual(expected);
  });

  it('about a gate of which the scheduler knows nothing', () => {
    const guarantees = { namespaceGate: true };
    const found = (cluster: EdgeCluster, mutatingAdmissionPolicy?: 'v1beta1') =>
      EdgeWarnings.of(make({ cluster, guarantees, mutatingAdmissionPolicy }).chart).find(
        ({ path }) => path === 'guarantees.namespaceGate',
      );
    expect(found(on('1.33'))?.hint).toMatch(/^use ExcludedWorkload/);
    expect(found(on('1.34'))?.hint).toMatch(/^write mutatingAdmissionPolicy: 'v1beta1'/);
    expect(found(on('1.34'), 'v1beta1')).toBeUndefined();
    expect(found(on('1.36'))).toBeUndefined();
  });

  it('about templates without DaemonSets, whose controller reads nothing else', () => {
    const warned = (props: Partial<PoolAdmissionProps>): boolean =>
      warnings(make(props).chart).includes('EDGE_NOT_GUARANTEED templates');
    expect(warned({ templates: ['deployments'], guarantees: { strict: true } })).toBe(true);
    expect(warned({ templates: ['deployments'] })).toBe(true);
    expect(warned({ templates: ['deployments', 'daemonsets'], guarantees: { strict: true } })).toBe(false);
    expect(warned({ guarantees: { strict: true } })).toBe(false);
    expect(warned({ templates: ['deployments'], guarantees: { annotatedTemplates: false } })).toBe(false);
  });

  it('about Fail with live pools, including old pools if there can be some', () => {
    const textOf = (openYurt: string): string => {
      const guarantees = { nodeLabel: { failurePolicy: 'Fail' as const } };
      return EdgeWarnings.of(make({ cluster: on('1.36', openYurt), pools: 'live', guarantees }).chart)
        .map(({ message }) => message)
        .join();
    };
    expect(textOf('1.7')).toMatch(/while the NodePool kind is missing, and while yurt-manager is down/);
    expect(textOf('1.6')).toMatch(/while the NodePool kind is missing(,OpenYurt|$)/);
    expect(textOf('1.6')).not.toContain('yurt-manager is down');
  });

  it('about Fail with live pools, not with a list', () => {
    const guarantees = { nodeLabel: { failurePolicy: 'Fail' as const } };
    expect(warnings(make({ guarantees, pools: 'live' }).chart)).toEqual([
      'EDGE_POLICY_COST guarantees.nodeLabel.failurePolicy',
    ]);
    expect(warnings(make({ guarantees, otherPools: ['a'] }).chart)).toEqual([]);
  });

  it('about guarantees that nothing enforces, with an alternative', () => {
    const { chart } = make({ cluster: on('1.34') });
    expect(warnings(chart)).toEqual([
      'EDGE_NOT_GUARANTEED guarantees.annotatedTemplates',
      'EDGE_NOT_GUARANTEED guarantees.presetNodeName',
    ]);
    const [templates] = EdgeWarnings.of(chart);
    expect(templates?.hint).toMatch(
      /^write mutatingAdmissionPolicy: 'v1beta1' .*ExcludedWorkload.*annotatedTemplates: false/,
    );
    const [older] = EdgeWarnings.of(make({ cluster: on('1.33') }).chart).filter(
      ({ code }) => code === 'EDGE_NOT_GUARANTEED',
    );
    expect(older?.hint).not.toContain('mutatingAdmissionPolicy');
    const silenced = make({
      cluster: on('1.34'),
      guarantees: { annotatedTemplates: false, presetNodeName: false },
    });
    expect(warnings(silenced.chart)).toEqual([]);
  });
});
