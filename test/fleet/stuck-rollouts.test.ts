/** Workloads that run, and of which a change would never be rolled out: no old Pod may go first, and no new one finds a node. */
import { checkFiles, checkManifests, provesNoPodNetwork } from 'edge-nodepools/checks';
import { fleetOverview } from '../../src/fleet/fleet-overview.js';
import { hn, node, ofSize, on, pool, workload } from './dumped.js';
import { explainOnPools } from '../../src/fleet/placement-reasons.js';

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

/** Workloads that make no Pods: every command says so, and none finds a fault in where they would run. */
describe('a workload that makes no Pods', () => {
  const template = { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } };
  const of = (apiVersion: string, kind: string, fields: object): any => ({
    apiVersion,
    kind,
    metadata: { name: 'w', namespace: 'default' },
    ...fields,
  });
  const cronJob = (suspend: boolean): any =>
    of('batch/v1', 'CronJob', { spec: { suspend, schedule: '0 0 * * *', jobTemplate: { spec: { template } } } });
  const appSet = (replicas: number | undefined, written = 1): any => ({
    ...of('apps.openyurt.io/v1beta1', 'YurtAppSet', {}),
    spec: {
      pools: ['hn', 'b'],
      workload: {
        workloadTemplate: {
          deploymentTemplate: {
            spec: {
              replicas: written,
              selector: { matchLabels: { app: 'w' } },
              template: { ...template, metadata: { labels: { app: 'w' } } },
            },
          },
        },
        workloadTweaks: replicas === undefined ? [] : [{ pools: ['hn'], tweaks: { replicas } }],
      },
    },
  });

  /** What becomes of the last object in the host-network pool. */
  function told(...objects: readonly any[]): string {
    const { groups } = fleetOverview([hn, pool('b', false), ...objects]);
    const { runs = [], others = [] } = groups.find(({ pools }) => pools.includes('hn')) ?? {};
    const name = `${objects.at(-1).kind} default/${objects.at(-1).metadata.name}`;
    const other = others.find((each) => each.workload === name);
    return other === undefined ? String(runs.includes(name) && 'runs') : `${other.outcome}: ${other.reason}`;
  }

  it.each<[what: string, object: any, expected: RegExp]>([
    [
      'a Job that is suspended',
      of('batch/v1', 'Job', { spec: { suspend: true, template } }),
      /^waits: for spec\.suspend/,
    ],
    ['a CronJob that is suspended', cronJob(true), /^waits: for spec\.suspend/],
    [
      'a Job without parallelism',
      of('batch/v1', 'Job', { spec: { parallelism: 0, template } }),
      /^waits: for replicas/,
    ],
    ['a PodTemplate', of('v1', 'PodTemplate', { template }), /^waits: for a controller/],
    [
      'a Deployment without replicas',
      workload('Deployment', { hostNetwork: false }, { replicas: 0 }),
      /^waits: for rep/,
    ],
    [
      'a Pod that has ended',
      of('v1', 'Pod', { spec: template.spec, status: { phase: 'Succeeded' } }),
      /^(waits: for nothing|false$)/,
    ],
    ['a pool of a YurtAppSet without replicas', appSet(0), /^waits: for replicas/],
    ['a YurtAppSet whose template has none', appSet(undefined, 0), /^waits: for replicas/],
  ])('%s', (_, object, expected) => {
    expect(told(object)).toMatch(expected);
    const explained = explainOnPools([hn, object], object).map(({ outcome }) => outcome);
    expect(explained).toEqual(['waits']);
    expect(provesNoPodNetwork([hn, object], { pods: 'written' }).map(({ outcome }) => outcome)).toEqual(['proven']);
    const { findings } = checkManifests([hn, object]);
    expect(findings.filter(({ code }) => code === 'EDGE_NEVER_STARTS')).toEqual([]);
  });

  it.each<[what: string, object: any]>([
    ['a Job', of('batch/v1', 'Job', { spec: { suspend: false, template } })],
    ['a CronJob', cronJob(false)],
    ['a YurtAppSet with replicas for the pool', appSet(1, 0)],
  ])('%s that is not idle is judged', (_, object) => {
    expect(told(object)).toMatch(/^never starts/);
    expect(provesNoPodNetwork([hn, object], { pods: 'written' }).map(({ outcome }) => outcome)).toEqual(['refuted']);
  });

  it('a Job that a CronJob made before it was suspended goes on', () => {
    const made = of('batch/v1', 'Job', { spec: { template } });
    const owner = [{ controller: true, kind: 'CronJob', name: 'w' }];
    const job = { ...made, metadata: { ...made.metadata, name: 'w-1', ownerReferences: owner } };
    expect(told(cronJob(true), job)).toMatch(/^never starts/);
    expect(told(cronJob(false), job)).toBe('false');
  });
});
