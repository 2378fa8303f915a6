import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type INodePool,
  JoinToken,
  NodeJoin,
  SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.34',
  apiServer: '192.0.2.10:6443',
  caCertHashes: ['sha256:7c1e0f5b2d3a49688796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0'],
});

/** Pools without OpenYurt: labels and taints with which the nodes join, and workloads that use them. */
export class StationsChart extends Chart {
  public readonly pools: readonly INodePool[];
  public readonly joins: readonly NodeJoin[];
  public readonly systemComponents: EdgeSystemComponents;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    for (const name of ['displays', 'tickets']) {
      new ApiObject(this, name, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name,
          ...(name === 'displays' ? { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } : {}),
        },
      });
    }

    // With the taint, no Pod without a toleration is scheduled to these nodes from the moment of registration.
    const platforms = new HostNetworkNodePool(this, 'platforms', {
      cluster,
      poolName: 'platforms',
      labels: { 'station.example/area': 'platforms' },
      registrationTaint: true,
      expectedNodes: 40,
    });
    // No taint: Pods without hostNetwork can be scheduled here unless they are excluded.
    const entrances = new HostNetworkNodePool(this, 'entrances', {
      cluster,
      poolName: 'entrances',
      labels: { 'station.example/area': 'entrances' },
      expectedNodes: 8,
    });
    const offices = new RegularNodePool(this, 'offices', {
      cluster,
      poolName: 'offices',
      labels: { 'station.example/area': 'offices' },
    });
    this.pools = [platforms, entrances, offices];
    // Without OpenYurt the nodes join with labels and taints, so the join determines the pool.
    this.joins = this.pools.map(
      (pool) =>
        new NodeJoin(this, `join-${pool.poolName}`, {
          pool,
          token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
          namespace: 'kube-system',
        }),
    );

    new HostNetworkWorkload(this, 'departures', {
      pools: [platforms, entrances],
      // The ClusterIP of the API server is not reachable on these nodes, so its Pods get the address.
      apiServer: true,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'departures', namespace: 'displays' },
        spec: {
          selector: { matchLabels: { app: 'departures' } },
          template: {
            metadata: { labels: { app: 'departures' } },
            spec: {
              containers: [
                { name: 'display', image: 'registry.example/departures:5.1.0', ports: [{ containerPort: 8088 }] },
              ],
            },
          },
        },
      },
    });

    new ExcludedWorkload(this, 'tickets-api', {
      cluster,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'tickets', namespace: 'tickets' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'tickets' } },
          template: {
            metadata: { labels: { app: 'tickets' } },
            spec: { containers: [{ name: 'tickets', image: 'registry.example/tickets:2.7.3' }] },
          },
        },
      },
    });

    this.systemComponents = new EdgeSystemComponents(this, 'system-components', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
    });
  }
}
