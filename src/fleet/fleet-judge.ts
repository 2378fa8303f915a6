import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { PodAdmission } from './admitted-pod.js';
import { BoundPods, isDump } from './bound-pods.js';
import { allRefusals, judge } from './kubelet.js';
import type { Workload } from './made-pods.js';
import { isHostNetworkNode, type JudgedLabels } from './node.js';
import { nodeAffinity, nodeName, taintToleration } from './scheduler.js';
import { clusterOf, type ClusterNode, type PlacementCluster } from './placement-cluster.js';
import type { PlacementPod } from './placement-pod.js';
import { type ExampleNode, namedNode } from './pod-placement.js';
import type { PlacementOutcome, Refusal, Verdict } from './verdict.js';

/** A Pod that never starts is on its node, with its ports and requests. */
export const IS_PUT: ReadonlySet<PlacementOutcome> = new Set(['runs', 'never starts']);

/** Filters whose answer an outage changes, or that depend on where a volume is. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  ...['VolumeRestrictions', 'VolumeBinding', 'VolumeZone', 'PodTopologySpread', 'InterPodAffinity'],
]);

/** What decides about the Pods of a fleet on a node: the API server, the scheduler and kubelet. Everything that tells an outcome asks it. */
export class FleetJudge {
  public readonly cluster: PlacementCluster;
  public readonly bound: BoundPods;
  private readonly admission: PodAdmission;
  /** Pods before the API server added something. */
  private readonly written = new WeakMap<PlacementPod, PlacementPod>();

  /**
   * @param objects all objects: Pods, volumes, namespaces, policies and classes count, too
   * @param labels the labels of pools and of host-network nodes
   * @param specs the Pod specs that are asked about
   * @param isWhole whether everything in the cluster is known
   * @default - if there are Pods on Nodes, as only a dump has them
   */
  constructor(
    objects: readonly PlainMap[],
    private readonly labels: JudgedLabels,
    specs: readonly PlainMap[] = [],
    isWhole?: boolean,
  ) {
    const all = objects.filter(isMap);
    this.admission = new PodAdmission(all, labels.hostNetworkLabel);
    this.bound = new BoundPods(all, specs, isWhole);
    const found = clusterOf(all, false, labels.kubernetes);
    const whole = isWhole ?? isDump(all);
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
    const created = this.admission.withRuntimeClass(pod);
    if (created !== pod) {
      this.written.set(created, pod);
    }
    return created;
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
    const unwanted = this.unwanted(pod, node);
    if (unwanted !== undefined) {
      return verdictOf(unwanted);
    }
    const { outcome, refusal } = judge(pod, node, this.around(node), this.labels.hostNetworkLabel);
    // what never starts does so on no kubelet, whether there is the class without which it is not created or not
    const isMore = ({ by, field, ...further }: Refusal): boolean =>
      by !== 'kubelet' && (field === undefined || further.outcome !== 'unknown');
    const further = IS_PUT.has(outcome)
      ? this.further(workload, pod, node).find((each) => outcome === 'runs' || isMore(each))
      : undefined;
    return further !== undefined
      ? verdictOf(further)
      : refusal === undefined
        ? { outcome }
        : verdictOf(this.located(pod, refusal));
  }

  /** Why the controller of a DaemonSet makes no Pod: it judges the template, without what a RuntimeClass adds. */
  private unwanted(pod: PlacementPod, node: ClusterNode): Refusal | undefined {
    const template = pod.isDaemon ? this.written.get(pod) : undefined;
    return template === undefined
      ? undefined
      : (nodeName(template, node) ?? nodeAffinity(template, node) ?? taintToleration(template, node));
  }

  /** Every reason why a Pod of a workload does not run on a node. */
  public refusals(workload: Workload, pod: PlacementPod, node: ClusterNode): Refusal[] {
    const unwanted = this.unwanted(pod, node);
    return [
      ...(unwanted === undefined ? [] : [unwanted]),
      ...allRefusals(pod, node, this.around(node), this.labels.hostNetworkLabel).map((each) => this.located(pod, each)),
      ...this.further(workload, pod, node),
    ];
  }

