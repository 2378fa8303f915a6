// What both entry points (cdk8s and Pulumi) export. Made by `npm run exports` of the declarations that have an @category.
export { EDGE_CODES, type EdgeCode } from './base/error-codes.js';
export { type EdgeProblem, type EdgeWarning, EdgeError } from './base/errors.js';
export type { EdgeArtifact } from './base/artifact.js';
export type { PrintableReport } from './base/table.js';
export type { Autonomy } from './kubernetes/autonomy.js';
export type { LabelSelector, LabelSelectorRequirement } from './kubernetes/label-selector.js';
export type { HostNetworkLabel } from './kubernetes/labels.js';
export type { NodeSelectorRequirement, NodeSelectorTerm } from './kubernetes/node-affinity.js';
export type { KubernetesObject, ObjectMetadata } from './kubernetes/object.js';
export type { WorkloadInput } from './kubernetes/object-input.js';
export type { Taint, Toleration } from './kubernetes/taint.js';
export { EdgeCluster } from './cluster/edge-cluster.js';
export type { EdgeClusterProps } from './cluster/edge-cluster-props.js';
export type { KubernetesVersion } from './cluster/kubernetes-minors.js';
export type { OpenYurtVersion, NodePoolField } from './cluster/openyurt-releases.js';
export type { OpenYurtWebhook, WebhookOperation, FailurePolicy } from './cluster/openyurt-webhook.js';
export type { EvictionThresholds } from './pools/eviction-signal.js';
export { NodeReservation } from './pools/node-reservation.js';
export type { ReservationPreset, ReservationPresetOptions } from './pools/reservation-presets.js';
export type { ReservedResources, NodeCapacity, NodeReservationProps } from './pools/reservation-props.js';
export type { NodePoolAttributes } from './pools/node-pool.js';
export type {
  PoolScopeMetadata,
  NodePoolProps,
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  RegularNodePoolProps,
} from './pools/node-pool-props.js';
export type { ExcludedWorkloadProps } from './workloads/excluded-workload.js';
export type { ExclusionReport } from './workloads/exclusion.js';
export type { ExclusionFilter } from './workloads/exclusion-filter.js';
export type { WorkloadChange } from './workloads/host-network-pods.js';
export type { HostNetworkPodsProps, HostNetworkWorkloadProps } from './workloads/host-network-workload.js';
export type { Rollout, NodesAway } from './workloads/rollout.js';
export type { WorkloadTweak, YurtAppSetProps } from './workloads/yurt-app-set.js';
export type { YurtStaticSetProps } from './workloads/yurt-static-set.js';
export type { AdmissionReport } from './admission/admission-report.js';
export type { PoolGuarantee } from './admission/guarantee.js';
export type { OpenYurtWebhooksProps } from './admission/openyurt-webhooks-props.js';
export type { ValidationAction } from './admission/policy.js';
export type { GuaranteeSettings, PoolAdmissionProps } from './admission/pool-admission-props.js';
export type {
  WebhookRule,
  WebhookService,
  PoolWebhookEntry,
  PoolWebhookProps,
} from './admission/pool-webhook-props.js';
export type { MatchCondition, WebhookSettings } from './admission/webhook-settings.js';
export type { SystemComponentReport } from './system-components/component-report.js';
export type { ComponentSettings, EdgeSystemComponentsProps } from './system-components/edge-system-components-props.js';
export { ExclusionStrategy } from './system-components/exclusion-strategy.js';
export { type SystemComponentProps, SystemComponent } from './system-components/system-component.js';
export type { CorefileSettings } from './preconditions/coredns-corefile.js';
export type { CoreDnsDaemonSetSettings } from './preconditions/coredns-daemon-set.js';
export type { CoreDnsServiceSettings } from './preconditions/coredns-service.js';
export { type CorefileServerBlock, Corefile } from './preconditions/corefile.js';
export type { CorefileForwarder } from './preconditions/forwarders.js';
export type { CorefileHosts } from './preconditions/hosts.js';
export type { NodeLocalCache } from './preconditions/node-local-cache.js';
export type { EdgePreconditionsProps } from './preconditions/edge-preconditions-props.js';
export type { KubeControllerManagerSettings } from './preconditions/kube-controller-manager.js';
export type { KubeProxySettings } from './preconditions/kube-proxy.js';
export type { PreconditionFile, PreconditionStep, Precondition } from './preconditions/precondition.js';
export type { ProxyNames } from './preconditions/proxy-names.js';
export type { BootstrapTokenProps } from './join/bootstrap-token.js';
export type { JoinService } from './join/join-service.js';
export { type TokenSecret, JoinToken } from './join/join-token.js';
export type { KubeadmConfigTemplateProps } from './join/kubeadm-config-template.js';
export type { JoinTimeouts } from './join/kubeadm-join.js';
export type { KubeletArgument } from './join/kubelet-arguments.js';
export type { MachineSeed } from './join/machine-seed.js';
export type { MachineSettings } from './join/machine-settings.js';
export { parseMachines } from './join/machines-file.js';
export type { NodeFile } from './join/node-file.js';
export type { NodeSettings, JoinMachine, NodeJoinProps } from './join/node-join-props.js';
export type { NodePackages } from './join/package-installation.js';
export type { RegistryMirror } from './join/registry-mirrors.js';
export type { NodeProxy } from './join/runtime-files.js';
export type { RuntimePackage } from './join/runtime-package.js';
export type { KubeadmSandboxImage } from './join/sandbox-image.js';
export type { ServingCertificateApproverProps } from './join/serving-certificate-props.js';
export type { UserDataProvider } from './join/size-limits.js';
export type { YurtadmSettings } from './join/yurtadm-join.js';
export { type PoolPlacement, type ExcludedPlacement, type OtherPlacement, placeFleet } from './fleet/fleet.js';
export { type MeasuredUse, type SavedWorkload, type PoolFootprint, footprint } from './fleet/footprint.js';
export type { PlacementNode, FleetLabels } from './fleet/node.js';
export type { PodRequests } from './fleet/pod-requests.js';
export type { PlacementOutcome } from './fleet/verdict.js';
