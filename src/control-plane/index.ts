// What programs import of this room.
export type { CinderStorageClassProps } from './cinder-storage-class.js';
export type { ManilaCredentialsProps } from './manila-credentials.js';
export type { ManilaStorageClassProps } from './manila-storage-class.js';
export type { NfsVolumeProps } from './nfs-volume.js';
export type { OpenStackPassword, ApplicationCredential } from './openstack-credentials.js';
export type {
  DataConsumer,
  DataSnapshots,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
  DataPropsOf,
} from './persistent-data-props.js';
export type { StorageMedium, StorageAttributes } from './storage-attributes.js';
export type { SecretReference, VolumeSnapshotClassProps } from './volume-snapshot-class.js';
export type { ComponentQos, ControlPlaneQosProps } from './control-plane-qos-props.js';
export type { EtcdMemberFiles } from './etcd-cluster.js';
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
} from './etcd-cluster-props.js';
export type { SecurityGroupRule, ServerGroup } from './etcd-network.js';
export type { PriorityClassProps } from './priority-classes.js';
export type { ContainerAmounts, ContainerQos, QosClass, QosPreset, QosProfile } from './qos-profile.js';
export { withQos } from './with-qos.js';
export type { KuryrKeystone, KuryrImages, KuryrPortPool, KuryrKubernetesProps } from './kuryr-props.js';
export type { RootVolume, MachinePort, OpenStackMachinesProps } from './openstack-machines.js';