  /** Whether a Pod of a workload starts on a node, as far as its volumes and the labels of others let it. */
  public starts(workload: Workload, given: PlacementPod, node: ExampleNode): boolean {
    const pod = this.created(given);
    const there = { ...node, pods: this.bound.on(node.name).map((each) => each.pod) };
    const on = this.without(workload, namedNode(pod.spec, there));
    return this.refusals(workload, pod, on).every(({ by, outcome }) => outcome === 'unknown' || OF_OTHERS.has(by));
  }

  /** What the API server refuses before the scheduler sees the Pod, and what its node does not do. */
  private further(workload: Workload, pod: PlacementPod, node: ClusterNode): Refusal[] {
    const isHostNetwork = node.isHostNetwork === true || isHostNetworkNode(node, this.labels.hostNetworkLabel);
    return [
      this.admission.podSecurity(workload, pod, this.cluster.kubernetes.minor),
      this.admission.runtimeClass(workload, pod),
      this.admission.priorityClass(workload, pod),
      pod.spec.hostNetwork !== true && isHostNetwork ? this.admission.exclusionOf(workload, pod) : undefined,
      this.isThere(workload, node) ? undefined : silentNode(node),
      hostOfWindows(pod, node),
    ].filter((refusal) => refusal !== undefined);
  }

  private isThere(workload: Workload, { name }: ClusterNode): boolean {
    const own = this.bound.of(workload);
    return own.size > 0 && this.bound.on(name).some(({ pod }) => own.has(pod) && pod.isRunning === true);
  }

  /** A refusal with the field that the user wrote: a nodeSelector can be of the RuntimeClass. */
  private located(pod: PlacementPod, refusal: Refusal): Refusal {
    const [field, key] = refusal.field ?? [];
    const given = this.written.get(pod);
    if (
      given === undefined ||
      field !== 'nodeSelector' ||
      mapAt(given.spec, 'nodeSelector')[String(key)] !== undefined
    ) {
      return refusal;
    }
    const reason = `${refusal.reason} of its RuntimeClass ${String(given.spec.runtimeClassName)}`;
    return pod.isDaemon
      ? {
          ...refusal,
          outcome: 'waits',
          reason: `forever: its controller makes a Pod for the node, and ${reason} keeps it off`,
          field: ['runtimeClassName'],
        }
      : { ...refusal, reason, field: ['runtimeClassName'] };
  }

  private around(node: ClusterNode): PlacementCluster {
    return this.cluster.isWhole ? this.cluster : { ...this.cluster, nodes: [node] };
  }
}

const verdictOf = (refusal: Refusal): Verdict => ({ outcome: refusal.outcome, refusal });

/** A kubelet that reports nothing starts no Pod. One that is not ready starts those with hostNetwork, as those of a CNI (kubelet.go, syncPod). */
function silentNode({ isSilent }: ClusterNode): Refusal | undefined {
  return isSilent === true
    ? { by: 'kubelet', outcome: 'waits', reason: 'for the node: its kubelet does not report (Ready is Unknown)' }
    : undefined;
}

/** Windows has neither without hostProcess: hostNetwork changes nothing there (kubernetes/enhancements, KEP 3503), and privileged is not supported. */
function hostOfWindows({ spec }: PlacementPod, { labels }: ClusterNode): Refusal | undefined {
  if (labels['kubernetes.io/os'] !== 'windows') {
    return undefined;
  }
  const containers = Array.isArray(spec.containers) ? spec.containers.filter(isMap) : [];
  const contexts = [spec, ...containers].map((each) => mapAt(each, 'securityContext'));
  const isHost = contexts.some((each) => mapAt(each, 'windowsOptions').hostProcess === true);
  const what =
    spec.hostNetwork === true
      ? 'hostNetwork'
      : contexts.some(({ privileged }) => privileged === true)
        ? 'privileged'
        : undefined;
  return what === undefined || isHost
    ? undefined
    : { by: 'kubelet', outcome: 'unknown', reason: `what Windows makes of ${what} without hostProcess is not judged` };
}
