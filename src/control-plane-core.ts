// What both entry points of the control plane (cdk8s and Pulumi) export. Made by `npm run exports` of the declarations that have an @category.
export type { CinderStorageClassProps } from './control-plane/cinder-storage-class.js';
export type { ManilaCredentialsProps } from './control-plane/manila-credentials.js';
export type { ManilaStorageClassProps } from './control-plane/manila-storage-class.js';
export type { NfsVolumeProps } from './control-plane/nfs-volume.js';
export type { OpenStackPassword, ApplicationCredential } from './control-plane/openstack-credentials.js';
export type {
  DataConsumer,
  DataSnapshots,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
  DataPropsOf,
} from './control-plane/persistent-data-props.js';
export type { StorageMedium, StorageAttributes } from './control-plane/storage-attributes.js';
export type { SecretReference, VolumeSnapshotClassProps } from './control-plane/volume-snapshot-class.js';
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
export type { KuryrKeystone, KuryrImages, KuryrPortPool, KuryrKubernetesProps } from './control-plane/kuryr-props.js';
export type { RootVolume, MachinePort, OpenStackMachinesProps } from './control-plane/openstack-machines-props.js';
