import './peers.js';

export * from '../control-plane-core.js';

export { CinderStorageClass, type CinderStorageClassArgs } from './control-plane/cinder-storage-class.js';
export { VolumeSnapshotClass, type VolumeSnapshotClassArgs } from './control-plane/volume-snapshot-class.js';
export { ManilaStorageClass, type ManilaStorageClassArgs } from './control-plane/manila-storage-class.js';
export { ManilaCredentials, type ManilaCredentialsArgs } from './control-plane/manila-credentials.js';
export { NfsVolume, type NfsVolumeArgs } from './control-plane/nfs-volume.js';
export { PersistentData, type PersistentDataArgs } from './control-plane/persistent-data.js';
export { ControlPlaneQos, type ControlPlaneQosArgs } from './control-plane/control-plane-qos.js';
export { EtcdCluster, type EtcdClusterArgs } from './control-plane/etcd-cluster.js';
export { KuryrKubernetes, type KuryrKubernetesArgs } from './control-plane/kuryr-kubernetes.js';
export { OpenStackMachines, type OpenStackMachinesArgs } from './control-plane/openstack-machines.js';
