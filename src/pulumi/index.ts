import './peers.js';

export * from '../core.js';

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
export { PreconditionResource } from './precondition-resource.js';
export { EdgePreconditions, type EdgePreconditionsArgs } from './edge-preconditions.js';
export { CoreDnsDaemonSet, type CoreDnsDaemonSetArgs } from './coredns-daemon-set.js';
export { CoreDnsCorefile, type CoreDnsCorefileArgs } from './coredns-corefile.js';
export { CoreDnsServiceTopology, type CoreDnsServiceTopologyArgs } from './coredns-service-topology.js';
export {
  KubeControllerManagerControllers,
  type KubeControllerManagerControllersArgs,
} from './kube-controller-manager-controllers.js';
export { KubeProxyConfiguration, type KubeProxyConfigurationArgs } from './kube-proxy-configuration.js';
