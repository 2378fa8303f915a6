// What programs import of this room.
export { EdgeCluster } from './edge-cluster.js';
export type { EdgeClusterProps } from './edge-cluster.js';
export type { KubernetesVersion } from './kubernetes-minors.js';
export type { OpenYurtVersion } from './openyurt-releases.js';
