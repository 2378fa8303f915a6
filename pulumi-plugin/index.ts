// The components of edge-nodepools/pulumi with arguments that every language of Pulumi can write: interfaces of text, numbers, lists and maps, from
// which the engine infers a schema. Each class is the component of the same name and adds no rule.
import * as pulumi from '@pulumi/pulumi';
import * as library from 'edge-nodepools/pulumi';
import { base, type Cluster, clusterOf, type PoolReference, present, type Taint, withCluster } from './cluster';

export { BootstrapToken, NodeJoin } from './join';

/** A resource that the leaders of a pool watch for the whole pool. */
export interface PoolScopeMetadata {
  /** API group, "" for the core group. */
  group: string;
  /** API version, "v1". */
  version: string;
  /** Resource, "services". */
  resource: string;
}

/** Metadata of a NodePool. */
export interface PoolMetadata {
  /** Its labels. */
  labels?: Record<string, pulumi.Input<string>>;
  /** Its annotations. */
  annotations?: Record<string, pulumi.Input<string>>;
}

/** Arguments of EdgeNodePool. */
export interface EdgeNodePoolArgs {
  /** The cluster in which the pool is made. */
  cluster: Cluster;
  /** Name of the pool. A change replaces the pool. */
  poolName: pulumi.Input<string>;
  /** Where the nodes are: "Edge" (default) or "Cloud". A change replaces the pool. */
  type?: string;
  /** Labels of every node of the pool. */
  labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of every node of the pool. */
  annotations?: Record<string, pulumi.Input<string>>;
  /** Taints of every node of the pool. */
  taints?: Taint[];
  /** Whether the nodes reach each other (OpenYurt 1.7). A change replaces the pool. */
  interConnectivity?: boolean;
  /** Whether OpenYurt elects leaders among the nodes (OpenYurt 1.7). */
  enableLeaderElection?: boolean;
  /** How leaders are elected, "random" (default) or "mark" (OpenYurt 1.7). */
  leaderElectionStrategy?: string;
  /** Labels of the nodes that may be leaders, with "mark" (OpenYurt 1.7). */
  leaderNodeLabelSelector?: Record<string, pulumi.Input<string>>;
  /** Number of leaders (OpenYurt 1.7). */
  leaderReplicas?: number;
  /** Resources that the leaders watch for the whole pool (OpenYurt 1.7). */
  poolScopeMetadata?: PoolScopeMetadata[];
  /** Expected number of nodes in the pool; for checks only. */
  expectedNodes?: number;
  /** Labels and annotations of the NodePool itself. */
  metadata?: PoolMetadata;
  /** Other fields of the NodePool's spec. */
  extraSpec?: any;
}

/** Arguments of HostNetworkNodePool. */
export interface HostNetworkNodePoolArgs {
  /** The cluster in which the pool is made. */
  cluster: Cluster;
  /** Name of the pool. A change replaces the pool. */
  poolName: pulumi.Input<string>;
  /** Labels of every node of the pool. */
  labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of every node of the pool. */
  annotations?: Record<string, pulumi.Input<string>>;
  /** Taints of every node of the pool. */
  taints?: Taint[];
  /** Taint the nodes with nodepool.openyurt.io/hostnetwork=true:NoSchedule. */
  registrationTaint?: boolean;
  /** Whether the nodes reach each other (OpenYurt 1.7). A change replaces the pool. */
  interConnectivity?: boolean;
  /** Whether OpenYurt elects leaders among the nodes (OpenYurt 1.7). */
  enableLeaderElection?: boolean;
  /** How leaders are elected, "random" (default) or "mark" (OpenYurt 1.7). */
  leaderElectionStrategy?: string;
  /** Labels of the nodes that may be leaders, with "mark" (OpenYurt 1.7). */
  leaderNodeLabelSelector?: Record<string, pulumi.Input<string>>;
  /** Number of leaders (OpenYurt 1.7). */
  leaderReplicas?: number;
  /** Resources that the leaders watch for the whole pool (OpenYurt 1.7). */
  poolScopeMetadata?: PoolScopeMetadata[];
  /** Expected number of nodes in the pool; for checks only. */
  expectedNodes?: number;
  /** Labels and annotations of the NodePool itself. */
  metadata?: PoolMetadata;
  /** Other fields of the NodePool's spec. */
  extraSpec?: any;
}

