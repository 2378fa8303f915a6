import type { EdgeCluster } from '../cluster/edge-cluster.js';

/**
 * What {@link PoolAdmission} can guarantee, by name.
 *
 * - `immutablePools`: `type`, `hostNetwork` and (where the release has it) `interConnectivity` of a NodePool never change, and a Cloud pool never
 *   has `hostNetwork`. Only with OpenYurt.
 * - `frozenNodeLabels`: the host-network label of a node never changes once it is set (a value other than `"true"` may become `"true"`), nor does
 *   its membership, as far as the release forbids it, and never by a write of the node's status.
 * - `nodeLabel`: a node that names a host-network pool gets the host-network label at the same write.
 * - `annotatedPods`: a Pod with the exclude annotation gets the affinity that excludes host-network nodes.
 * - `annotatedTemplates`: so does a workload whose Pod template has the annotation. DaemonSets need it: their controller reads the template only.
 * - `presetNodeName`: a Pod that names its node and is not hostNetwork gets the affinity too, so that the kubelet of a host-network node refuses it.
 * - `strict` (off by default): every Pod that is not hostNetwork gets the affinity, annotated or not, and so does the template of every such DaemonSet.
 * - `hostNetworkToleration` (off by default): every hostNetwork Pod and DaemonSet tolerates the taint `nodepool.openyurt.io/hostnetwork`; nothing
 *   else does by itself.
 * - `refusePresetNodeName` (off by default): a Pod that names a host-network node and is not hostNetwork is refused when it is created. Its cost
 *   grows with the number of host-network nodes, on every Pod that is created: for small clusters.
 * - `namespaceGate` (off by default): only Pods of namespaces with a label are bound to host-network nodes, or may name one. Its cost grows with
 *   the number of host-network nodes, on every Pod that is created and on every one that is scheduled: for small clusters.
 *
 * @category Admit Pods and Nodes
 */
export type PoolGuarantee =
  | 'immutablePools'
  | 'frozenNodeLabels'
  | 'nodeLabel'
  | 'annotatedPods'
  | 'annotatedTemplates'
  | 'presetNodeName'
  | 'strict'
  | 'hostNetworkToleration'
  | 'refusePresetNodeName'
  | 'namespaceGate';

/** What kind of policy gives a guarantee, and what OpenYurt itself has for it. */
export interface GuaranteeFacts {
  readonly byDefault: boolean;
  readonly policy: 'validating' | 'mutating';
  /** Whether the cost of a request grows with the number of host-network nodes. */
  readonly growsWithNodes?: boolean;
  /** OpenYurt's webhook for the same thing, and what becomes of it while yurt-manager is down (its failurePolicy); undefined where it has none. */
  readonly webhook: (cluster: EdgeCluster) => 'not held' | 'writes refused' | undefined;
  /** What to do where nothing gives the guarantee. */
  readonly instead: string;
}

const noWebhook = (): undefined => undefined;
const nodeWebhook = (cluster: EdgeCluster): 'not held' | undefined => (cluster.hasOpenYurt() ? 'not held' : undefined);

/** In the order of reports. Webhooks and their failurePolicy: OpenYurt charts/yurt-manager/templates/yurt-manager-auto-generated.yaml, v1.4 to v1.7. */
export const GUARANTEES: Readonly<Record<PoolGuarantee, GuaranteeFacts>> = {
  immutablePools: {
    byDefault: true,
    policy: 'validating',
    webhook: (cluster) => (cluster.hasOpenYurt() ? 'writes refused' : undefined),
    instead: 'review changes of NodePools by hand',
  },
  frozenNodeLabels: {
    byDefault: true,
    policy: 'validating',
    webhook: nodeWebhook,
    instead: 'let nobody but administrators change labels of nodes',
  },
  nodeLabel: {
    byDefault: true,
    policy: 'mutating',
    webhook: nodeWebhook,
    instead: 'let every node bring the label when it joins (joinLabels of the pool)',
  },
  annotatedPods: {
    byDefault: true,
    policy: 'mutating',
    webhook: (cluster) => (cluster.hasPodWebhook() ? 'not held' : undefined),
    instead: 'use ExcludedWorkload, which writes the affinity into the workload',
  },
  annotatedTemplates: {
    byDefault: true,
    policy: 'mutating',
    webhook: noWebhook,
    instead: 'use ExcludedWorkload, which writes the affinity into the workload',
  },
  presetNodeName: {
    byDefault: true,
    policy: 'mutating',
    webhook: noWebhook,
    instead: 'refusePresetNodeName works from Kubernetes 1.30 on, for small clusters',
  },
  strict: {
    byDefault: false,
    policy: 'mutating',
    webhook: noWebhook,
    instead: 'use ExcludedWorkload or chart.with(ExcludedWorkload.mixin({ … }))',
  },
  hostNetworkToleration: {
    byDefault: false,
    policy: 'mutating',
    webhook: noWebhook,
    instead: 'use HostNetworkWorkload, which writes the tolerations of its pools',
  },
  refusePresetNodeName: {
    byDefault: false,
    policy: 'validating',
    growsWithNodes: true,
    webhook: noWebhook,
    instead: 'leave it out',
  },
  namespaceGate: {
    byDefault: false,
    policy: 'validating',
    growsWithNodes: true,
    webhook: noWebhook,
    instead: 'leave it out',
  },
};

/** Whether a guarantee means anything in a cluster. */
export function concerns(guarantee: PoolGuarantee, cluster: EdgeCluster): boolean {
  return guarantee !== 'immutablePools' || cluster.hasOpenYurt();
}
