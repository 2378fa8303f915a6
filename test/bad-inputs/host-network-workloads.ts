import type { Chart } from 'cdk8s';
import { EdgeCluster, EdgeNodePool, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import { type BadInput, cluster, daemonSet, deployment, pool, required, TERMS, untyped } from './case.js';

const SPEC = 'workload.spec.template.spec';
const run =
  (workload: unknown, more: object = {}, poolProps: object = {}) =>
  (chart: Chart) =>
    new HostNetworkWorkload(chart, 'web', untyped({ pool: pool(chart, 'hz', poolProps), workload, ...more }));
const ports = (...list: unknown[]) => run(daemonSet({ containers: [{ name: 'a', ports: list }] }));

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
    code: 'EDGE_MISSING',
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
    what: 'an ordinary pool',
    code: 'EDGE_CONTRADICTION',
    path: 'pool',
    hint: 'HostNetworkNodePool',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pool: untyped(new EdgeNodePool(chart, 'p', { cluster, poolName: 'p' })),
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
      deployment({}, {}, { metadata: { annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } } }),
    ),
  },
  {
    what: 'containerPort 80 on hostPort 8080',
    code: 'EDGE_PORT_MISMATCH',
    path: `${SPEC}.containers[0].ports[0].hostPort`,
    hint: 'containerPort: 8080',
    make: ports({ containerPort: 80, hostPort: 8080 }),
  },
  {
    what: 'port 0',
    code: 'EDGE_PORT',
    path: `${SPEC}.containers[0].ports[0].containerPort`,
    hint: '65535',
    make: ports({ containerPort: 0 }),
  },
  {
    what: 'a port as text',
    code: 'EDGE_PORT',
    path: `${SPEC}.containers[0].ports[0].containerPort`,
    hint: 'whole number',
    make: ports({ containerPort: '80' }),
  },
  {
    what: 'a bare port number',
    code: 'EDGE_PORT',
    path: `${SPEC}.containers[0].ports[0]`,
    hint: '{ containerPort: 8080 }',
    make: ports(8080),
  },
  {
    what: 'ports that are a map',
    code: 'EDGE_TYPE',
    path: `${SPEC}.containers[0].ports`,
    hint: '[{',
    make: run(daemonSet({ containers: [{ name: 'a', ports: {} }] })),
  },
  {
    what: 'the same port in two containers',
    code: 'EDGE_DUPLICATE_PORT',
    path: `${SPEC}.containers[1].ports[0]`,
    hint: 'another port',
    make: run(
      daemonSet({
        containers: [
          { name: 'a', ports: [{ containerPort: 80 }] },
          { name: 'b', ports: [{ containerPort: 80, protocol: 'TCP' }] },
        ],
      }),
    ),
  },
  {
    what: 'the same port in a sidecar',
    code: 'EDGE_DUPLICATE_PORT',
    path: `${SPEC}.containers[0].ports[0]`,
    hint: 'another port',
    make: run(
      daemonSet({
        initContainers: [{ name: 's', restartPolicy: 'Always', ports: [{ containerPort: 80 }] }],
        containers: [{ name: 'b', ports: [{ containerPort: 80 }] }],
      }),
    ),
  },
  {
    what: 'one port on all addresses and on one',
    code: 'EDGE_DUPLICATE_PORT',
    path: `${SPEC}.containers[0].ports[1]`,
    hint: 'another port',
    make: ports({ containerPort: 80 }, { containerPort: 80, hostIP: '127.0.0.1' }),
  },
  {
    what: 'two DaemonSets on one port',
    code: 'EDGE_PORT_CONFLICT',
    path: 'workload',
    hint: 'another port',
    make: (chart) => {
      const hz = pool(chart);
      new HostNetworkWorkload(chart, 'a', { pool: hz, workload: daemonSet() });
      return new HostNetworkWorkload(chart, 'b', { pool: hz, workload: daemonSet() });
    },
  },
  {
    what: 'two Deployments on one port of a pool of unknown size',
    code: 'EDGE_PORT_CONFLICT',
    path: 'workload',
    hint: 'expectedNodes',
    make: (chart) => {
      const hz = pool(chart);
      new HostNetworkWorkload(chart, 'a', { pool: hz, workload: deployment() });
      return new HostNetworkWorkload(chart, 'b', { pool: hz, workload: deployment() });
    },
  },
  {
    what: 'a DaemonSet that surges',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.updateStrategy.rollingUpdate.maxSurge',
    hint: 'maxSurge: 0',
    make: run(daemonSet({}, { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })),
  },
  {
    what: 'a Deployment that surges in a full pool',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.strategy.rollingUpdate',
    hint: 'maxUnavailable: 1',
    make: run(
      deployment({}, { replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      {},
      { expectedNodes: 2 },
    ),
  },
  {
    what: 'a Deployment that may not stop a Pod',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.strategy.rollingUpdate.maxUnavailable',
    hint: 'maxSurge: 0',
    make: run(deployment({}, { replicas: 2, strategy: { rollingUpdate: { maxUnavailable: '25%' } } })),
  },
  {
    what: 'neither surge nor unavailable',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.strategy.rollingUpdate',
    hint: 'maxUnavailable: 1',
    make: run(deployment({}, { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
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
    hint: 'EdgeCluster.of',
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
