// `edge-nodepools/pulumi/control-plane`. Made by `npm run exports` of the declarations that have an @category.
import './peers.js';

export * from '../control-plane-core.js';

export { type CinderStorageClassArgs, CinderStorageClass } from './control-plane/cinder-storage-class.js';
export { type ControlPlaneQosArgs, ControlPlaneQos } from './control-plane/control-plane-qos.js';
export { type EtcdClusterArgs, EtcdCluster } from './control-plane/etcd-cluster.js';
export { type KuryrKubernetesArgs, KuryrKubernetes } from './control-plane/kuryr-kubernetes.js';
export { type ManilaCredentialsArgs, ManilaCredentials } from './control-plane/manila-credentials.js';
export { type ManilaStorageClassArgs, ManilaStorageClass } from './control-plane/manila-storage-class.js';
export { type NfsVolumeArgs, NfsVolume } from './control-plane/nfs-volume.js';
export { type OpenStackMachinesArgs, OpenStackMachines } from './control-plane/openstack-machines.js';
export { type PersistentDataArgs, type DataArgsOf, PersistentData } from './control-plane/persistent-data.js';
export { type VolumeSnapshotClassArgs, VolumeSnapshotClass } from './control-plane/volume-snapshot-class.js';
