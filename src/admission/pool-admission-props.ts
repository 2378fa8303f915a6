import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import type { PoolGuarantee } from './guarantee.js';
import type { ValidationAction } from './policy.js';

/**
 * How one guarantee is given.
 *
 * @category Admit Pods and Nodes
 */
export interface GuaranteeSettings {
  /** What a failing policy does to the request. The expressions fail on no object that the API server accepts, except where one is so large that it
   * passes the API server's cost limit for CEL (a Pod with many thousand node selector terms); what can fail besides is the reading of
   * their parameters.
   * @default Fail; Ignore for `nodeLabel` with `pools: 'live'`, because a missing NodePool kind would otherwise refuse every write of every node */
  readonly failurePolicy?: FailurePolicy;
  /** What happens to what is refused; only for guarantees that refuse.
   * @default - validationActions of the construct */
  readonly validationActions?: ValidationAction[];
}

/**
 * Properties of {@link PoolAdmission}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionProps {
  /** The cluster whose API server is to hold the guarantees. */
  readonly cluster: EdgeCluster;
  /** Guarantees by name: `true` or settings to have one, `false` to do without. One that is asked for and cannot be given is an error.
   * @default - `immutablePools`, `frozenNodeLabels`, `nodeLabel`, `annotatedPods`, `annotatedTemplates` and `presetNodeName` */
  readonly guarantees?: Partial<Record<PoolGuarantee, boolean | GuaranteeSettings>>;
  /** How `nodeLabel` knows the host-network pools. `live`: every NodePool object, also those made elsewhere; a write of a Node costs more with
   * every pool. `listed`: one ConfigMap with the pools of this construct tree and `otherPools`, at constant cost; the only way without OpenYurt.
   * @default - live with OpenYurt, listed without */
  readonly pools?: 'live' | 'listed';
  /** Host-network pools that are made elsewhere, for `pools: 'listed'`.
   * @default - none */
  readonly otherPools?: string[];
  /** Namespace of the ConfigMap of `pools: 'listed'`.
   * @default kube-system */
  readonly namespace?: string;
  /** Workloads whose Pod templates `annotatedTemplates` and `strict` look at. DaemonSets need it (without them the synth warns); the others only to see the affinity in the object,
   * because their Pods get it anyway. An object that exists rolls out again at its next write.
   * @default - daemonsets */
  readonly templates?: ('daemonsets' | 'deployments' | 'statefulsets')[];
  /** Groups of users for whom no policy applies, to get out of a trap. Groups of everybody (`system:authenticated`, `system:nodes` …) are refused.
   * @default - none */
  readonly breakGlassGroups?: string[];
  /** Namespaces in which no Pod and no workload is touched. They are known by the label `kubernetes.io/metadata.name`.
   * @default - none */
  readonly excludedNamespaces?: string[];
  /** Label of the namespaces that `namespaceGate` lets through, with the value `"true"`.
   * @default nodepool.openyurt.io/hostnetwork-pods */
  readonly namespaceGateLabel?: string;
  /** What validating policies do with what they refuse. `Deny` and `Warn` exclude each other; without `Deny` they only report.
   * @default - Deny and Audit */
  readonly validationActions?: ValidationAction[];
  /** Use MutatingAdmissionPolicy where it is not on by default (Kubernetes 1.34 and 1.35). The API server needs the flags that the report names.
   * @default - only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Beginning of the names of all objects, so that two installations can live in one cluster.
   * @default edge-nodepools */
  readonly namePrefix?: string;
  /** Further labels and annotations of all objects, for example of your deployment tool.
   * @default - none */
  readonly metadata?: ObjectMetadata;
}

/** Label of namespaces that the gate lets through. */
export const NAMESPACE_GATE_LABEL = 'nodepool.openyurt.io/hostnetwork-pods';

/** Beginning of the names of all objects. */
export const NAME_PREFIX = 'edge-nodepools';

/** How `nodeLabel` knows the pools. */
export function poolsOf({ pools, cluster }: Pick<PoolAdmissionProps, 'pools' | 'cluster'>): 'live' | 'listed' {
  return pools ?? (cluster.hasOpenYurt() ? 'live' : 'listed');
}
