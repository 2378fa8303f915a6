import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  EdgeSystemComponents,
  HostNetworkNodePool,
  HostNetworkWorkload,
  ExclusionStrategy,
  SystemComponent,
} from 'edge-nodepools';

const { ADMISSION_POLICY, KUBEADM_PATCH, SERVER_SIDE_APPLY } = ExclusionStrategy;

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.37', apiServer: '192.0.2.10:6443' });

// Installed by a Helm chart: known by reference only.
const nodeExporter = SystemComponent.of({
  kind: 'DaemonSet',
  namespace: 'monitoring',
  name: 'node-exporter',
  owner: 'helm',
});

// Applied from a file that we own: known whole, with the node affinity that it has.
const logShipper = SystemComponent.fromManifest(readFileSync(join(__dirname, 'manifests', 'log-shipper.yaml'), 'utf8'));

/** Host-network pools in a cluster that has been running for a while. */
export class YardChart extends Chart {
  public readonly systemComponents: EdgeSystemComponents;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    const north = new HostNetworkNodePool(this, 'yard-north', {
      cluster,
      poolName: 'yard-north',
      labels: { site: 'yard-north' },
      expectedNodes: 6,
    });
    // This pool was made with kubectl; it is only named here.
    const depot = HostNetworkNodePool.fromPoolName(this, 'depot', {
      cluster,
      poolName: 'depot',
      taints: [{ key: 'site', value: 'depot', effect: 'NoSchedule' }],
      expectedNodes: 2,
    });

    new HostNetworkWorkload(this, 'gateway', {
      pools: [north, depot],
      apiServer: true,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'gateway', namespace: 'kube-system' },
        spec: {
          selector: { matchLabels: { app: 'gateway' } },
          template: {
            metadata: { labels: { app: 'gateway' } },
            spec: {
              containers: [
                { name: 'gateway', image: 'registry.example/gateway:0.9.1', ports: [{ containerPort: 8443 }] },
              ],
            },
          },
        },
      },
    });

    this.systemComponents = new EdgeSystemComponents(this, 'system-components', {
      cluster,
      exclude: [
        SystemComponent.KUBE_PROXY,
        SystemComponent.COREDNS,
        SystemComponent.FLANNEL,
        nodeExporter,
        logShipper,
        // Calico is to replace flannel one day; its operator is already there, and undoes every patch.
        SystemComponent.CALICO_OPERATOR,
      ],
      components: {
        // What is not named here has the default: the policy, and at once a server-side apply or the whole manifest.
        coredns: { strategy: [SERVER_SIDE_APPLY, KUBEADM_PATCH] },
        'node-exporter': { strategy: ADMISSION_POLICY },
      },
    });
  }
}
