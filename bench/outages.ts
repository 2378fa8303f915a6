/**
 * npm run bench:outages: CPU time of simulateOutage for 1,000 pools of four Nodes by 100 workloads, half of which run on all pools; ten are YurtAppSets.
 * At most 2 s.
 */
import { type Outage, simulateOutage } from '../src/checks.js';

const MOST_SECONDS = 2;
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

const CASES: readonly (readonly [what: string, outage: Pick<Outage, 'down' | 'update'>])[] = [
  ['one pool is away', { down: { pools: ['site-0'] } }],
  ['300 pools are away', { down: { pools: POOLS.slice(0, 300) } }],
  ['and one workload is updated', { down: { pools: POOLS.slice(0, 300) }, update: 'YurtAppSet edge/w-0' }],
];

const nodes = Object.fromEntries(POOLS.map((name) => [name, 4]));
for (const [what, outage] of CASES) {
  const begin = process.cpuUsage();
  simulateOutage([...nodePools, ...workloads], { ...outage, nodes, zones: 'pool', otherNodes: 3 });
  const { user, system } = process.cpuUsage(begin);
  const seconds = (user + system) / 1e6;
  process.stdout.write(`${what}: ${seconds.toFixed(2)} s\n`);
  process.exitCode = seconds > MOST_SECONDS ? 1 : (process.exitCode ?? 0);
}
