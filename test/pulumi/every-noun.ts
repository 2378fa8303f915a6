import {
  BootstrapToken,
  CinderStorageClass,
  ControlPlaneQos,
  EdgeCluster,
  EdgeNodePool,
  EdgePreconditions,
  EdgeSystemComponents,
  EtcdCluster,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  KubeadmConfigTemplate,
  KuryrKubernetes,
  ManilaCredentials,
  ManilaStorageClass,
  NfsVolume,
  NodeJoin,
  OpenStackMachines,
  OpenYurtWebhooks,
  PersistentData,
  PoolAdmission,
  PoolWebhook,
  type PreconditionName,
  ServingCertificateApprover,
  SystemComponent,
  VolumeSnapshotClass,
} from 'edge-nodepools/pulumi';
import type * as pulumi from '@pulumi/pulumi';
import { daemonSet } from '../bad-inputs/case.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { KURYR } from '../bad-inputs/kuryr.js';
import { corednsConfigMap, kubeProxyConfigMap } from '../corpus/kube-system.js';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});
const old = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });

/** A program with every component, each with at least one resource. */
export function everyNoun(options: pulumi.ComponentResourceOptions = {}): void {
  const pool = new HostNetworkNodePool('shops', { cluster, poolName: 'shops' }, options);
  new EdgeNodePool('office', { cluster, poolName: 'office' }, options);
  new ExcludedWorkload('dashboard', { cluster, workload: daemonSet() }, options);
  new HostNetworkWorkload('agent', { pool, workload: daemonSet() }, options);
  new EdgeSystemComponents(
    'system',
    { cluster, exclude: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL] },
    options,
  );
  new PoolAdmission('admission', { cluster }, options);
  new OpenYurtWebhooks('webhooks', { cluster: old }, options);
  new PoolWebhook(
    'guard',
    {
      cluster,
      type: 'validating',
      metadata: { name: 'guard' },
      webhooks: [{ name: 'pods.guard.example', rules: ['nodepools'], url: 'https://guard.example/admit' }],
    },
    options,
  );
  new NodeJoin('join', { pool, token: JoinToken.fromFile('/run/join/token') }, options);
  new KubeadmConfigTemplate('machines', { pool }, options);
  new BootstrapToken(
    'token',
    { token: JoinToken.inline('abcdef.0123456789abcdef'), expiration: '2100-01-01T00:00:00Z' },
    options,
  );
  const storage = new CinderStorageClass('ssd', { name: 'ssd' }, options);
  new VolumeSnapshotClass('snapshots', { name: 'snapshots' }, options);
  const authUrl = 'https://keystone.example/v3';
  const manila = new ManilaCredentials(
    'manila',
    { name: 'manila', authUrl, region: 'RegionOne', applicationCredential: { id: 'one', secret: 'two' } },
    options,
  );
  new ManilaStorageClass(
    'shares',
    { name: 'shares', protocol: 'CEPHFS', shareType: 'cephfs', secret: manila.secret },
    options,
  );
  new OpenStackMachines(
    'shops-machines',
    {
      pool,
      clusterName: 'edge',
      bootstrapTemplate: 'shops-join-1',
      version: 'v1.36.2',
      flavor: 'm1.small',
      image: 'ubuntu',
      failureDomains: ['az1', 'az2'],
    },
    options,
  );
  new KuryrKubernetes('kuryr', { ...KURYR, cluster }, options);
  new NfsVolume('share', { name: 'share', exportLocation: '192.0.2.10:/a', size: '2Gi' }, options);
  const data = { name: 'web', storage, size: '2Gi', mountPath: '/data' };
  PersistentData.forDeployment('web', { ...data, snapshots: { name: 'daily', className: 'snapshots' } }, options);
  new ControlPlaneQos(
    'qos',
    {
      cluster,
      scheduler: { preset: 'kube-scheduler' },
      components: [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } }],
      priorityClasses: [{ name: 'logs', value: 900_000_000 }],
    },
    options,
  );
  new EtcdCluster(
    'etcd',
    { cluster, name: 'edge', members: MEMBERS, certificates: { source: 'cert-manager' } },
    options,
  );
  new ServingCertificateApprover('serving', { cluster, namePattern: 'shop-.*', addresses: ['10.0.0.0/8'] }, options);
  const era = 'tunnel' as const;
  new EdgePreconditions(
    'ready',
    { cluster: old, era, corefile: { configMap: corednsConfigMap() }, kubeProxy: { configMap: kubeProxyConfigMap() } },
    options,
  );
  const single = (name: string, only: PreconditionName, args: object = {}): unknown =>
    new EdgePreconditions(name, { cluster: old, only: [only], ...args }, options);
  single('controllers', 'kubeControllerManager');
  single('corefile', 'corefile', { era, corefile: { configMap: corednsConfigMap() } });
  single('topology', 'coreDnsService');
  single('dns', 'coreDnsDaemonSet');
  single('proxy', 'kubeProxy', { era, kubeProxy: { configMap: kubeProxyConfigMap() } });
}
