import { KUBERNETES_MINORS, type KubernetesVersion, lookUpKubernetes } from '../cluster/kubernetes-minors.js';
import { isMap } from '../base/plain-data.js';
import { checkProperties, listOf, optional, oneOf, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { whatIs } from '../base/properties.js';
import { checkFlags, type ControllerManagerFlags } from './controller-flags.js';
import { checkDuration } from '../kubernetes/duration.js';
import type { TimeRange } from './node-lifecycle.js';
import type { UpdateOutage } from './update-outage.js';
import type { WorkloadOutage } from './workload-outage.js';
import type { ZoneOutage } from './zone-outage.js';

/** The newest known minor. */
export const NEWEST = KUBERNETES_MINORS[KUBERNETES_MINORS.length - 1]?.minor ?? '';

/**
 * An outage: Nodes that lose their network, and go on running.
 *
 * @category Foresee an outage
 */
export interface Outage {
  /** Pools and Nodes that are unreachable. */
  readonly down: { readonly pools?: readonly string[]; readonly nodes?: readonly string[] };
  /** How long it lasts: `'10m'`, `'2h'`, or a number of seconds.
   * @default - until further notice */
  readonly for?: string | number;
  /** Kubernetes minor of kube-controller-manager.
   * @default - that of its Pod in the manifests, or of the cluster of the pools; else assumed: that of the newest kubelet, or the newest known */
  readonly kubernetes?: KubernetesVersion;
  /** Flags of kube-controller-manager.
   * @default - those of its Pod in the manifests, else the defaults of the minor */
  readonly flags?: ControllerManagerFlags;
  /** `pool`: as if each pool had the label `topology.kubernetes.io/zone` of its own. `none`: as if no Node had it.
   * @default - the labels of the Nodes */
  readonly zones?: 'pool' | 'none';
  /** Number of Nodes of pools, where the manifests have no Nodes.
   * @default - expectedNodes of the pools */
  readonly nodes?: Readonly<Record<string, number>>;
  /** Number of Nodes of the cluster that are not in the manifests, all Ready.
   * @default - none, if there are Node objects; otherwise unknown, and the report says what depends on it */
  readonly otherNodes?: number;
  /** A workload that is updated while the Nodes are unreachable, `DaemonSet default/collector`.
   * @default - none */
  readonly update?: string;
}

/**
 * What an outage does.
 *
 * @category Foresee an outage
 */
export interface OutageReport {
  /** Minor of kube-controller-manager. */
  readonly kubernetes: string;
  /** Why this minor is assumed.
   * @default - it is known */
  readonly assumed?: string;
  /** Number of Nodes that are unreachable. */
  readonly nodesAway: number;
  /** How long the outage lasts, in seconds.
   * @default - it has no end */
  readonly lasts?: number;
  /** When the Nodes become not Ready, and get the taint `NoSchedule`, in seconds.
   * @default - the outage is over before, or nothing watches the Nodes */
  readonly notReadyAt?: Required<TimeRange>;
  /** The zones with Nodes that are unreachable. */
  readonly zones: readonly ZoneOutage[];
  /** The workloads, in the order of the manifests. */
  readonly workloads: readonly WorkloadOutage[];
  /** What becomes of the update.
   * @default - no update was asked for */
  readonly update?: UpdateOutage;
}

const names = listOf((value, problems) => {
  if (typeof value !== 'string') {
    problems.add('EDGE_TYPE', `a name is text, and this is ${whatIs(value)}`, "write 'site-17'");
  }
}, "write ['site-17']");

const DOWN: PropertyTable<Outage['down']> = { pools: names, nodes: names };

export const OUTAGE_PROPERTIES: PropertyTable<Outage> = {
  down: (value, problems) => {
    if (!isMap(value)) {
      problems.add('EDGE_TYPE', `what is down is ${whatIs(value)}`, "write { pools: ['site-17'] }");
      return;
    }
    checkProperties(value, DOWN, problems);
    if ([value.pools, value.nodes].every((list) => list === undefined || (Array.isArray(list) && list.length === 0))) {
      problems.add('EDGE_MISSING', 'nothing is down', "write { pools: ['site-17'] } or { nodes: ['edge-1'] }");
    }
  },
  for: checkDuration,
  kubernetes: optional((value, problems) => {
    if (typeof value !== 'string' || lookUpKubernetes(value).kind !== 'known') {
      problems.add('EDGE_UNKNOWN_RELEASE', `${String(value)} is not a known Kubernetes minor`, `write '${NEWEST}'`);
    }
  }),
  flags: checkFlags,
  zones: oneOf('pool', 'none'),
  nodes: optional((value, problems) => {
    if (!isMap(value)) {
      problems.add('EDGE_TYPE', `numbers of Nodes are a map, and this is ${whatIs(value)}`, "write { 'site-17': 4 }");
      return;
    }
    Object.entries(value).forEach(([pool, count]) => wholeNumber(0)(count, problems.at(pool)));
  }),
  otherNodes: wholeNumber(0),
  update: optional((value, problems) => {
    if (typeof value !== 'string') {
      problems.add(
        'EDGE_TYPE',
        `a workload is text, and this is ${whatIs(value)}`,
        "write 'DaemonSet default/collector'",
      );
    }
  }),
};
