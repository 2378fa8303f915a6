// Workloads and a system component whose rollouts are awaited. E2E_SETTINGS contains what the tests vary.
import {
  EdgeCluster,
  EdgeSystemComponents,
  ExclusionStrategy,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools/pulumi';

export interface AwaitedSettings {
  readonly image: string;
  /** Value of `await`. */
  readonly awaits: boolean;
}

const { image, awaits } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as AwaitedSettings;

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
const pool = new HostNetworkNodePool('awaited', { cluster, poolName: 'awaited' });
const app = 'awaited';
new HostNetworkWorkload(
  'agent',
  {
    pool,
    await: awaits,
    workload: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: app, namespace: 'default' },
      spec: {
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          spec: {
            automountServiceAccountToken: false,
            containers: [{ name: app, image, ports: [{ containerPort: 9117 }] }],
          },
        },
      },
    },
  },
  { customTimeouts: { create: '60s', update: '15s' } },
);
new EdgeSystemComponents('system', {
  cluster,
  exclude: [SystemComponent.KUBE_PROXY],
  strategy: [ExclusionStrategy.SERVER_SIDE_APPLY],
  await: awaits,
});
