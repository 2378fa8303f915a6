import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';

/**
 * What {@link PoolAdmission} can guarantee, by name. The affinity is the required node affinity that excludes host-network nodes.
 *
 * - `immutablePools`: `type`, `hostNetwork` and (where the release has it) `interConnectivity` of a NodePool never change, and a Cloud pool never   has
 * `hostNetwork`. Only with OpenYurt.
 * - `frozenNodeLabels`: the host-network label of a Node does not change once it is set; only a value other than `"true"` may become `"true"`. The label   with
 * the pool of the Node does not change as far as the release forbids it. A write of the Node's status changes neither.
 * - `nodeLabel`: a Node that names a host-network pool gets the host-network label in the same write.
 * - `annotatedPods`: a Pod with the exclude annotation gets the affinity. A Pod to which another webhook or policy adds the annotation too late for that is
 * refused; so it is for `presetNodeName` and `strict`.
 * - `annotatedTemplates`: a workload whose Pod template has the exclude annotation gets the affinity in the template. DaemonSets need it, because their
 * controller reads only the template.
 * - `presetNodeName`: a Pod with `nodeName` and without `hostNetwork` gets the affinity, and its `nodeName` becomes an affinity for that node, so that the
 * scheduler judges it: a host-network node never gets it, any other node does, whatever NoSchedule taints it has.
 * - `strict` (off by default): every Pod without `hostNetwork` gets the affinity, with or without the annotation, and so does the template of every such
 * workload of the kinds in `templates`.
 * - `hostNetworkToleration` (off by default): every hostNetwork Pod and DaemonSet gets a toleration of the taint `nodepool.openyurt.io/hostnetwork`.   Without
 * it only Pods that declare the toleration have it.
 * - `refusePresetNodeName` (off by default): a Pod without `hostNetwork` whose `nodeName` is a host-network node is refused at creation. Its cost grows   with
 * the number of host-network nodes, on every Pod that is created: for small clusters.
 * - `namespaceGate` (off by default): only Pods of namespaces with a label run on host-network nodes, and hostNetwork Pods of kube-system (the cluster's own
 * agents). All other Pods and DaemonSets get the affinity when they are written, and bindings to host-network nodes are refused. Without mutating policies,
 * only bindings and `nodeName` are refused, also for kube-system, and there is a warning.
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

/** Which kind of policy enforces a guarantee, and which webhook OpenYurt has for it. */
export interface GuaranteeFacts {
  readonly byDefault: boolean;
  readonly policy: 'validating' | 'mutating';
  /** Which requests cost more with each host-network node; `mutates` is whether the cluster has mutating policies.
   * @default - none */
  readonly growsWithNodes?: (mutates: boolean) => string;
  /** OpenYurt's webhook for the guarantee, in releases that have it.
   * @default - none */
  readonly webhook?: Pick<OpenYurtWebhook, 'type' | 'resource'>;
  /** What to do in a cluster where nothing enforces the guarantee. */
  readonly instead: string;
}

/** In the order of reports. */
export const GUARANTEES: Readonly<Record<PoolGuarantee, GuaranteeFacts>> = {
  immutablePools: {
    byDefault: true,
    policy: 'validating',
    webhook: { type: 'validating', resource: 'nodepools' },
    instead: 'review changes of NodePools by hand',
  },
  frozenNodeLabels: {
    byDefault: true,
    policy: 'validating',
    webhook: { type: 'validating', resource: 'nodes' },
    instead: 'allow only administrators to change labels of Nodes (RBAC)',
  },
  nodeLabel: {
    byDefault: true,
    policy: 'mutating',
    webhook: { type: 'mutating', resource: 'nodes' },
    instead: 'join every node with the label (joinLabels of the pool)',
  },
  annotatedPods: {
    byDefault: true,
    policy: 'mutating',
    webhook: { type: 'mutating', resource: 'pods' },
    instead: 'use ExcludedWorkload, which writes the affinity into the workload',
  },
  annotatedTemplates: {
    byDefault: true,
    policy: 'mutating',
    instead: 'use ExcludedWorkload, which writes the affinity into the workload',
  },
  presetNodeName: {
    byDefault: true,
    policy: 'mutating',
    instead: 'refusePresetNodeName works from Kubernetes 1.30 on, for small clusters',
  },
  strict: {
    byDefault: false,
    policy: 'mutating',
    instead: 'use ExcludedWorkload',
  },
  hostNetworkToleration: {
    byDefault: false,
    policy: 'mutating',
    instead: 'use HostNetworkWorkload, which writes the tolerations of its pools',
  },
  refusePresetNodeName: {
    byDefault: false,
    policy: 'validating',
    growsWithNodes: () => 'the creation of a Pod',
    instead: 'leave it out',
  },
  namespaceGate: {
    byDefault: false,
    policy: 'validating',
    growsWithNodes: (mutates) => (mutates ? 'a binding' : 'the creation of a Pod and of a binding'),
    instead: 'leave it out',
  },
};

/** Whether a guarantee applies to a cluster: NodePools exist only with OpenYurt. */
export function concerns(guarantee: PoolGuarantee, cluster: EdgeCluster): boolean {
  return guarantee !== 'immutablePools' || cluster.hasOpenYurt();
}
