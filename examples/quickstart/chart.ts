import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '192.0.2.10:6443',
  yurthub: true,
});

/** The pools and workloads of a small fleet: two sites without a Pod network, one with. */
export class FleetChart extends Chart {
  public readonly systemComponents: EdgeSystemComponents;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // hostNetwork Pods need the Pod Security level privileged.
    new ApiObject(this, 'edge-system', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'edge-system', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    });
    new ApiObject(this, 'shop', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });

    const beijing = new HostNetworkNodePool(this, 'beijing', {
      cluster,
      poolName: 'beijing',
      labels: { site: 'beijing' },
      expectedNodes: 12,
    });
    const hangzhou = new HostNetworkNodePool(this, 'hangzhou', {
      cluster,
      poolName: 'hangzhou',
      labels: { site: 'hangzhou' },
      taints: [{ key: 'site', value: 'hangzhou', effect: 'NoSchedule' }],
    });
    new RegularNodePool(this, 'shanghai', {
      cluster,
      poolName: 'shanghai',
      labels: { site: 'shanghai' },
      interConnectivity: true,
    });

    // Runs on every node of both host-network pools.
    new HostNetworkWorkload(this, 'collector', {
      pools: [beijing, hangzhou],
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'collector', namespace: 'edge-system' },
        spec: {
          selector: { matchLabels: { app: 'collector' } },
          template: {
            metadata: { labels: { app: 'collector' } },
            spec: {
              automountServiceAccountToken: false,
              containers: [
                { name: 'collector', image: 'registry.example/collector:1.4.2', ports: [{ containerPort: 9110 }] },
              ],
            },
          },
        },
      },
    });

    // Needs a Pod network, so it is excluded from the two pools above.
    new ExcludedWorkload(this, 'web', {
      cluster,
      workload: `
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
          namespace: shop
        spec:
          replicas: 3
          selector:
            matchLabels: { app: web }
          template:
            metadata:
              labels: { app: web }
            spec:
              containers:
                - name: web
                  image: registry.example/web:2.0.1
                  ports:
                    - containerPort: 8080
      `,
    });

    this.systemComponents = new EdgeSystemComponents(this, 'system-components', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
    });
  }
}
