/** 1,000 pools of 4 Nodes by 100 workloads take 1.2 s (docs/performance.md); the limit is for a machine that is busy, in CPU time. */
import { type Outage, simulateOutage } from 'edge-nodepools/checks';

const MEMBER = 'apps.openyurt.io/nodepool';
const POOLS = Array.from({ length: 1000 }, (_, index) => `site-${index}`);

const podTemplate = (name: string, pools: readonly string[]): object => ({
  metadata: { labels: { app: name } },
  spec: {
    hostNetwork: true,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: MEMBER, operator: 'In', values: pools }] }],
        },
      },
    },
    containers: [{ name: 'main', image: 'main:1', ports: [{ containerPort: 8080, hostPort: 8080 }] }],
  },
});

/** Half of the workloads run on all pools, the others on one; ten are YurtAppSets. */
const workloads = Array.from({ length: 100 }, (_, index): object => {
  const name = `w-${index}`;
  const pools = index % 2 === 0 ? POOLS : POOLS.slice(index, index + 1);
  const spec = { replicas: 2, selector: { matchLabels: { app: name } }, template: podTemplate(name, pools) };
  const metadata = { name, namespace: 'edge' };
  if (index % 10 === 0) {
    const workload = { workloadTemplate: { deploymentTemplate: { spec } } };
    return { apiVersion: 'apps.openyurt.io/v1beta1', kind: 'YurtAppSet', metadata, spec: { pools, workload } };
  }
  const kind = ['Deployment', 'DaemonSet', 'StatefulSet'][index % 3];
  return { apiVersion: 'apps/v1', kind, metadata, spec };
});

const nodePools = POOLS.map((name) => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name },
  spec: { type: 'Edge', hostNetwork: true },
}));

describe('1,000 pools by 100 workloads', () => {
  it.each<[what: string, outage: Pick<Outage, 'down' | 'update'>]>([
    ['one pool is away', { down: { pools: ['site-0'] } }],
    ['300 pools are away', { down: { pools: POOLS.slice(0, 300) } }],
    ['and one is updated', { down: { pools: POOLS.slice(0, 300) }, update: 'YurtAppSet edge/w-0' }],
  ])('%s', (_, outage) => {
    const nodes = Object.fromEntries(POOLS.map((name) => [name, 4]));
    const before = process.cpuUsage();
    const report = simulateOutage([...nodePools, ...workloads], { ...outage, nodes, zones: 'pool', otherNodes: 3 });
    const { user, system } = process.cpuUsage(before);
    expect(new Set(report.workloads.map(({ workload }) => workload)).size).toBe(100);
    expect((user + system) / 1e6).toBeLessThan(6);
  });
});
