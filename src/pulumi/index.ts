import './peers.js';

export * from '../core.js';

export { EdgeCluster, type EdgeClusterArgs } from './edge-cluster.js';
export type { AsOutputs, WithInputs, WorkloadArgument, WorkloadResource } from './inputs.js';
export { EdgeComponent } from './component.js';
export { EdgeWarnings } from './warnings.js';
export {
  HostNetworkNodePool,
  type HostNetworkNodePoolArgs,
  type IHostNetworkNodePool,
  type ImportedHostNetworkNodePoolArgs,
  type INodePool,
  NodePoolComponent,
  RegularNodePool,
  type RegularNodePoolArgs,
} from './node-pool.js';
export { ExcludedWorkload, type ExcludedWorkloadArgs } from './excluded-workload.js';
export { excludeFromHostNetworkPools } from './exclusion-transform.js';
export { HostNetworkWorkload, type HostNetworkWorkloadArgs } from './host-network-workload.js';
export { EdgeSystemComponents, type EdgeSystemComponentsArgs } from './edge-system-components.js';
export { PoolAdmission, type PoolAdmissionArgs } from './pool-admission.js';
export { OpenYurtWebhooks, type OpenYurtWebhooksArgs } from './openyurt-webhooks.js';
export { PoolWebhook, type PoolWebhookArgs } from './pool-webhook.js';
export type { JoinTokenInput } from './join-token-input.js';
export { NodeJoin, type NodeJoinArgs } from './node-join.js';
export { BootstrapToken, type BootstrapTokenArgs } from './bootstrap-token.js';
export { KubeadmConfigTemplate, type KubeadmConfigTemplateArgs } from './kubeadm-config-template.js';
export { EdgePreconditions, type EdgePreconditionsArgs } from './edge-preconditions.js';
export { ServingCertificateApprover, type ServingCertificateApproverArgs } from './serving-certificate-approver.js';
