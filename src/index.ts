export { EDGE_CODES, EdgeError, type EdgeCode, type EdgeProblem, type EdgeWarning } from './errors.js';

export { EdgeCluster } from './manifests/edge-cluster.js';
export type { EdgeClusterProps } from './manifests/edge-cluster-props.js';
export type { Endpoint } from './manifests/endpoint.js';
export type {
  AdmissionPolicySupport,
  KubeadmPatchTarget,
  KubernetesVersion,
  NodePoolField,
  NodePoolVersion,
  OpenYurtVersion,
} from './manifests/releases.js';

export { type INodePool, NodePoolConstruct } from './constructs/node-pool.js';
export {
  HostNetworkNodePool,
  type HostNetworkNodePoolProps,
  type IHostNetworkNodePool,
  type ImportedHostNetworkNodePoolProps,
} from './constructs/host-network-node-pool.js';
export { EdgeNodePool, type EdgeNodePoolProps } from './constructs/edge-node-pool.js';
export type { NodePoolProps, PoolScopeMetadata } from './manifests/node-pool-props.js';
export type { Taint, TaintEffect, Toleration } from './manifests/taint.js';

export { ExcludedWorkload, type ExcludedWorkloadProps } from './constructs/excluded-workload.js';
export {
  ExcludedWorkloadMixin,
  type ExcludedWorkloadMixinProps,
  type MixinEntry,
  type MixinReport,
} from './constructs/excluded-workload-mixin.js';
export type { ExclusionReport } from './manifests/exclusion.js';
export type { KubernetesObject, ObjectMetadata } from './manifests/kubernetes-object.js';
export type { WorkloadInput } from './manifests/workload.js';

export { HostNetworkWorkload, type HostNetworkWorkloadProps } from './constructs/host-network-workload.js';
export type { WorkloadChange } from './manifests/host-network-workload.js';
export type { HostNetworkDnsPolicy } from './manifests/pod-dns.js';

export { EdgeSystemComponents, type EdgeSystemComponentsProps } from './constructs/edge-system-components.js';
export { SystemComponent, type SystemComponentProps } from './manifests/system-component.js';
export type { ComponentData, ComponentOwner, ComponentWorkload } from './manifests/components/component.js';
export type { KeepOffReport } from './manifests/keep-off.js';
export type { ComponentSettings } from './manifests/keep-off-settings.js';
export { type KeepOffEvent, KeepOffStrategy } from './manifests/keep-off-strategy.js';
export type { NodeSelectorRequirement, NodeSelectorTerm } from './manifests/node-affinity.js';

export { EdgeWarnings, type WarningMode } from './constructs/warnings.js';
export { artifactsOf, type EdgeArtifact } from './constructs/artifact.js';
export { writeArtifacts } from './app/write-artifacts.js';
export { type KeptOff, placeFleet, type PoolPlacement } from './placement/fleet.js';
export type { PlacementNode } from './placement/node.js';

export { Corefile, type CorefileServerBlock } from './manifests/corefile/corefile.js';
export type { CorefileForwarder } from './manifests/corefile/forwarders.js';
export type { CorefileHosts } from './manifests/corefile/hosts.js';
export type { NodeLocalCache } from './manifests/corefile/node-local-cache.js';
