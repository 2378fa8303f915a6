// The entry point `edge-nodepools/control-plane`.
import './constructs/peers.js';

export * from './control-plane/index.js';

export { CinderStorageClass } from './constructs/cinder-storage-class.js';
export { ControlPlaneQos } from './constructs/control-plane-qos.js';
export { EtcdCluster } from './constructs/etcd-cluster.js';
export { KuryrKubernetes } from './constructs/kuryr-kubernetes.js';
export { ManilaCredentials } from './constructs/manila-credentials.js';
export { ManilaStorageClass } from './constructs/manila-storage-class.js';
export { NfsVolume } from './constructs/nfs-volume.js';
export { OpenStackMachines } from './constructs/openstack-machines.js';
export { PersistentData } from './constructs/persistent-data.js';
export { VolumeSnapshotClass } from './constructs/volume-snapshot-class.js';
