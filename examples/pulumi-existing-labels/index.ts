import {
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools/pulumi';

const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.36',
  // KubeEdge gives its nodes this label, without a value.
  hostNetworkLabel: { key: 'node-role.kubernetes.io/edge', value: '' },
  // And these nodes know already to which depot they belong.
  nodePoolLabel: 'rail.example/depot',
});

// No object: the nodes with rail.example/depot=north are the pool.
const north = new HostNetworkNodePool('north', { cluster, poolName: 'north' });

new HostNetworkWorkload('signals', {
  pool: north,
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
          containers: [{ name: 'signals', image: 'registry.example/signals:4.1.0', ports: [{ containerPort: 4840 }] }],
        },
      },
    },
  },
});

new ExcludedWorkload('timetable', {
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
const systemComponents = new EdgeSystemComponents('system', {
  cluster,
  exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
});

// KubeEdge sets the label itself.
new PoolAdmission('admission', { cluster, guarantees: { nodeLabel: false } });

/** Labels with which a new node of the depot north joins. */
export const joinLabels = north.joinLabels;
/** How each system component is excluded, as a table: `pulumi stack output excluded`. */
export const excluded = systemComponents.report.apply(String);
