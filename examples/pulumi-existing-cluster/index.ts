import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kubernetes from '@pulumi/kubernetes';
import {
  EdgeCluster,
  EdgeSystemComponents,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  ExclusionStrategy,
  SystemComponent,
} from 'edge-nodepools/pulumi';

const { ADMISSION_POLICY, KUBEADM_PATCH, SERVER_SIDE_APPLY } = ExclusionStrategy;

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.37', apiServer: '192.0.2.10:6443' });

// Installed by other tools: a reference.
const nodeExporter = SystemComponent.of({
  kind: 'DaemonSet',
  namespace: 'monitoring',
  name: 'node-exporter',
  owner: 'helm',
});

// Applied from our own file: the whole manifest, with its node affinity.
const logShipper = SystemComponent.fromManifest(readFileSync(join(__dirname, 'manifests', 'log-shipper.yaml'), 'utf8'));

const north = new HostNetworkNodePool('yard-north', {
  cluster,
  poolName: 'yard-north',
  labels: { site: 'yard-north' },
  expectedNodes: 6,
});
// This pool was created with kubectl; this is a reference.
const depot = HostNetworkNodePool.fromPoolName({
  cluster,
  poolName: 'depot',
  taints: [{ key: 'site', value: 'depot', effect: 'NoSchedule' }],
  expectedNodes: 2,
});

new HostNetworkWorkload('gateway', {
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
          containers: [{ name: 'gateway', image: 'registry.example/gateway:0.9.1', ports: [{ containerPort: 8443 }] }],
        },
      },
    },
  },
});

const systemComponents = new EdgeSystemComponents('system-components', {
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
    // All others have the default: the policy, together with a patch or the whole manifest.
    coredns: { strategy: [SERVER_SIDE_APPLY, KUBEADM_PATCH] },
    'node-exporter': { strategy: ADMISSION_POLICY },
  },
});

// A chart that is not aware of host-network pools. The engine calls the transform for each object of the chart.
new kubernetes.helm.v4.Chart(
  'agent',
  { chart: join(__dirname, 'charts', 'agent'), namespace: 'kube-system' },
  { transforms: [excludeFromHostNetworkPools(cluster)] },
);

/** How each workload is excluded, and which events revert this. */
export const excluded = systemComponents.report.apply((rows) =>
  rows.map(({ workload, strategies, lostAfter }) => ({
    workload,
    by: strategies.join(' + '),
    applyAgainAfter: lostAfter.join(', '),
  })),
);
/** Files for `kubeadm upgrade --patches`. */
export const kubeadmPatches = systemComponents.kubeadmPatches;