/** Arguments of HostNetworkWorkload. */
export interface HostNetworkWorkloadArgs {
  /** The cluster of the pools. */
  cluster: Cluster;
  /** The pools on which the workload runs. */
  pools: PoolReference[];
  /** The workload: an object with a Pod template, or its YAML text. */
  workload: any;
  /** Where the Pod template is, for kinds that the library does not know, "spec.template". */
  podTemplatePath?: string;
  /** The Pods' dnsPolicy. */
  dnsPolicy?: string;
  /** Address of the API server, host:port, for in-cluster clients in the Pods. */
  apiServer?: pulumi.Input<string>;
  /** What to do when two workloads of the component take the same port: "error" (default) or "warn". */
  portConflicts?: string;
}

/** Arguments of ExcludedWorkload. */
export interface ExcludedWorkloadArgs {
  /** The cluster in which the workload runs. */
  cluster: Cluster;
  /** The workload: an object with a Pod template, or its YAML text. */
  workload: any;
  /** Where the Pod template is, for kinds that the library does not know, "spec.template". */
  podTemplatePath?: string;
}

/** The workload of a system component that the library does not know. */
export interface ComponentWorkload {
  /** DaemonSet, Deployment or StatefulSet. */
  kind: string;
  /** Namespace of the workload. */
  namespace: string;
  /** Name of the workload. */
  name: string;
}

/** Arguments of EdgeSystemComponents. */
export interface EdgeSystemComponentsArgs {
  /** The cluster in which the components run. */
  cluster: Cluster;
  /** Known components by their short names: "kube-proxy", "coredns", "flannel", "calico", "cilium" and others. */
  exclude?: string[];
  /** Other components. */
  workloads?: ComponentWorkload[];
  /** ADMISSION_POLICY, SERVER_SIDE_APPLY, KUBEADM_PATCH or MANIFEST. */
  strategies?: string[];
  /** Namespaces of known components where they are not the usual ones, by short name: { flannel: "cni" }. */
  namespaces?: Record<string, pulumi.Input<string>>;
  /** Name of the policy for ADMISSION_POLICY. */
  policyName?: string;
  /** "v1beta1" to use MutatingAdmissionPolicy on Kubernetes 1.34 and 1.35, where it needs flags of the API server. */
  mutatingAdmissionPolicy?: string;
}

/** A file for kubeadm upgrade --patches. */
export interface KubeadmPatch {
  /** Path of the file. */
  path: string;
  /** Its content. */
  content: string;
}

/** Arguments of PoolAdmission. */
export interface PoolAdmissionArgs {
  /** The cluster whose API server enforces the guarantees. */
  cluster: Cluster;
  /** Guarantees besides the default ones. */
  guarantees?: string[];
  /** Default guarantees that are turned off. */
  disabledGuarantees?: string[];
  /** The host-network pools, whose names the policy of nodeLabel then contains. Without it the policy reads the NodePool objects, and has no effect for up to
   * half a minute after each start of an API server. Without OpenYurt it is needed. */
  pools?: pulumi.Input<string>[];
  /** Groups of users to which no policy applies. */
  breakGlassGroups?: string[];
  /** Namespaces to which no policy applies. */
  excludedNamespaces?: string[];
  /** Prefix of the names of all objects. */
  namePrefix?: string;
  /** "v1beta1" to use MutatingAdmissionPolicy on Kubernetes 1.34 and 1.35, where it needs flags of the API server. */
  mutatingAdmissionPolicy?: string;
}

/** Arguments of OpenYurtWebhooks. */
export interface OpenYurtWebhooksArgs {
  /** The cluster; it must have OpenYurt. */
  cluster: Cluster;
  /** Namespace in which yurt-manager runs. */
  namespace?: string;
  /** What happens while yurt-manager does not answer: "Fail" or "Ignore". */
  failurePolicy?: string;
  /** How long the API server waits, 1 to 30 seconds. */
  timeoutSeconds?: pulumi.Input<number>;
  /** Webhooks that are not written, by resource or by name. */
  exclude?: string[];
  /** The flag --controllers of yurt-manager, split at the commas. */
  controllers?: string[];
}

/** A regular pool, with a Pod network. */
export class EdgeNodePool extends base(library.EdgeNodePool) {
  /** Name of the pool. */
  declare public readonly poolName: pulumi.Output<string>;
  /** Labels that a node must carry when it joins. */
  declare public readonly joinLabels: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: EdgeNodePoolArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, withCluster(args), opts);
  }
}

