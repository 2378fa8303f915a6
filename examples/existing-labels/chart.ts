import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.36',
  // KubeEdge gives its nodes this label, without a value.
  hostNetworkLabel: { key: 'node-role.kubernetes.io/edge', value: '' },
  // And these nodes know already to which depot they belong.
  nodePoolLabel: 'rail.example/depot',
});

/** A fleet whose nodes are marked already: nothing is written to a Node. */
export class DepotsChart extends Chart {
  public readonly north: HostNetworkNodePool;
  public readonly admission: PoolAdmission;
  public readonly systemComponents: EdgeSystemComponents;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // No object: the nodes with rail.example/depot=north are the pool.
    this.north = new HostNetworkNodePool(this, 'north', { cluster, poolName: 'north' });

    new HostNetworkWorkload(this, 'signals', {
      pool: this.north,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'signals', namespace: 'default' },
        spec: {
          selector: { matchLabels: { app: 'signals' } },
          template: {
            metadata: { labels: { app: 'signals' } },
            spec: {
              automountServiceAccountToken: false,
              containers: [
                { name: 'signals', image: 'registry.example/signals:4.1.0', ports: [{ containerPort: 4840 }] },
              ],
            },
          },
        },
      },
    });

    new ExcludedWorkload(this, 'timetable', {
      cluster,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'timetable', namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'timetable' } },
          template: {
            metadata: { labels: { app: 'timetable' } },
            spec: { containers: [{ name: 'timetable', image: 'registry.example/timetable:2.3.0' }] },
          },
        },
      },
    });

    // Older releases of KubeEdge do not even restart beside kube-proxy (kubeedge/kubeedge#5865).
    this.systemComponents = new EdgeSystemComponents(this, 'system', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
    });

    // KubeEdge sets the label itself.
    this.admission = new PoolAdmission(this, 'admission', { cluster, guarantees: { nodeLabel: false } });
  }
}
