import type { Chart } from 'cdk8s';
import { HostNetworkWorkload } from 'edge-nodepools';
import { type BadInput, daemonSet, deployment, pool, untyped } from './case.js';

const SPEC = 'workload.spec.template.spec';
const run =
  (workload: unknown, more: object = {}, poolProps: object = {}) =>
  (chart: Chart) =>
    new HostNetworkWorkload(chart, 'web', untyped({ pool: pool(chart, 'hz', poolProps), workload, ...more }));
const ports = (...list: unknown[]) => run(daemonSet({ containers: [{ name: 'a', image: 'a', ports: list }] }));

/** Ports, and rollouts that wait for a port. */
export const hostNetworkPorts: BadInput[] = [
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
    hint: 'as a list',
    make: run(daemonSet({ containers: [{ name: 'a', image: 'a', ports: {} }] })),
  },
  {
    what: 'the same port in two containers',
    code: 'EDGE_DUPLICATE_PORT',
    path: `${SPEC}.containers[1].ports[0]`,
    hint: 'another port',
    make: run(
      daemonSet({
        containers: [
          { name: 'a', image: 'a', ports: [{ containerPort: 80 }] },
          { name: 'b', image: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] },
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
        initContainers: [{ name: 's', image: 'a', restartPolicy: 'Always', ports: [{ containerPort: 80 }] }],
        containers: [{ name: 'b', image: 'a', ports: [{ containerPort: 80 }] }],
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
    what: 'a protocol in lower case',
    code: 'EDGE_PORT',
    path: `${SPEC}.containers[0].ports[0].protocol`,
    hint: "'TCP'",
    make: ports({ containerPort: 80, protocol: 'tcp' }),
  },
  {
    what: 'a DaemonSet that never replaces a Pod',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.updateStrategy.rollingUpdate.maxUnavailable',
    hint: 'maxUnavailable: 1',
    make: run(daemonSet({}, { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
  },
  {
    what: 'a surge that is a word',
    code: 'EDGE_ROLLOUT',
    path: 'workload.spec.strategy.rollingUpdate.maxSurge',
    hint: "'25%'",
    make: run(deployment({}, { strategy: { rollingUpdate: { maxSurge: 'abc' } } })),
  },
  {
    what: 'an unknown strategy type',
    code: 'EDGE_VALUE',
    path: 'workload.spec.strategy.type',
    hint: "'Recreate'",
    make: run(deployment({}, { strategy: { type: 'BlueGreen' } })),
  },
  {
    what: 'a number as template annotation',
    code: 'EDGE_TYPE',
    path: 'workload.spec.template.metadata.annotations.port',
    hint: '"9110"',
    make: run(deployment({}, {}, { metadata: { labels: { app: 'web' }, annotations: { port: 9110 } } })),
  },
  {
    what: 'a path that is a number',
    code: 'EDGE_VALUE',
    path: 'podTemplatePath',
    hint: "'spec.template'",
    make: run(daemonSet(), { podTemplatePath: 5 }),
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
    what: 'a Deployment with maxUnavailable 0 in a full pool',
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
];
