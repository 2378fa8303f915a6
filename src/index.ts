import './constructs/peers.js';

export * from './core.js';

export { type INodePool, NodePoolConstruct } from './constructs/node-pool.js';
export { HostNetworkNodePool, type IHostNetworkNodePool } from './constructs/host-network-node-pool.js';
export { EdgeNodePool } from './constructs/edge-node-pool.js';
export { ExcludedWorkload } from './constructs/excluded-workload.js';
export {
  ExcludedWorkloadMixin,
  type ExcludedWorkloadMixinProps,
  type MixinEntry,
  type MixinReport,
} from './constructs/excluded-workload-mixin.js';
export { HostNetworkWorkload, type HostNetworkWorkloadProps } from './constructs/host-network-workload.js';
export { EdgeSystemComponents, type EdgeSystemComponentsProps } from './constructs/edge-system-components.js';
export { PoolAdmission } from './constructs/pool-admission.js';
export { OpenYurtWebhooks } from './constructs/openyurt-webhooks.js';
export { PoolWebhook } from './constructs/pool-webhook.js';
export { EdgeWarnings, type WarningMode } from './constructs/warnings.js';
export { artifactsOf } from './constructs/artifact.js';
export { manifestsOf } from './constructs/manifests.js';
export { writeArtifacts } from './app/write-artifacts.js';
export { NodeJoin, type NodeJoinProps } from './constructs/node-join.js';
export { BootstrapToken } from './constructs/bootstrap-token.js';
export { KubeadmConfigTemplate, type KubeadmConfigTemplateProps } from './constructs/kubeadm-config-template.js';
export { EdgePreconditions } from './constructs/edge-preconditions.js';
export { CinderStorageClass } from './constructs/cinder-storage-class.js';
export { VolumeSnapshotClass } from './constructs/volume-snapshot-class.js';
export { ManilaStorageClass } from './constructs/manila-storage-class.js';
export { ManilaCredentials } from './constructs/manila-credentials.js';
export { NfsVolume } from './constructs/nfs-volume.js';
export { PersistentData } from './constructs/persistent-data.js';
export { ControlPlaneQos } from './constructs/control-plane-qos.js';
export { EtcdCluster } from './constructs/etcd-cluster.js';
export {
  ServingCertificateApprover,
  type ServingCertificateApproverProps,
} from './constructs/serving-certificate-approver.js';
export { KuryrKubernetes, type KuryrKubernetesProps } from './constructs/kuryr-kubernetes.js';
export { OpenStackMachines, type OpenStackMachinesProps } from './constructs/openstack-machines.js';
