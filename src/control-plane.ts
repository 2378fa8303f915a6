// The entry point `edge-nodepools/control-plane`.
import './constructs/peers.js';

export * from './control-plane/index.js';

export { CinderStorageClass } from './constructs/control-plane.js';
export { ControlPlaneQos } from './constructs/control-plane.js';
export { EtcdCluster } from './constructs/control-plane.js';
export { KuryrKubernetes } from './constructs/control-plane.js';
export { ManilaCredentials } from './constructs/control-plane.js';
export { ManilaStorageClass } from './constructs/control-plane.js';
export { NfsVolume } from './constructs/control-plane.js';
export { OpenStackMachines } from './constructs/control-plane.js';
export { PersistentData } from './constructs/control-plane.js';
export { VolumeSnapshotClass } from './constructs/control-plane.js';
