import './peers.js';

export { EdgeCluster } from '../manifests/edge-cluster.js';
export type { EdgeClusterProps } from '../manifests/edge-cluster-props.js';
export { EDGE_CODES, type EdgeCode, EdgeError, type EdgeProblem, type EdgeWarning } from '../errors.js';

export type { WithInputs } from './inputs.js';
export { EdgeComponent } from './component.js';
export { type INodePool, NodePoolComponent } from './node-pool.js';
export {
  HostNetworkNodePool,
  type HostNetworkNodePoolArgs,
  type IHostNetworkNodePool,
  type ImportedHostNetworkNodePoolArgs,
} from './host-network-node-pool.js';
export { EdgeNodePool, type EdgeNodePoolArgs } from './edge-node-pool.js';
export { ExcludedWorkload, type ExcludedWorkloadArgs } from './excluded-workload.js';
export { excludeFromHostNetworkPools } from './exclusion-transform.js';
export { HostNetworkWorkload, type HostNetworkWorkloadArgs } from './host-network-workload.js';
export { EdgeSystemComponents, type EdgeSystemComponentsArgs } from './edge-system-components.js';
export { PoolAdmission, type PoolAdmissionArgs } from './pool-admission.js';
export { OpenYurtWebhooks, type OpenYurtWebhooksArgs } from './openyurt-webhooks.js';
export { PoolWebhook, type PoolWebhookArgs } from './pool-webhook.js';

export { NodeJoin, type JoinTokenInput, type NodeJoinArgs } from './node-join.js';
export { BootstrapToken, type BootstrapTokenArgs } from './bootstrap-token.js';
export { KubeadmConfigTemplate, type KubeadmConfigTemplateArgs } from './kubeadm-config-template.js';
export { JoinToken } from '../manifests/join/join-token.js';
export { NodeReservation } from '../manifests/reservation/node-reservation.js';

export { SystemComponent, type SystemComponentProps } from '../manifests/system-component.js';
export { KeepOffStrategy } from '../manifests/keep-off-strategy.js';