/** A pool of edge nodes that run only hostNetwork Pods. */
export class HostNetworkNodePool extends base(library.HostNetworkNodePool) {
  /** Name of the pool. */
  declare public readonly poolName: pulumi.Output<string>;
  /** Labels that a node must carry when it joins. */
  declare public readonly joinLabels: pulumi.Output<Record<string, string>>;
  /** Selects the nodes of the pool. */
  declare public readonly nodeSelector: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: HostNetworkNodePoolArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, withCluster(args), opts);
  }
}

/** A workload that runs on host-network pools. */
export class HostNetworkWorkload extends base(library.HostNetworkWorkload) {
  /** Ports that each Pod takes on its node, "8080/TCP". */
  declare public readonly ports: pulumi.Output<string[]>;

  constructor(name: string, args: HostNetworkWorkloadArgs, opts?: pulumi.ComponentResourceOptions) {
    const { cluster, pools, ...settings } = args;
    const edgeCluster = clusterOf(cluster);
    const references = pools.map((pool) =>
      library.HostNetworkNodePool.fromPoolName({
        ...(present(pool) as library.ImportedHostNetworkNodePoolArgs),
        cluster: edgeCluster,
      }),
    );
    super(name, { ...present(settings), pools: references }, opts);
  }
}

/** A workload that is excluded from host-network nodes. */
export class ExcludedWorkload extends base(library.ExcludedWorkload) {
  constructor(name: string, args: ExcludedWorkloadArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, withCluster(args), opts);
  }
}

/** Excludes system components (kube-proxy, CoreDNS, CNI agents) from host-network nodes. */
export class EdgeSystemComponents extends base(library.EdgeSystemComponents) {
  /** Files for kubeadm upgrade --patches. */
  declare public readonly kubeadmPatches: pulumi.Output<KubeadmPatch[]>;

  constructor(name: string, args: EdgeSystemComponentsArgs, opts?: pulumi.ComponentResourceOptions) {
    const { exclude, workloads, strategies, namespaces, ...settings } = args;
    const components = [...(exclude ?? []).map(systemComponent), ...(workloads ?? []).map(otherComponent)];
    const strategy = strategies === undefined || strategies === null ? {} : { strategy: strategies };
    const moved = Object.entries(namespaces ?? {}).map(([component, namespace]) => [component, { namespace }]);
    super(
      name,
      { ...withCluster(settings), ...strategy, exclude: components, components: Object.fromEntries(moved) },
      opts,
    );
  }
}

/** Admission policies that enforce guarantees around host-network pools in the API server itself. */
export class PoolAdmission extends base(library.PoolAdmission) {
  constructor(name: string, args: PoolAdmissionArgs, opts?: pulumi.ComponentResourceOptions) {
    const { cluster, guarantees, disabledGuarantees, pools, ...settings } = args;
    const edgeCluster = clusterOf(cluster);
    const chosen = [
      ...(guarantees ?? []).map((guarantee): [string, boolean] => [guarantee, true]),
      ...(disabledGuarantees ?? []).map((guarantee): [string, boolean] => [guarantee, false]),
    ];
    // the components of a program do not share what they declare
    const isLive = (pools === undefined || pools === null) && edgeCluster.hasOpenYurt();
    const known = isLive ? { pools: 'live' } : { otherPools: pools ?? [] };
    super(name, { ...present(settings), ...known, cluster: edgeCluster, guarantees: Object.fromEntries(chosen) }, opts);
  }
}

/** The two webhook configurations of yurt-manager, with what its chart cannot set. */
export class OpenYurtWebhooks extends base(library.OpenYurtWebhooks) {
  constructor(name: string, args: OpenYurtWebhooksArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, withCluster(args), opts);
  }
}

function systemComponent(shortName: string): library.SystemComponent {
  const known = Object.values(library.SystemComponent).filter((value) => value instanceof library.SystemComponent);
  const found = known.find(({ name }) => name === shortName);
  if (found === undefined) {
    const names = known.map(({ name }) => name).join(', ');
    throw new pulumi.InputPropertyError({
      propertyPath: 'exclude',
      reason: `there is no component ${JSON.stringify(shortName)}; write one of ${names}, or name its workload in workloads`,
    });
  }
  return found;
}

function otherComponent(workload: ComponentWorkload): library.SystemComponent {
  return library.SystemComponent.of(present(workload) as library.SystemComponentProps);
}
