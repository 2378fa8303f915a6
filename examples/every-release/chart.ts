import { type App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  RegularNodePool,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
} from 'edge-nodepools';

/** Each OpenYurt release with a Kubernetes minor that it claims, and plain Kubernetes. */
export const clusters = [
  EdgeCluster.of({ openYurt: '1.4', kubernetes: '1.23' }),
  EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' }),
  EdgeCluster.of({ openYurt: '1.6', kubernetes: '1.30' }),
  EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }),
  EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
];

/** Name of a chart and of its file: `openyurt-1-7`, `openyurt-none`. */
export function chartName({ openYurt }: EdgeCluster): string {
  return `openyurt-${openYurt.replace('.', '-')}`;
}

/** One fleet for clusters of any release. */
export class FleetChart extends Chart {
  constructor(scope: Construct, id: string, cluster: EdgeCluster) {
    super(scope, id);

    const farms = new HostNetworkNodePool(this, 'farms', {
      cluster,
      poolName: 'farms',
      labels: { 'farm.example/kind': 'field' },
      taints: [{ key: 'farm.example/field', effect: 'NoSchedule' }],
      // Only some releases have these fields; others would refuse them.
      ...(cluster.hasNodePoolField('enableLeaderElection') ? { enableLeaderElection: true, leaderReplicas: 2 } : {}),
    });
    new RegularNodePool(this, 'dairy', {
      cluster,
      poolName: 'dairy',
      labels: { 'farm.example/kind': 'dairy' },
      ...(cluster.hasNodePoolField('interConnectivity') ? { interConnectivity: true } : {}),
    });

    new HostNetworkWorkload(this, 'weather', {
      pool: farms,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'weather', namespace: 'default' },
        spec: {
          selector: { matchLabels: { app: 'weather' } },
          template: {
            metadata: { labels: { app: 'weather' } },
            spec: {
              automountServiceAccountToken: false,
              containers: [
                { name: 'weather', image: 'registry.example/weather:1.1.4', ports: [{ containerPort: 9120 }] },
              ],
            },
          },
        },
      },
    });

    new ExcludedWorkload(this, 'ledger', {
      cluster,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'ledger', namespace: 'default' },
        spec: {
          selector: { matchLabels: { app: 'ledger' } },
          template: {
            metadata: { labels: { app: 'ledger' } },
            spec: { containers: [{ name: 'ledger', image: 'registry.example/ledger:6.0.0' }] },
          },
        },
      },
    });
  }
}

/** One chart, and one file, per release. */
export function addCharts(app: App): FleetChart[] {
  return clusters.map((cluster) => new FleetChart(app, chartName(cluster), cluster));
}
