// What programs import of this room.
export type { ExcludedWorkloadProps } from './excluded-workload.js';
export type { ExclusionReport } from './exclusion.js';
export type { ExclusionFilter } from './exclusion-filter.js';
export type { HostNetworkPodsProps, HostNetworkWorkloadProps } from './host-network-workload.js';
export type { YurtAppSetProps } from './yurt-app-set.js';
export type { YurtStaticSetProps } from './yurt-static-set.js';
