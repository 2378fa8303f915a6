// The entry point `edge-nodepools/pulumi/control-plane`.
import './peers.js';

export * from '../control-plane/index.js';

export { type CinderStorageClassArgs, CinderStorageClass } from './cinder-storage-class.js';
export { type ControlPlaneQosArgs, ControlPlaneQos } from './control-plane-qos.js';
export { type EtcdClusterArgs, EtcdCluster } from './etcd-cluster.js';
export { type KuryrKubernetesArgs, KuryrKubernetes } from './kuryr-kubernetes.js';
export { type ManilaCredentialsArgs, ManilaCredentials } from './manila-credentials.js';
export { type ManilaStorageClassArgs, ManilaStorageClass } from './manila-storage-class.js';
export { type NfsVolumeArgs, NfsVolume } from './nfs-volume.js';
export { type OpenStackMachinesArgs, OpenStackMachines } from './openstack-machines.js';
export { type PersistentDataArgs, type DataArgsOf, PersistentData } from './persistent-data.js';
export { type VolumeSnapshotClassArgs, VolumeSnapshotClass } from './volume-snapshot-class.js';
