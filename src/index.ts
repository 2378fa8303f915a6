import './constructs/peers.js';

export * from './core.js';

export {
  HostNetworkNodePool,
  type IHostNetworkNodePool,
  type INodePool,
  NodePoolConstruct,
  RegularNodePool,
} from './constructs/node-pool.js';
export { ExcludedWorkload } from './constructs/excluded-workload.js';
export {
  ExcludedWorkloadMixin,
  type ExcludedWorkloadMixinProps,
  type MixinEntry,
  type MixinReport,
} from './constructs/excluded-workload-mixin.js';
export { HostNetworkWorkload, type HostNetworkWorkloadProps } from './constructs/host-network-workload.js';
export { EdgeSystemComponents, type EdgeSystemComponentsProps } from './constructs/edge-system-components.js';
export { PoolAdmission } from './constructs/pool-admission.js';
export { OpenYurtWebhooks } from './constructs/openyurt-webhooks.js';
export { PoolWebhook } from './constructs/pool-webhook.js';
export { EdgeWarnings, type WarningMode } from './constructs/warnings.js';
export { artifactsOf } from './constructs/artifact.js';
export { manifestsOf } from './constructs/manifests.js';
export { writeArtifacts } from './app/write-artifacts.js';
export { NodeJoin } from './constructs/node-join.js';
export { BootstrapToken } from './constructs/bootstrap-token.js';
export { KubeadmConfigTemplate } from './constructs/kubeadm-config-template.js';
export { EdgePreconditions } from './constructs/edge-preconditions.js';
export {
  ServingCertificateApprover,
  type ServingCertificateApproverProps,
} from './constructs/serving-certificate-approver.js';
