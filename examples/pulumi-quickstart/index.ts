import * as kubernetes from '@pulumi/kubernetes';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools/pulumi';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '192.0.2.10:6443',
  yurthub: true,
});

// hostNetwork Pods need the Pod Security level privileged.
const edgeSystem = new kubernetes.core.v1.Namespace('edge-system', {
  metadata: { name: 'edge-system', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
});
const shop = new kubernetes.core.v1.Namespace('shop', { metadata: { name: 'shop' } });

const beijing = new HostNetworkNodePool('beijing', {
  cluster,
  poolName: 'beijing',
  labels: { site: 'beijing' },
  expectedNodes: 12,
});
const hangzhou = new HostNetworkNodePool('hangzhou', {
  cluster,
  poolName: 'hangzhou',
  labels: { site: 'hangzhou' },
  taints: [{ key: 'site', value: 'hangzhou', effect: 'NoSchedule' }],
});
new RegularNodePool('shanghai', {
  cluster,
  poolName: 'shanghai',
  labels: { site: 'shanghai' },
  interConnectivity: true,
});

// Runs on every node of both host-network pools. Its namespace is an Output, so it is made after it.
new HostNetworkWorkload('collector', {
  pools: [beijing, hangzhou],
  workload: {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'collector', namespace: edgeSystem.metadata.name },
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
new ExcludedWorkload('web', {
  cluster,
  workload: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: shop.metadata.name },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'web', image: 'registry.example/web:2.0.1', ports: [{ containerPort: 8080 }] }],
        },
      },
    },
  },
});

const systemComponents = new EdgeSystemComponents('system-components', {
  cluster,
  exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
});

/** Labels that each node of a pool must have when it joins. */
export const joinLabels = { beijing: beijing.joinLabels, hangzhou: hangzhou.joinLabels };
/** Files for `kubeadm upgrade --patches`. */
export const kubeadmPatches = systemComponents.kubeadmPatches;
