import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import type { PoolGuarantee } from './guarantee.js';
import type { ValidationAction } from './policy.js';

/**
 * Settings of one guarantee.
 *
 * @category Admit Pods and Nodes
 */
export interface GuaranteeSettings {
  /** Whether a request is refused (`Fail`) or admitted (`Ignore`) when the API server cannot evaluate the policy. That happens for very large objects (many
   * thousand node selector terms), and if its parameters cannot be read.
   * @default Fail; Ignore for `nodeLabel` with `pools: 'live'`, because Fail refuses every write of a Node until the API server has discovered the NodePool
   * kind */
  readonly failurePolicy?: FailurePolicy;
  /** What the policy does with a request that violates the guarantee. Only for guarantees that refuse requests.
   * @default - validationActions of the construct */
  readonly validationActions?: ValidationAction[];
}

/**
 * Properties of {@link PoolAdmission}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionProps {
  /** The cluster whose API server enforces the guarantees. */
  readonly cluster: EdgeCluster;
  /** Guarantees by name: `true` or settings turn one on, `false` turns it off. One that is turned on and that nothing in the cluster can enforce is an
   * error (EDGE_NOT_GUARANTEED); a default that nothing can enforce is a warning.
   * @default - `immutablePools`, `frozenNodeLabels`, `nodeLabel`, `annotatedPods`, `annotatedTemplates` and `presetNodeName` */
  readonly guarantees?: Partial<Record<PoolGuarantee, boolean | GuaranteeSettings>>;
  /** How `nodeLabel` finds the host-network pools. `listed`: the policy contains the names of the pools that the program declares, and `otherPools`. It holds
   * from the first request on. `live`: it reads every NodePool object, also those created elsewhere. It has no effect for up to half a minute after each start
   * of an API server, and each pool adds to the cost of a write of a Node (docs/admission-traps.md).
   * @default listed */
  readonly pools?: 'live' | 'listed';
  /** Names of host-network pools that are created elsewhere, for `pools: 'listed'`.
   * @default - none */
  readonly otherPools?: string[];
  /** Kinds of workloads whose Pod templates `annotatedTemplates`, `strict` and `namespaceGate` change. DaemonSets need it, because their controller reads only
   * the template; Pods of the other kinds get the affinity anyway. An existing workload whose template changes is rolled out at its next write.
   * @default - daemonsets */
  readonly templates?: ('daemonsets' | 'deployments' | 'statefulsets')[];
  /** Groups of users to whom no policy applies, for emergencies; except policies for Pod templates, whose Pods a controller creates, and for Pods that are
   * applied again. Groups of all users or all programs of a kind (`system:authenticated`, `system:nodes`, …), of the controllers that create Pods
   * (`system:serviceaccounts:kube-system`, …) and `system:masters` are refused.
   * @default - none */
  readonly breakGlassGroups?: string[];
  /** Namespaces whose Pods and workloads no policy changes or refuses, matched by the label `kubernetes.io/metadata.name`.
   * @default - none */
  readonly excludedNamespaces?: string[];
  /** Label of the namespaces whose Pods `namespaceGate` admits to host-network nodes. Its value must be `"true"`. A change affects only Pods that are
   * created later.
   * @default nodepool.openyurt.io/hostnetwork-pods */
  readonly namespaceGateLabel?: string;
  /** What validating policies do with a request that violates a guarantee. `Deny` and `Warn` exclude each other; without `Deny` they only report.
   * @default - Deny and Audit */
  readonly validationActions?: ValidationAction[];
  /** Whether a second policy refuses Pods to which somebody else's policy or webhook adds the annotation or `nodeName` after the first has judged them, and Pods
   * from which it removes the affinity. Without it such a Pod is admitted.
   * @default true */
  readonly checkPods?: boolean;
  /** Uses MutatingAdmissionPolicy v1beta1 where it is off by default (Kubernetes 1.34 and 1.35). The API server needs the flags that the report names.
   * @default - MutatingAdmissionPolicy only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Prefix of the names of all objects. Two installations in one cluster need different prefixes.
   * @default edge-nodepools */
  readonly namePrefix?: string;
  /** Additional labels and annotations of all objects, for example of your deployment tool.
   * @default - none */
  readonly metadata?: ObjectMetadata;
}

/** Default of `namespaceGateLabel`. */
export const NAMESPACE_GATE_LABEL = 'nodepool.openyurt.io/hostnetwork-pods';

/** Default of `namePrefix`. */
export const NAME_PREFIX = 'edge-nodepools';
