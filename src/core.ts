/**
 * What both entries export, whichever way a program makes its objects: the cluster and its releases, what a declaration is given, tokens,
 * reservations, Corefiles, reports, and where things run.
 */
export { EDGE_CODES, EdgeError, type EdgeCode, type EdgeProblem, type EdgeWarning } from './errors.js';
export { EdgeCluster } from './manifests/edge-cluster.js';
export type { EdgeClusterProps } from './manifests/edge-cluster-props.js';
export type { Endpoint } from './manifests/endpoint.js';
export type {
  AdmissionPolicySupport,
  KubeadmConfigVersion,
  KubeadmPatchTarget,
  KubernetesVersion,
  NodePoolField,
  NodePoolVersion,
  OpenYurtVersion,
  TrafficDistribution,
} from './manifests/releases.js';
export type {
  EdgeNodePoolProps,
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
} from './plans/pool-props.js';
export type { NodePoolProps, PoolScopeMetadata } from './manifests/node-pool-props.js';
export type { Taint, TaintEffect, Toleration } from './manifests/taint.js';
export type { ExcludedWorkloadProps } from './plans/excluded-workload.js';
export type { ExclusionFilter } from './plans/exclusion-filter.js';
export type { ExclusionReport } from './manifests/exclusion.js';
export type { KubernetesObject, ObjectMetadata } from './manifests/kubernetes-object.js';
export type { WorkloadInput } from './manifests/workload.js';
export type { HostNetworkWorkloadSettings } from './plans/host-network-workload.js';
export type { WorkloadChange } from './manifests/host-network-workload.js';
export type { HostNetworkDnsPolicy } from './manifests/pod-dns.js';
export type { EdgeSystemComponentsSettings } from './plans/system-components.js';
export { SystemComponent, type SystemComponentProps } from './manifests/system-component.js';
export type { ComponentData, ComponentOwner, ComponentWorkload } from './manifests/components/component.js';
export type { KeepOffReport } from './manifests/keep-off.js';
export type { ComponentSettings } from './manifests/keep-off-settings.js';
export type { KeepOffDelivery } from './manifests/keep-off-delivery.js';
export { type KeepOffEvent, KeepOffStrategy } from './manifests/keep-off-strategy.js';
export type { NodeSelectorRequirement, NodeSelectorTerm } from './manifests/node-affinity.js';
export type { GuaranteeSettings, PoolAdmissionProps } from './manifests/admission/pool-admission-props.js';
export type { AdmissionReport } from './manifests/admission/admission-report.js';
export type { PoolGuarantee } from './manifests/admission/guarantee.js';
export type { ValidationAction } from './manifests/admission/policy.js';
export type { OpenYurtWebhooksProps } from './manifests/openyurt-webhooks/props.js';
export type { FailurePolicy, OpenYurtWebhook, WebhookOperation } from './manifests/openyurt-webhooks/webhook.js';
export type {
  PoolWebhookEntry,
  PoolWebhookProps,
  WebhookRule,
  WebhookRulePreset,
  WebhookService,
} from './manifests/pool-webhook-props.js';
export type { MatchCondition, WebhookSettings } from './manifests/webhook-settings.js';
export type { LabelSelector, LabelSelectorRequirement } from './manifests/label-selector.js';
export type { EdgeArtifact } from './plans/artifact.js';
export { type KeptOff, placeFleet, type PoolPlacement } from './placement/fleet.js';
export {
  footprint,
  type MeasuredUse,
  type PodRequests,
  type PoolFootprint,
  type SavedWorkload,
} from './placement/footprint.js';
export type { PlacementNode } from './placement/node.js';
export { type KubeadmPatch, NodeReservation } from './manifests/reservation/node-reservation.js';
export type { ReservationPreset, ReservationPresetOptions } from './manifests/reservation/presets.js';
export type {
  NodeAllocatableEnforcement,
  NodeCapacity,
  NodeReservationProps,
  ReservedResources,
} from './manifests/reservation/reservation-props.js';
export type { EvictionSignal, EvictionThresholds } from './manifests/reservation/eviction-signal.js';
export type { NodeSaving } from './manifests/reservation/savings.js';
export type { NodeJoinSettings } from './plans/node-join.js';
export type { JoinVia, NodeJoinOptions, NodeOptions } from './manifests/join/join-props.js';
export { JoinToken, type JoinTokenKind, type TokenSecret } from './manifests/join/join-token.js';
export type { JoinTimeouts } from './manifests/join/kubeadm-join.js';
export type { KubeletArgument } from './manifests/join/kubelet-arguments.js';
export type { NodeCommand, NodeFile } from './manifests/join/node-file.js';
export type { NodePackages } from './manifests/join/package-installation.js';
export type { NodeProxy } from './manifests/join/runtime-files.js';
export type { UserDataProvider } from './manifests/join/size-limits.js';
export type { JoinFormat } from './manifests/join/snippet.js';
export type { YurtadmSettings } from './manifests/join/yurtadm-join.js';
export type { BootstrapTokenProps } from './manifests/join/bootstrap-token.js';
export type { KubeadmConfigTemplateSettings } from './plans/kubeadm-config-template.js';
export type { ClusterApiVersion } from './manifests/join/kubeadm-config-template.js';
export { Corefile, type CorefileServerBlock } from './manifests/corefile/corefile.js';
export type { CorefileForwarder } from './manifests/corefile/forwarders.js';
export type { CorefileHosts } from './manifests/corefile/hosts.js';
export type { NodeLocalCache } from './manifests/corefile/node-local-cache.js';
export type { EdgePreconditionsProps, PreconditionProps } from './plans/preconditions.js';
export type { CorefileSettings } from './manifests/preconditions/corefile.js';
export type { CoreDnsDaemonSetSettings } from './manifests/preconditions/coredns-daemon-set.js';
export type { CoreDnsServiceSettings } from './manifests/preconditions/coredns-service.js';
export type { KubeControllerManagerSettings } from './manifests/preconditions/kube-controller-manager.js';
export type { KubeProxySettings } from './manifests/preconditions/kube-proxy.js';
export type {
  Precondition,
  PreconditionAdvice,
  PreconditionComponent,
  PreconditionEra,
  PreconditionEvent,
  PreconditionFile,
  PreconditionNeed,
  PreconditionStep,
} from './manifests/preconditions/precondition.js';
export type { ProxyNames } from './manifests/preconditions/proxy-names.js';
