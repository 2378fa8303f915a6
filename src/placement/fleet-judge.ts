import { isMap, type PlainMap } from '../validation/plain-data.js';
import { PodAdmission } from './admitted-pod.js';
import { BoundPods } from './bound-pods.js';
import { allRefusals, judge } from './kubelet.js';
import type { Workload } from './made-pods.js';
import { type FleetLabels, isHostNetworkNode } from './node.js';
import { clusterOf, type ClusterNode, type PlacementCluster } from './placement-cluster.js';
import type { PlacementPod } from './placement-pod.js';
import type { PlacementOutcome, Refusal, Verdict } from './verdict.js';

/** A Pod that never starts is on its node, with its ports and requests. */
export const IS_PUT: ReadonlySet<PlacementOutcome> = new Set(['runs', 'never starts']);

/** What decides about the Pods of a fleet on a node: the API server, the scheduler and kubelet. Everything that tells an outcome asks it. */
export class FleetJudge {
  public readonly cluster: PlacementCluster;
  public readonly bound: BoundPods;
  private readonly admission: PodAdmission;

  /**
   * @param objects all objects: Pods, volumes, namespaces, policies and classes count, too
   * @param labels the labels of pools and of host-network nodes
   * @param specs the Pod specs that are asked about
   * @param isWhole whether everything in the cluster is known
   * @default - if there are Pods on Nodes, as only a dump has them
   */
  constructor(
    objects: readonly PlainMap[],
    private readonly labels: Required<FleetLabels>,
    specs: readonly PlainMap[] = [],
    isWhole?: boolean,
  ) {
    const all = objects.filter(isMap);
    this.admission = new PodAdmission(all, labels.hostNetworkLabel);
    this.bound = new BoundPods(all, specs, isWhole);
    const found = clusterOf(all, false);
    const whole = isWhole ?? found.nodes.some(({ name }) => this.bound.on(name).length > 0);
    const { claims, volumes, storageClasses } = found;
    this.cluster = {
      ...found,
      // the same Pods as everywhere
      nodes: found.nodes.map((node) => ({ ...node, pods: this.bound.on(node.name).map(({ pod }) => pod) })),
      isWhole: whole,
      // kubectl was asked for volumes only if there is one
      areVolumesKnown: whole && claims.size + volumes.size + storageClasses.size > 0,
    };
  }

  /** A Pod with what the API server adds. */
  public created(pod: PlacementPod): PlacementPod {
    return this.admission.withRuntimeClass(pod);
  }

  /** A node as the Pods of a workload find it: those that are there already are no obstacle. */
  public without(workload: Workload, node: ClusterNode): ClusterNode {
    const own = this.bound.of(workload);
    return own.size === 0 || !node.pods.some((pod) => own.has(pod))
      ? node
      : { ...node, pods: node.pods.filter((pod) => !own.has(pod)) };
  }

  /** What becomes of a Pod of a workload on a node with its Pods. */
  public verdict(workload: Workload, pod: PlacementPod, node: ClusterNode): Verdict {
    const verdict = judge(pod, node, this.around(node), this.labels.hostNetworkLabel);
    const [refusal] = IS_PUT.has(verdict.outcome) ? this.refusedByServer(workload, pod, node) : [];
    return refusal === undefined ? verdict : { outcome: refusal.outcome, refusal };
  }

  /** Every reason why a Pod of a workload does not run on a node. */
  public refusals(workload: Workload, pod: PlacementPod, node: ClusterNode): Refusal[] {
    return [
      ...allRefusals(pod, node, this.around(node), this.labels.hostNetworkLabel),
      ...this.refusedByServer(workload, pod, node),
    ];
  }

  /** What the API server refuses before the scheduler sees the Pod. */
  private refusedByServer(workload: Workload, pod: PlacementPod, node: ClusterNode): Refusal[] {
    const isHostNetwork = node.isHostNetwork === true || isHostNetworkNode(node, this.labels.hostNetworkLabel);
    return [
      this.admission.podSecurity(workload, pod),
      pod.spec.hostNetwork !== true && isHostNetwork ? this.admission.exclusionOf(workload, pod) : undefined,
    ].filter((refusal) => refusal !== undefined);
  }

  private around(node: ClusterNode): PlacementCluster {
    return this.cluster.isWhole ? this.cluster : { ...this.cluster, nodes: [node] };
  }
}
