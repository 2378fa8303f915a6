import './constructs/peers.js';

export * from './control-plane-core.js';

export { CinderStorageClass } from './constructs/control-plane/cinder-storage-class.js';
export { VolumeSnapshotClass } from './constructs/control-plane/volume-snapshot-class.js';
export { ManilaStorageClass } from './constructs/control-plane/manila-storage-class.js';
export { ManilaCredentials } from './constructs/control-plane/manila-credentials.js';
export { NfsVolume } from './constructs/control-plane/nfs-volume.js';
export { PersistentData } from './constructs/control-plane/persistent-data.js';
export { ControlPlaneQos } from './constructs/control-plane/control-plane-qos.js';
export { EtcdCluster } from './constructs/control-plane/etcd-cluster.js';
export { KuryrKubernetes, type KuryrKubernetesProps } from './constructs/control-plane/kuryr-kubernetes.js';
export { OpenStackMachines, type OpenStackMachinesProps } from './constructs/control-plane/openstack-machines.js';
