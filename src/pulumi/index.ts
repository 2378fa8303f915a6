// The entry point `edge-nodepools/pulumi`.
import './peers.js';

export * from '../base/index.js';
export * from '../kubernetes/index.js';
export * from '../cluster/index.js';
export * from '../pools/index.js';
export * from '../workloads/index.js';
export * from '../admission/index.js';
export * from '../system-components/index.js';
export * from '../preconditions/index.js';
export * from '../join/index.js';
export * from '../fleet/index.js';

export { type BootstrapTokenArgs, BootstrapToken } from './bootstrap-token.js';
export { EdgeComponent } from './component.js';
export { type EdgeClusterArgs, EdgeCluster } from './edge-cluster.js';
export { type EdgePreconditionsArgs, EdgePreconditions } from './edge-preconditions.js';
export { type EdgeSystemComponentsArgs, EdgeSystemComponents } from './edge-system-components.js';
export { type ExcludedWorkloadArgs, ExcludedWorkload } from './excluded-workload.js';
export { excludeFromHostNetworkPools } from './exclusion-transform.js';
export {
  type IHostNetworkNodePool,
  type HostNetworkNodePoolArgs,
  type ImportedHostNetworkNodePoolArgs,
  HostNetworkNodePool,
} from './host-network-node-pool.js';
export { type HostNetworkWorkloadArgs, HostNetworkWorkload } from './host-network-workload.js';
export type { InputOf, WithInputs, AsOutputs, WorkloadArgument, WorkloadResource } from './inputs.js';
export type { JoinTokenInput } from './join-token-input.js';
export { type KubeadmConfigTemplateArgs, KubeadmConfigTemplate } from './kubeadm-config-template.js';
export { type NodeAccessArgs, NodeAccess } from './node-access.js';
export { type NodeJoinArgs, NodeJoin } from './node-join.js';
export { type INodePool, NodePoolComponent } from './node-pool.js';
export { type OpenYurtWebhooksArgs, OpenYurtWebhooks } from './openyurt-webhooks.js';
export { type PoolAdmissionArgs, PoolAdmission } from './pool-admission.js';
export { type PoolWebhookArgs, PoolWebhook } from './pool-webhook.js';
export { type RegularNodePoolArgs, RegularNodePool } from './regular-node-pool.js';
export { type ServingCertificateApproverArgs, ServingCertificateApprover } from './serving-certificate-approver.js';
export { EdgeWarnings } from './warnings.js';
export { type YurtAppSetArgs, YurtAppSet } from './yurt-app-set.js';
export { type YurtStaticSetArgs, YurtStaticSet } from './yurt-static-set.js';
