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

// Installed by a Helm chart: a reference.
const nodeExporter = SystemComponent.of({
  kind: 'DaemonSet',
  namespace: 'monitoring',
  name: 'node-exporter',
  owner: 'helm',
});

// Applied from our own file: the whole manifest, with its node affinity.
const logShipper = SystemComponent.fromManifest(readFileSync(join(__dirname, 'manifests', 'log-shipper.yaml'), 'utf8'));

/** Host-network pools in an existing cluster. */
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
    // This pool was created with kubectl; this is a reference.
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
        // Calico will replace flannel; its operator is already installed, and reverts patches.
        SystemComponent.CALICO_OPERATOR,
      ],
      components: {
        // All others have the default: the policy, together with a server-side apply or the whole manifest.
        coredns: { strategy: [SERVER_SIDE_APPLY, KUBEADM_PATCH] },
        'node-exporter': { strategy: ADMISSION_POLICY },
      },
    });
  }
}
