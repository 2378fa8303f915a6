// `edge-nodepools/control-plane`. Made by `npm run exports` of the declarations that have an @category.
import './constructs/peers.js';

export * from './control-plane-core.js';

export { CinderStorageClass } from './constructs/control-plane/cinder-storage-class.js';
export { ControlPlaneQos } from './constructs/control-plane/control-plane-qos.js';
export { EtcdCluster } from './constructs/control-plane/etcd-cluster.js';
export { KuryrKubernetes } from './constructs/control-plane/kuryr-kubernetes.js';
export { ManilaCredentials } from './constructs/control-plane/manila-credentials.js';
export { ManilaStorageClass } from './constructs/control-plane/manila-storage-class.js';
export { NfsVolume } from './constructs/control-plane/nfs-volume.js';
export { OpenStackMachines } from './constructs/control-plane/openstack-machines.js';
export { PersistentData } from './constructs/control-plane/persistent-data.js';
export { VolumeSnapshotClass } from './constructs/control-plane/volume-snapshot-class.js';
