// What both entry points of the control plane (cdk8s and Pulumi) export. Made by `npm run exports` of the declarations that have an @category.
export type { CinderStorageClassProps } from './storage/cinder-storage-class.js';
export type { ManilaCredentialsProps } from './storage/manila-credentials.js';
export type { ManilaStorageClassProps } from './storage/manila-storage-class.js';
export type { NfsVolumeProps } from './storage/nfs-volume.js';
export type { OpenStackPassword, ApplicationCredential } from './storage/openstack-credentials.js';
export type {
  DataConsumer,
  DataSnapshots,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
  DataPropsOf,
} from './storage/persistent-data-props.js';
export type { StorageMedium, StorageAttributes } from './storage/storage-attributes.js';
export type { SecretReference, VolumeSnapshotClassProps } from './storage/volume-snapshot-class.js';
export type { ComponentQos, ControlPlaneQosProps } from './control-plane/control-plane-qos-props.js';
export type { EtcdMemberFiles } from './control-plane/etcd-cluster.js';
export type {
  EtcdVersion,
  EtcdLatency,
  EtcdMember,
  EtcdDownload,
  EtcdIssuer,
  EtcdCertificates,
  EtcdClusterApi,
  EtcdSnapshots,
  EtcdAlerts,
  EtcdClusterProps,
} from './control-plane/etcd-cluster-props.js';
export type { SecurityGroupRule, ServerGroup } from './control-plane/etcd-network.js';
export type { PriorityClassProps } from './control-plane/priority-classes.js';
export type { ContainerAmounts, ContainerQos, QosClass, QosPreset, QosProfile } from './control-plane/qos-profile.js';
export { withQos } from './control-plane/with-qos.js';
export type { KuryrKeystone, KuryrImages, KuryrPortPool, KuryrKubernetesProps } from './openstack/kuryr-props.js';
export type { RootVolume, MachinePort, OpenStackMachinesProps } from './openstack/openstack-machines-props.js';
