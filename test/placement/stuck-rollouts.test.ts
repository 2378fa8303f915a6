/** Workloads that run, and of which a change would never be rolled out: no old Pod may go first, and no new one finds a node. */
import { checkFiles } from 'edge-nodepools/checks';
import { fleetOverview } from '../../src/placement/fleet-overview.js';
import { hn, node, ofSize, on, pool, workload } from './dumped.js';

const ports = { containers: [{ name: 'w', image: 'registry.example/w', ports: [{ containerPort: 80 }] }] };
const cpu = (amount: string) => ({
  containers: [{ name: 'w', image: 'registry.example/w', resources: { requests: { cpu: amount } } }],
});
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'w' } } },
      ],
    },
  },
};
const rolling = (maxSurge?: number | string, maxUnavailable?: number | string) => ({
  type: 'RollingUpdate',
  rollingUpdate: {
    ...(maxSurge === undefined ? {} : { maxSurge }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  },
});

/** Whether the rollout of the workload `w` is stuck on a pool with this many nodes. */
function isStuck(nodes: number, ...objects: readonly any[]): boolean {
  const { groups } = fleetOverview([pool('hn', true), ...objects], new Map([['hn', nodes]]));
  return groups.some(({ stuckRollouts = [] }) => stuckRollouts.some((each) => each.workload.endsWith(' default/w')));
}

describe('a rollout', () => {
  it.each<[what: string, nodes: number, object: any, stuck: boolean]>([
    ['one replica with a port on one node', 1, workload('Deployment', ports), true],
    ['with another node', 2, workload('Deployment', ports), false],
    ['of three replicas on three nodes', 3, workload('Deployment', ports, { replicas: 3 }), true],
    ['of four, of which one may go', 4, workload('Deployment', ports, { replicas: 4 }), false],
    ['without a port', 1, workload('Deployment', {}), false],
    ['maxUnavailable 1', 1, workload('Deployment', ports, { strategy: rolling(0, 1) }), false],
    [
      'both round to 0, which Kubernetes takes for 1',
      1,
      workload('Deployment', ports, { strategy: rolling(0, '1%') }),
      false,
    ],
    ['maxUnavailable 0', 4, workload('Deployment', ports, { replicas: 4, strategy: rolling(undefined, 0) }), true],
    ['Recreate', 1, workload('Deployment', ports, { strategy: { type: 'Recreate' } }), false],
    ['a DaemonSet', 1, workload('DaemonSet', ports), false],
    ['a DaemonSet with a surge', 1, workload('DaemonSet', ports, { updateStrategy: rolling(1, 0) }), true],
    [
      'a DaemonSet with a surge and no port',
      1,
      workload('DaemonSet', {}, { updateStrategy: rolling('10%', 0) }),
      false,
    ],
    [
      'a DaemonSet that is updated by hand',
      1,
      workload('DaemonSet', ports, { updateStrategy: { type: 'OnDelete' } }),
      false,
    ],
    ['a StatefulSet', 1, workload('StatefulSet', ports), false],
  ])('%s', (_, nodes, object, stuck) => {
    expect(isStuck(nodes, object)).toBe(stuck);
  });

  it('needs room for one more Pod', () => {
    const full = [hn, node('n1', 'hn', ofSize('1')), workload('Deployment', cpu('600m'))];
    const { groups } = fleetOverview(full);
    expect(groups[0]?.stuckRollouts).toHaveLength(1);
    expect(
      fleetOverview([...full.slice(0, 2), workload('Deployment', cpu('400m'))]).groups[0]?.stuckRollouts,
    ).toBeUndefined();
  });

  it('counts the nodes that other workloads leave', () => {
    const web = { ...workload('Deployment', ports), metadata: { name: 'v', namespace: 'default' } };
    expect(isStuck(2, workload('Deployment', ports), web)).toBe(true);
    expect(isStuck(3, workload('Deployment', ports), web)).toBe(false);
  });

  it('needs a node without a Pod of the same, if they do not share one', () => {
    const deployment = (replicas: number) => workload('Deployment', apart, { replicas, strategy: rolling(1, 0) });
    expect([isStuck(2, deployment(2)), isStuck(3, deployment(2))]).toEqual([true, false]);
    const nodes = ['n1', 'n2'].map((name) => node(name, 'hn'));
    expect(on('hn', hn, ...nodes, deployment(2))).toBe('runs');
    expect(on('hn', hn, ...nodes, deployment(3))).toBe(
      'waits: for more nodes: podAntiAffinity allows one Pod on each, there are 2 nodes for 3 Pods',
    );
  });

  it('is a warning of a check, with what to write', () => {
    const nodes = [node('n1', 'hn')];
    const text = [hn, ...nodes, workload('Deployment', ports)].map((each) => JSON.stringify(each)).join('\n---\n');
    const { findings } = checkFiles([{ path: 'dist.yaml', text }]);
    expect(findings.map(({ level, code, hint }) => [level, code, hint])).toEqual([
      ['warning', 'EDGE_ROLLOUT', 'write maxSurge: 0, maxUnavailable: 1'],
    ]);
  });
});

it('a port of kube-proxy is in use where it runs', () => {
  const port = { containers: [{ name: 'w', image: 'registry.example/w', ports: [{ containerPort: 10256 }] }] };
  const kubeProxy = {
    ...workload('DaemonSet', { containers: [{ name: 'kube-proxy', image: 'registry.example/kube-proxy' }] }),
    metadata: { name: 'kube-proxy', namespace: 'kube-system' },
  };
  expect(on('hn', hn, workload('Deployment', port), kubeProxy)).toBe(
    'never starts: 10256/TCP is a port of DaemonSet kube-system/kube-proxy',
  );
  expect(on('hn', hn, workload('Deployment', port))).toBe('runs');
});
