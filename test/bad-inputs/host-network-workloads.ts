import type { Chart } from 'cdk8s';
import { EdgeCluster, RegularNodePool, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import { type BadInput, cluster, daemonSet, deployment, pool, required, TERMS, untyped } from './case.js';

const SPEC = 'workload.spec.template.spec';
const run =
  (workload: unknown, more: object = {}, poolProps: object = {}) =>
  (chart: Chart) =>
    new HostNetworkWorkload(chart, 'web', untyped({ pool: pool(chart, 'hz', poolProps), workload, ...more }));

export const hostNetworkWorkloads: BadInput[] = [
  {
    what: 'no pool',
    code: 'EDGE_MISSING',
    path: 'pool',
    hint: 'pools: [',
    make: (chart) => new HostNetworkWorkload(chart, 'web', { workload: daemonSet() }),
  },
  {
    what: 'pool and pools',
    code: 'EDGE_CONTRADICTION',
    path: 'pool',
    hint: 'pools: [',
    make: (chart) => run(daemonSet(), { pools: [] })(chart),
  },
  {
    what: 'no pools',
    code: 'EDGE_MISSING',
    path: 'pools',
    hint: 'pools: [beijing]',
    make: (chart) => new HostNetworkWorkload(chart, 'web', { pools: [], workload: daemonSet() }),
  },
  {
    what: 'the name of a pool',
    code: 'EDGE_TYPE',
    path: 'pool',
    hint: 'fromPoolName',
    make: (chart) => new HostNetworkWorkload(chart, 'web', untyped({ pool: 'hz', workload: daemonSet() })),
  },
  {
    what: 'a list as pool',
    code: 'EDGE_TYPE',
    path: 'pool',
    hint: 'write pools: […]',
    make: (chart) => new HostNetworkWorkload(chart, 'web', untyped({ pool: [pool(chart)], workload: daemonSet() })),
  },
  {
    what: 'a regular pool',
    code: 'EDGE_CONTRADICTION',
    path: 'pool',
    hint: 'HostNetworkNodePool',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pool: untyped(new RegularNodePool(chart, 'p', { cluster, poolName: 'p' })),
        workload: daemonSet(),
      }),
  },
  {
    what: 'the same pool twice',
    code: 'EDGE_DUPLICATE',
    path: 'pools[1]',
    hint: 'once',
    make: (chart) => {
      const hz = pool(chart);
      return new HostNetworkWorkload(chart, 'web', { pools: [hz, hz], workload: daemonSet() });
    },
  },
  {
    what: 'pools of two clusters',
    code: 'EDGE_CONTRADICTION',
    path: 'pools[1]',
    hint: 'one HostNetworkWorkload per cluster',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pools: [
          pool(chart),
          new HostNetworkNodePool(chart, 'o', {
            cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
            poolName: 'o',
          }),
        ],
        workload: daemonSet(),
      }),
  },
  {
    what: 'replicas as text',
    code: 'EDGE_VALUE',
    path: 'workload.spec.replicas',
    hint: 'write 2, without quotes',
    make: run(deployment({}, { replicas: '2' })),
  },
  {
    what: 'a negative number of replicas',
    code: 'EDGE_VALUE',
    path: 'workload.spec.replicas',
    hint: '0 or more',
    make: run(deployment({}, { replicas: -1 })),
  },
  {
    what: 'a part of a replica in a YurtAppSet',
    code: 'EDGE_VALUE',
    path: 'workload.spec.workload.workloadTemplate.deploymentTemplate.spec.replicas',
    hint: 'a whole number',
    make: run({
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'YurtAppSet',
      spec: {
        pools: ['hz'],
        workload: { workloadTemplate: { deploymentTemplate: { spec: deployment({}, { replicas: 1.5 }).spec } } },
      },
    }),
  },
  {
    what: 'hostNetwork: false',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.hostNetwork`,
    hint: 'ExcludedWorkload',
    make: run(daemonSet({ hostNetwork: false })),
  },
  {
    what: 'hostNetwork as text',
    code: 'EDGE_TYPE',
    path: `${SPEC}.hostNetwork`,
    hint: 'without quotes',
    make: run(daemonSet({ hostNetwork: 'true' })),
  },
  {
    what: 'hostUsers: false',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.hostUsers`,
    hint: 'remove hostUsers',
    make: run(daemonSet({ hostUsers: false })),
  },
  {
    what: 'no containers',
    code: 'EDGE_MISSING',
    path: `${SPEC}.containers`,
    hint: 'containers: [',
    make: run(daemonSet({ containers: [] })),
  },
  {
    what: 'the exclude annotation',
    code: 'EDGE_CONTRADICTION',
    path: 'workload.spec.template.metadata.annotations["apps.openyurt.io/exclude-host-network-pool"]',
    hint: 'ExcludedWorkload',
    make: run(
      deployment(
        {},
        {},
        { metadata: { labels: { app: 'web' }, annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } } },
      ),
    ),
  },
  {
    what: 'dnsPolicy None without name servers',
    code: 'EDGE_DNS',
    path: 'dnsPolicy',
    hint: 'nameservers',
    make: run(daemonSet(), { dnsPolicy: 'None' }),
  },
  {
    what: 'dnsPolicy ClusterFirst',
    code: 'EDGE_VALUE',
    path: 'dnsPolicy',
    hint: "'Default'",
    make: run(daemonSet(), { dnsPolicy: 'ClusterFirst' }),
  },
  {
    what: 'apiServer: true without address',
    code: 'EDGE_API_SERVER',
    path: 'apiServer',
    hint: 'in the cluster',
    make: run(daemonSet(), { apiServer: true }),
  },
  {
    what: 'apiServer as a URL',
    code: 'EDGE_API_SERVER',
    path: 'apiServer',
    hint: 'no scheme',
    make: run(daemonSet(), { apiServer: 'https://x' }),
  },
  {
    what: 'a nodeSelector for another pool',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeSelector["apps.openyurt.io/nodepool"]`,
    hint: 'remove the entry',
    make: run(daemonSet({ nodeSelector: { 'apps.openyurt.io/nodepool': 'other' } })),
  },
  {
    what: 'a term that excludes host-network nodes',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.${TERMS}[0]`,
    hint: 'ExcludedWorkload',
    make: run(
      daemonSet(
        required([
          { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
        ]),
      ),
    ),
  },
  {
    what: 'a term for another pool',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.${TERMS}[0]`,
    hint: 'apps.openyurt.io/nodepool',
    make: run(
      daemonSet(
        required([{ matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'NotIn', values: ['hz'] }] }]),
      ),
    ),
  },
  {
    what: 'a nodeName',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeName`,
    hint: 'kubernetes.io/hostname',
    make: run(daemonSet({ nodeName: 'edge-1' })),
  },
  {
    what: 'a wrong nodeSelector value of the host-network label',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeSelector["nodepool.openyurt.io/hostnetwork"]`,
    hint: 'remove the entry',
    make: run(daemonSet({ nodeSelector: { 'nodepool.openyurt.io/hostnetwork': 'yes' } })),
  },
];
