/** Metadata type by which the exclusion mixin knows a HostNetworkWorkload. */
export const HOST_NETWORK_WORKLOAD = 'edge-nodepools:host-network-workload';
