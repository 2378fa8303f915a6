/**
 * What both entry points (cdk8s and Pulumi) export: the cluster and its releases, properties, tokens, reservations, Corefiles, reports, and
 * scheduling checks.
 */
export { EDGE_CODES, EdgeError, type EdgeCode, type EdgeProblem, type EdgeWarning } from './errors.js';
export { EdgeCluster } from './cluster/edge-cluster.js';
export type { EdgeClusterProps } from './cluster/edge-cluster-props.js';
export type { ApiServerEndpoint } from './cluster/api-server-endpoint.js';
export type {
  AdmissionPolicySupport,
  KubeadmConfigVersion,
  KubeadmPatchTarget,
  KubernetesVersion,
  TrafficDistribution,
} from './cluster/kubernetes-minors.js';
export type { NodePoolField, OpenYurtVersion } from './cluster/openyurt-releases.js';
export type {
  RegularNodePoolProps,
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  NodePoolProps,
  PoolScopeMetadata,
} from './pools/node-pool-props.js';
export type { NodePoolAttributes } from './pools/node-pool.js';
export type { HostNetworkLabel } from './kubernetes/labels.js';
export type { Taint, TaintEffect, Toleration } from './kubernetes/taint.js';
export type { ExcludedWorkloadProps } from './workloads/excluded-workload.js';
export type { ExclusionFilter } from './workloads/exclusion-filter.js';
export type { ExclusionReport } from './workloads/exclusion-report.js';
export type { KubernetesObject, ObjectMetadata } from './kubernetes/object.js';
export type { WorkloadInput } from './kubernetes/object-input.js';
export type { HostNetworkWorkloadSettings } from './workloads/host-network-workload.js';
export type { WorkloadChange } from './workloads/host-network-pods.js';
export type { HostNetworkDnsPolicy } from './workloads/pod-dns.js';
export type {
  ComponentSettings,
  EdgeSystemComponentsSettings,
} from './system-components/edge-system-components-props.js';
export { SystemComponent, type SystemComponentProps } from './system-components/system-component.js';
export type { ComponentData, ComponentOwner, ComponentWorkload } from './system-components/catalog.js';
export type { SystemComponentReport } from './system-components/component-report.js';
export type { DeliveryMethod } from './system-components/delivery.js';
export { ExclusionStrategy, type RevertingEvent } from './system-components/exclusion-strategy.js';
export type { NodeSelectorRequirement, NodeSelectorTerm } from './kubernetes/node-affinity.js';
export type { GuaranteeSettings, PoolAdmissionProps } from './admission/pool-admission-props.js';
export type { AdmissionReport } from './admission/admission-report.js';
export type { PoolGuarantee } from './admission/guarantee.js';
export type { ValidationAction } from './admission/policy.js';
export type { OpenYurtWebhooksProps } from './admission/openyurt-webhooks/openyurt-webhooks-props.js';
export type { FailurePolicy, OpenYurtWebhook, WebhookOperation } from './cluster/openyurt-webhook.js';
export type {
  PoolWebhookEntry,
  PoolWebhookProps,
  WebhookRule,
  WebhookRulePreset,
  WebhookService,
} from './admission/webhooks/pool-webhook-props.js';
export type { MatchCondition, WebhookSettings } from './admission/webhooks/webhook-settings.js';
export type { LabelSelector, LabelSelectorRequirement } from './kubernetes/label-selector.js';
export type { EdgeArtifact } from './text/artifact.js';
export type { PrintableReport } from './text/table.js';
export { type ExcludedPlacement, placeFleet, type PoolPlacement } from './placement/fleet.js';
export { footprint, type MeasuredUse, type PoolFootprint, type SavedWorkload } from './placement/footprint.js';
export type { PodRequests } from './placement/pod-requests.js';
export type { PlacementNode } from './placement/node.js';
export type { FieldChange } from './upgrades/field-changes.js';
export { FleetDifferences, fleetDiff, type ObjectChange } from './upgrades/fleet-diff.js';
export { type KubeadmPatch, NodeReservation } from './reservation/node-reservation.js';
export type { ReservationPreset, ReservationPresetOptions } from './reservation/presets.js';
export type {
  NodeAllocatableEnforcement,
  NodeCapacity,
  NodeReservationProps,
  ReservedResources,
} from './reservation/reservation-props.js';
export type { EvictionSignal, EvictionThresholds } from './reservation/eviction-signal.js';
export type { NodeSaving } from './reservation/savings.js';
export type { JoinFormat, JoinVia, JoinMachine, NodeJoinProps, NodeSettings } from './join/node-join-props.js';
export { JoinToken, type JoinTokenKind, type TokenSecret } from './join/join-token.js';
export type { JoinService } from './join/join-service.js';
export type { JoinTimeouts } from './join/kubeadm-join.js';
export type { KubeletArgument } from './join/kubelet-arguments.js';
export type { MachineSeed } from './join/machine-seed.js';
export { parseMachines } from './join/machines-file.js';
export type { NodeCommand, NodeFile } from './join/node-file.js';
export type { NodePackages } from './join/package-installation.js';
export type { RuntimePackage } from './join/runtime-package.js';
export type { MachineSettings } from './join/machine-settings.js';
export type { RegistryMirror } from './join/registry-mirrors.js';
export type { KubeadmSandboxImage } from './join/sandbox-image.js';
export type { NodeProxy } from './join/runtime-files.js';
export type { UserDataProvider } from './join/size-limits.js';
export type { YurtadmSettings } from './join/yurtadm-join.js';
export type { BootstrapTokenProps } from './join/bootstrap-token.js';
export type { ClusterApiVersion, KubeadmConfigTemplateProps } from './join/kubeadm-config-template.js';
export { Corefile, type CorefileServerBlock } from './preconditions/corefile/corefile.js';
export type { CorefileForwarder } from './preconditions/corefile/forwarders.js';
export type { CorefileHosts } from './preconditions/corefile/hosts.js';
export type { NodeLocalCache } from './preconditions/corefile/node-local-cache.js';
export type { EdgePreconditionsProps } from './preconditions/edge-preconditions.js';
export type { PreconditionName, PreconditionSettings } from './preconditions/kinds.js';
export type { CorefileSettings } from './preconditions/coredns-corefile.js';
export type { CoreDnsDaemonSetSettings } from './preconditions/coredns-daemon-set.js';
export type { CoreDnsServiceSettings } from './preconditions/coredns-service.js';
export type { KubeControllerManagerSettings } from './preconditions/kube-controller-manager.js';
export type { KubeProxySettings } from './preconditions/kube-proxy.js';
export type {
  Precondition,
  PreconditionAdvice,
  PreconditionComponent,
  PreconditionGuide,
  PreconditionEvent,
  PreconditionFile,
  PreconditionNeed,
  PreconditionStep,
} from './preconditions/precondition.js';
export type { ProxyNames } from './preconditions/proxy-names.js';
export type { ServingCertificateApproverSettings } from './join/serving-certificate-props.js';
