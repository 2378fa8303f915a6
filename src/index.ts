// The entry point `edge-nodepools`.
import './constructs/peers.js';

export * from './base/index.js';
export * from './kubernetes/index.js';
export * from './cluster/index.js';
export * from './pools/index.js';
export * from './workloads/index.js';
export * from './admission/index.js';
export * from './system-components/index.js';
export * from './preconditions/index.js';
export * from './join/index.js';
export * from './fleet/index.js';

export { type EdgeAppProps, EdgeApp } from './constructs/edge-app.js';
export { writeArtifacts } from './constructs/write-artifacts.js';
export { artifactsOf } from './constructs/artifact.js';
export { BootstrapToken } from './constructs/bootstrap-token.js';
export { EdgePreconditions } from './constructs/edge-preconditions.js';
export { EdgeSystemComponents } from './constructs/edge-system-components.js';
export { ExcludedWorkload } from './constructs/excluded-workload.js';
export {
  type ExcludedWorkloadMixinProps,
  type MixinEntry,
  type MixinReport,
  ExcludedWorkloadMixin,
} from './constructs/excluded-workload-mixin.js';
export { type IHostNetworkNodePool, HostNetworkNodePool } from './constructs/host-network-node-pool.js';
export { HostNetworkWorkload } from './constructs/host-network-workload.js';
export { KubeadmConfigTemplate } from './constructs/kubeadm-config-template.js';
export { manifestsOf } from './constructs/manifests.js';
export { NodeAccess } from './constructs/node-access.js';
export { NodeJoin } from './constructs/node-join.js';
export { type INodePool, NodePoolConstruct } from './constructs/node-pool.js';
export { OpenYurtWebhooks } from './constructs/openyurt-webhooks.js';
export { PoolAdmission } from './constructs/pool-admission.js';
export { PoolWebhook } from './constructs/pool-webhook.js';
export { RegularNodePool } from './constructs/regular-node-pool.js';
export { ServingCertificateApprover } from './constructs/serving-certificate-approver.js';
export { EdgeWarnings } from './constructs/warnings.js';
export { YurtAppSet } from './constructs/yurt-app-set.js';
export { YurtStaticSet } from './constructs/yurt-static-set.js';
