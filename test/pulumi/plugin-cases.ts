// The same things through the plugin for other languages, and with the library.
import * as pulumi from '@pulumi/pulumi';
import type { Data } from '../../src/plugin/conversion.js';
import { construct } from '../../src/plugin/provider.js';
import * as library from '../../src/pulumi/index.js';
import { importedPool } from '../../src/pulumi/node-pool.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { KURYR } from '../bad-inputs/kuryr.js';

type Library = typeof library;
/** The components of the library: its classes of resources that a program can create. */
export type Component = {
  [Name in keyof Library]: Library[Name] extends new (
    name: string,
    args: infer _,
    ...rest: never[]
  ) => pulumi.ComponentResource
    ? Name
    : never;
}[keyof Library];

export const releases = { openYurt: '1.7', kubernetes: '1.34' } as const;
const cluster = library.EdgeCluster.of(releases);
export const reachable = { apiServer: '10.0.0.1:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] };
export const TOKEN_TEXT = 'canary.0123456789canary';
const taints = [{ key: 'site', value: 'east', effect: 'NoSchedule' as const }];

const EVERY_FIELD = {
  poolName: 'east',
  type: 'Cloud' as const,
  labels: { a: 'b' },
  enableLeaderElection: true,
  leaderElectionStrategy: 'mark' as const,
  leaderNodeLabelSelector: { leader: 'yes' },
  leaderReplicas: 2,
  poolScopeMetadata: [{ group: '', version: 'v1', resource: 'services' }],
  metadata: { labels: { team: 'edge' } },
  extraSpec: { later: true },
};

const JOIN_SETTINGS = {
  publish: true,
  format: 'script' as const,
  timeouts: { discovery: '5m0s' },
  runtime: 'containerd' as const,
  files: [{ path: '/etc/motd', content: 'edge' }],
  preJoinCommands: ['true', ['echo', 'one']],
  kubeletExtraArgs: [{ name: 'v', value: '2' }],
  retainPublished: false,
};

const PRECONDITIONS = {
  only: ['corefile' as const],
  corefile: {
    corefile: '.:53 {\n    kubernetes cluster.local in-addr.arpa ip6.arpa\n}\n',
    forwarders: [{ zone: 'site.example', to: ['10.1.0.2'] }],
  },
};

const WEBHOOK = {
  type: 'validating' as const,
  webhooks: [
    {
      name: 'pods.edge.example',
      rules: ['pods' as const],
      url: 'https://hooks.example/pods',
      failurePolicy: 'Ignore' as const,
    },
  ],
};

const WEB_DATA = {
  name: 'web',
  storage: { storageClassName: 'ssd', medium: 'block' as const },
  size: '2Gi',
  mountPath: '/var/lib/web',
};
const ETCD = { name: 'edge', members: MEMBERS, certificates: { source: 'cert-manager' as const, days: 90 } };

const QOS = {
  scheduler: { preset: 'kube-scheduler' as const },
  priorityClasses: [{ name: 'logs', value: 900_000_000 }],
};

const SHARES = {
  name: 'shares',
  protocol: 'NFS' as const,
  shareType: 'default',
  clients: ['10.0.0.0/24'],
  secret: { name: 'manila', namespace: 'kube-system' },
};

const CREDENTIALS = {
  name: 'manila',
  authUrl: 'https://keystone.example/v3',
  region: 'RegionOne',
  applicationCredential: { id: 'one', secret: 'canary' },
};

const MACHINES = {
  clusterName: 'edge',
  bootstrapTemplate: 'east-join-1',
  version: 'v1.34.2',
  flavor: 'm1.small',
  image: 'ubuntu',
  failureDomains: ['az1'],
};

const SHARE = { name: 'share', exportLocation: '192.0.2.10:/a', size: '2Gi' };

/** A component through the plugin. */
const APPROVED = {
  boxes: [{ name: 'shop-0001', address: '192.0.2.10/24' }],
  namePattern: 'x.*',
  addresses: ['10.0.0.7'],
};

export const through = (kind: Component, args: Data, name = 'x'): pulumi.ComponentResource =>
  construct(name, `edge-nodepools:index:${kind}`, args);

/** The same thing through the plugin, and with the library. */
export const CASES: readonly (readonly [Component, () => unknown, () => unknown])[] = [
  [
    'HostNetworkNodePool',
    () => through('HostNetworkNodePool', { cluster: releases, poolName: 'east', taints, registrationTaint: true }),
    () => new library.HostNetworkNodePool('x', { cluster, poolName: 'east', taints, registrationTaint: true }),
  ],
  [
    'EdgeNodePool',
    () => through('EdgeNodePool', { cluster: releases, ...EVERY_FIELD }),
    () => new library.EdgeNodePool('x', { cluster, ...EVERY_FIELD }),
  ],
  [
    'HostNetworkWorkload',
    () =>
      through('HostNetworkWorkload', {
        cluster: releases,
        pools: [{ poolName: 'east', taints }],
        workload: daemonSet({}),
      }),
    () =>
      new library.HostNetworkWorkload('x', {
        pools: [library.HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east', taints })],
        workload: daemonSet({}),
      }),
  ],
  [
    'ExcludedWorkload',
    () => through('ExcludedWorkload', { cluster: releases, workload: deployment({}) }),
    () => new library.ExcludedWorkload('x', { cluster, workload: deployment({}) }),
  ],
  [
    'EdgeSystemComponents',
    () =>
      through('EdgeSystemComponents', {
        cluster: releases,
        exclude: ['kube-proxy', 'flannel'],
        workloads: [{ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }],
        strategy: ['SERVER_SIDE_APPLY'],
        components: { flannel: { namespace: 'cni' } },
      }),
    () =>
      new library.EdgeSystemComponents('x', {
        cluster,
        exclude: [
          library.SystemComponent.KUBE_PROXY,
          library.SystemComponent.FLANNEL,
          library.SystemComponent.of({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }),
        ],
        strategy: library.ExclusionStrategy.SERVER_SIDE_APPLY,
        components: { flannel: { namespace: 'cni' } },
      }),
  ],
  [
    'PoolAdmission',
    () =>
      through('PoolAdmission', { cluster: releases, otherPools: ['east'], guarantees: { frozenNodeLabels: false } }),
    () =>
      new library.PoolAdmission('x', {
        cluster,
        otherPools: ['east'],
        guarantees: { frozenNodeLabels: false },
      }),
  ],
  [
    'OpenYurtWebhooks',
    () => through('OpenYurtWebhooks', { cluster: releases, timeoutSeconds: 5, exclude: ['pods'] }),
    () => new library.OpenYurtWebhooks('x', { cluster, timeoutSeconds: 5, exclude: ['pods'] }),
  ],
  [
    'NodeJoin',
    () =>
      through('NodeJoin', {
        cluster: { ...releases, ...reachable },
        pool: { poolName: 'east', taints },
        token: TOKEN_TEXT,
        publish: true,
      }),
    () =>
      new library.NodeJoin('x', {
        pool: library.HostNetworkNodePool.fromPoolName({
          cluster: library.EdgeCluster.of({ ...releases, ...reachable }),
          poolName: 'east',
          taints,
        }),
        token: pulumi.secret(TOKEN_TEXT),
        publish: true,
      }),
  ],
  [
    'NodeJoin',
    () =>
      through('NodeJoin', {
        cluster: { ...releases, ...reachable },
        pool: {
          poolName: 'office',
          hostNetwork: false,
          reservation: { preset: 'gke', capacity: { cpu: 4, memory: '8Gi' } },
        },
        tokenSecret: { name: 'join-token', namespace: 'kube-system' },
        reservation: { kubeReserved: { cpu: '100m' }, diskSize: '8Gi' },
        ...JOIN_SETTINGS,
      }),
    () =>
      new library.NodeJoin('x', {
        pool: importedPool(
          { subject: 'EdgeNodePool', mode: 'regular', makesObject: false },
          { cluster: library.EdgeCluster.of({ ...releases, ...reachable }), poolName: 'office' },
        ),
        token: library.JoinToken.fromSecret({ name: 'join-token', namespace: 'kube-system' }),
        reservation: library.NodeReservation.of({ kubeReserved: { cpu: '100m' }, diskSize: '8Gi' }),
        ...JOIN_SETTINGS,
      }),
  ],
  [
    'KubeadmConfigTemplate',
    () =>
      through('KubeadmConfigTemplate', {
        cluster: releases,
        pool: { poolName: 'east', taints, reservation: { preset: 'edge-small', diskSize: '16Gi' } },
        nodeName: 'one',
      }),
    () =>
      new library.KubeadmConfigTemplate('x', {
        pool: library.HostNetworkNodePool.fromPoolName({
          cluster,
          poolName: 'east',
          taints,
          reservation: library.NodeReservation.preset('edge-small', { diskSize: '16Gi' }),
        }),
        nodeName: 'one',
      }),
  ],
  [
    'EdgePreconditions',
    () => through('EdgePreconditions', { cluster: releases, ...PRECONDITIONS }),
    () => new library.EdgePreconditions('x', { cluster, ...PRECONDITIONS }),
  ],
  [
    'EtcdCluster',
    () => through('EtcdCluster', { cluster: releases, ...ETCD }),
    () => new library.EtcdCluster('x', { cluster, ...ETCD }),
  ],
  [
    'PoolWebhook',
    () => through('PoolWebhook', { cluster: releases, ...WEBHOOK }),
    () => new library.PoolWebhook('x', { cluster, ...WEBHOOK }),
  ],
  [
    'BootstrapToken',
    () => through('BootstrapToken', { token: TOKEN_TEXT, expiration: '2100-01-01T00:00:00Z' }),
    () => new library.BootstrapToken('x', { token: pulumi.secret(TOKEN_TEXT), expiration: '2100-01-01T00:00:00Z' }),
  ],
  [
    'ControlPlaneQos',
    () =>
      through('ControlPlaneQos', {
        cluster: releases,
        components: [{ component: 'kube-proxy', profile: { preset: 'kube-proxy' } }],
        ...QOS,
      }),
    () =>
      new library.ControlPlaneQos('x', {
        cluster,
        components: [{ component: library.SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } }],
        ...QOS,
      }),
  ],
  [
    'CinderStorageClass',
    () => through('CinderStorageClass', { name: 'ssd', zones: ['az1'] }),
    () => new library.CinderStorageClass('x', { name: 'ssd', zones: ['az1'] }),
  ],
  [
    'VolumeSnapshotClass',
    () => through('VolumeSnapshotClass', { name: 'snapshots', deletionPolicy: 'Delete' }),
    () => new library.VolumeSnapshotClass('x', { name: 'snapshots', deletionPolicy: 'Delete' }),
  ],
  [
    'ManilaStorageClass',
    () => through('ManilaStorageClass', { cluster: releases, ...SHARES }),
    () => new library.ManilaStorageClass('x', { cluster, ...SHARES }),
  ],
  [
    'ManilaCredentials',
    () => through('ManilaCredentials', CREDENTIALS),
    () => new library.ManilaCredentials('x', CREDENTIALS),
  ],
  [
    'OpenStackMachines',
    () => through('OpenStackMachines', { cluster: releases, pool: { poolName: 'east' }, ...MACHINES }),
    () =>
      new library.OpenStackMachines('x', {
        pool: library.HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east' }),
        ...MACHINES,
      }),
  ],
  [
    'KuryrKubernetes',
    () => through('KuryrKubernetes', { ...KURYR, cluster: { ...releases, ...reachable } }),
    () =>
      new library.KuryrKubernetes('x', { ...KURYR, cluster: library.EdgeCluster.of({ ...releases, ...reachable }) }),
  ],
  [
    'ServingCertificateApprover',
    () => through('ServingCertificateApprover', { cluster: releases, ...APPROVED }),
    () => new library.ServingCertificateApprover('x', { cluster, ...APPROVED }),
  ],
  ['NfsVolume', () => through('NfsVolume', SHARE), () => new library.NfsVolume('x', SHARE)],
  [
    'PersistentData',
    () => through('PersistentData', { consumer: 'deployment', ...WEB_DATA }),
    () => library.PersistentData.forDeployment('x', WEB_DATA),
  ],
];
