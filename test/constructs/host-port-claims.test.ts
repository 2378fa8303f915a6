import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import { daemonSet, deployment } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '192.0.2.10:6443', yurthub: true });

function pool(chart: Chart, poolName: string, props: object = {}): HostNetworkNodePool {
  return new HostNetworkNodePool(chart, poolName, { cluster, poolName, ...props });
}

describe('two workloads on one port', () => {
  const two = (first: any, second: any, poolProps: object = {}, pools: [string, string] = ['hz', 'hz']) => {
    const chart = new Chart(new App(), 'chart');
    const made = new Map<string, HostNetworkNodePool>();
    const get = (name: string): HostNetworkNodePool =>
      made.get(name) ?? made.set(name, pool(chart, name, poolProps)).get(name)!;
    new HostNetworkWorkload(chart, 'a', { pool: get(pools[0]), workload: first });
    return new HostNetworkWorkload(chart, 'b', { pool: get(pools[1]), workload: second });
  };
  const named = (object: any, name: string): any => ({ ...object, metadata: { name } });

  it.each<[string, () => unknown, boolean]>([
    ['two DaemonSets', () => two(daemonSet(), named(daemonSet(), 'other')), false],
    [
      'a DaemonSet and a Deployment',
      () => two(daemonSet(), named(deployment(), 'other'), { expectedNodes: 99 }),
      false,
    ],
    [
      'two Deployments in a pool that is too small',
      () => two(deployment({}, { replicas: 2 }), named(deployment(), 'other'), { expectedNodes: 2 }),
      false,
    ],
    [
      'two Deployments with a node each',
      () => two(deployment(), named(deployment(), 'other'), { expectedNodes: 2 }),
      true,
    ],
    ['another pool', () => two(daemonSet(), named(daemonSet(), 'other'), {}, ['hz', 'bj']), true],
    [
      'other nodes of the same pool',
      () =>
        two(daemonSet({ nodeSelector: { disk: 'ssd' } }), named(daemonSet({ nodeSelector: { disk: 'hdd' } }), 'other')),
      true,
    ],
    [
      'another protocol',
      () =>
        two(
          daemonSet(),
          named(
            daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 8080, protocol: 'UDP' }] }] }),
            'other',
          ),
        ),
      true,
    ],
    [
      'another address',
      () =>
        two(
          daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80, hostIP: '127.0.0.1' }] }] }),
          named(
            daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80, hostIP: '127.0.0.2' }] }] }),
            'other',
          ),
        ),
      true,
    ],
    [
      'one address, and all addresses',
      () =>
        two(
          daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 8080, hostIP: '127.0.0.1' }] }] }),
          named(daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 8080 }] }] }), 'other'),
        ),
      false,
    ],
  ])('%s', (_, make, accepted) => {
    if (accepted) {
      expect(make).not.toThrow();
    } else {
      expect(make).toThrow(/EDGE_PORT_CONFLICT .*8080\/TCP on the pool hz is also used by/);
    }
  });

  it('that was refused leaves no claim', () => {
    const chart = Testing.chart();
    const hz = pool(chart, 'hz');
    new HostNetworkWorkload(chart, 'a', { pool: hz, workload: daemonSet() });
    const two = [{ name: 'x', image: 'a', ports: [{ containerPort: 8080 }, { containerPort: 9999 }] }];
    expect(() => new HostNetworkWorkload(chart, 'b', { pool: hz, workload: daemonSet({ containers: two }) })).toThrow(
      /EDGE_PORT_CONFLICT/,
    );
    const free = daemonSet({ containers: [{ name: 'x', image: 'a', ports: [{ containerPort: 9999 }] }] });
    const workload = { ...free, metadata: { name: 'other' } };
    expect(() => new HostNetworkWorkload(chart, 'c', { pool: hz, workload })).not.toThrow();
  });

  it('is only a warning on request', () => {
    const chart = Testing.chart();
    const hz = pool(chart, 'hz');
    new HostNetworkWorkload(chart, 'a', { pool: hz, workload: daemonSet() });
    const workload = { ...daemonSet(), metadata: { name: 'other' } };
    const made = new HostNetworkWorkload(chart, 'b', { pool: hz, workload, portConflicts: 'warn' });
    expect(made.warnings.map(({ code }) => code)).toEqual(['EDGE_PORT_CONFLICT']);
  });

  it('do not conflict if one has no replicas', () => {
    expect(() => two(daemonSet(), named(deployment({}, { replicas: 0 }), 'other'))).not.toThrow();
  });

  it('that can run only on different nodes are a warning', () => {
    const made = two(deployment(), named(deployment(), 'other'), { expectedNodes: 2 });
    expect(EdgeWarnings.of(made).map(({ code, construct }) => `${code} ${construct}`)).toEqual([
      'EDGE_PORT_CONFLICT chart/b',
    ]);
  });
});
