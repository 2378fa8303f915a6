/** What both doors of the control plane (cdk8s and Pulumi) export: properties, QoS profiles and attributes. */
export type { StorageAttributes, StorageMedium } from './storage/storage-attributes.js';
export type { CinderStorageClassProps } from './storage/cinder-storage-class.js';
export type { ManilaStorageClassProps } from './storage/manila-storage-class.js';
export type { ApplicationCredential, OpenStackPassword } from './storage/openstack-credentials.js';
export type { ManilaCredentialsProps } from './storage/manila-credentials.js';
export type { NfsVolumeProps } from './storage/nfs-volume.js';
export type { SecretReference, VolumeSnapshotClassProps } from './storage/volume-snapshot-class.js';
export type {
  DataConsumer,
  DataPropsOf,
  DataSnapshots,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
} from './storage/persistent-data-props.js';
export type { ComponentQos, ControlPlaneQosProps } from './control-plane/control-plane-qos-props.js';
export type { PriorityClassProps } from './control-plane/priority-classes.js';
export type { ContainerAmounts, ContainerQos, QosClass, QosPreset, QosProfile } from './control-plane/qos-profile.js';
export { withQos } from './control-plane/with-qos.js';
export type { SecurityGroupRule, ServerGroup } from './control-plane/etcd-network.js';
export type { EtcdMemberFiles } from './control-plane/etcd-cluster.js';
export type {
  EtcdAlerts,
  EtcdCertificates,
  EtcdClusterApi,
  EtcdClusterProps,
  EtcdDownload,
  EtcdIssuer,
  EtcdLatency,
  EtcdMember,
  EtcdSnapshots,
  EtcdVersion,
} from './control-plane/etcd-cluster-props.js';
export type { KuryrImages, KuryrKeystone, KuryrPortPool, KuryrSettings } from './openstack/kuryr-props.js';
export type { MachinePort, OpenStackMachinesSettings, RootVolume } from './openstack/openstack-machines-props.js';
