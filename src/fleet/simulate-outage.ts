import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { type NodePoolAttributes, isPool } from '../pools/node-pool.js';
import { type PrintableReport, printable } from '../base/table.js';
import { type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import { checkProperties } from '../base/property-table.js';
import { checkPlacementInput, itemsOf, leavesPods, mergedObjects } from './placement-input.js';
import { type FleetLabels, type PlacementNode, fleetLabelsOf } from './node.js';
import { lifecycleWith, managerIn } from './controller-flags.js';
import { FleetJudge } from './fleet-judge.js';
import { secondsOf } from '../kubernetes/duration.js';
import { detectionOf } from './node-lifecycle.js';
import { NEWEST, OUTAGE_PROPERTIES, type Outage, type OutageReport } from './outage.js';
import { type FleetNode, type NodeGroup, fleetOf, groupsOf } from './outage-fleet.js';
import { minorOfPools } from './pools-file.js';
import { outageText } from './outage-text.js';
import { isMirrorPod } from './pod-stay.js';
import { updateOutage } from './update-outage.js';
import { type OutageState, type PoolState, podsByWorkload, workloadOutage } from './workload-outage.js';
import { zoneRules } from './zone-outage.js';
import { minorRow, newestKubelet } from './placement-cluster.js';

/**
 * Predicts what kube-controller-manager does when Nodes lose their network: which Nodes get a NoExecute taint, which Pods are evicted when, what takes
 * their place, and whether a rollout goes on. Pods without network go on running on their Nodes whatever the API server says.
 *
 * It reads Nodes, Pods and the Pod of kube-controller-manager, if the manifests are a dump of a cluster; else the pools, and one Pod of each DaemonSet on
 * each of their Nodes, and says of other workloads what can be said. A Pod that never starts on a Node is not there.
 * Not considered: room for more than one Pod, Pod affinity (but of a workload to itself by hostname), priorities,
 * PodDisruptionBudgets (evictions by taint do not ask them).
 *
 * @param manifests plain Kubernetes objects
 * @param pools pools without NodePool object, or whose `expectedNodes` the NodePool does not have
 * @param labels the cluster, or its labels; text is the node label with the pool's name
 * @throws {@link EdgeError} with EDGE_MATCHES_NOTHING for pools, Nodes and workloads that are not there, EDGE_MISSING where the number of Nodes is not known,
 * EDGE_VALUE, EDGE_TYPE or EDGE_UNKNOWN_RELEASE
 * @returns the report; `String(…)` is a table
 *
 * @category Foresee an outage
 */
export function simulateOutage(
  manifests: readonly object[],
  outage: Outage,
  pools: readonly (
    | NodePoolAttributes
    | (PlacementNode & Required<FleetLabels> & { readonly expectedNodes?: number; readonly kubernetes?: string })
  )[] = [],
  labels?: string | FleetLabels,
): PrintableReport<OutageReport> {
  checkPlacementInput('simulateOutage', manifests, pools, labels);
  return outagesOf(manifests, pools, labels)(outage);
}

/** {@link simulateOutage} for several outages of one fleet: what no outage changes is found once. */
export function outagesOf(
  manifests: readonly object[],
  pools: NonNullable<Parameters<typeof simulateOutage>[2]>,
  labels?: string | FleetLabels,
): (outage: Outage) => PrintableReport<OutageReport> {
  const all = mergedObjects(manifests.filter(isMap).flatMap(itemsOf));
  const [first] = pools;
  const given = fleetLabelsOf(labels ?? (first === undefined ? {} : isPool(first) ? first.cluster : first));
  const workloads = workloadsOf(all);
  const [poolLabels, pods] = [poolLabelsOf(all), boundPods(all, workloads)];
  const judged = new Map<string, Pick<OutageState, 'judge' | 'started'>>();
  const judgeOf = (kubernetes: string, { nodes, zones }: Outage): Pick<OutageState, 'judge' | 'started'> => {
    const key = JSON.stringify([kubernetes, nodes, zones]);
    const found = judged.get(key) ?? { judge: new FleetJudge(all, { ...given, kubernetes }), started: new Map() };
    judged.set(key, found);
    return found;
  };
  return (outage) => outageIn({ all, pools, given, workloads, poolLabels, pods, judgeOf }, outage);
}

/** What no outage changes. */
interface ReadFleet extends Pick<OutageState, 'poolLabels' | 'pods'> {
  readonly all: readonly PlainMap[];
  readonly pools: NonNullable<Parameters<typeof simulateOutage>[2]>;
  readonly given: Required<FleetLabels>;
  readonly workloads: readonly PlainMap[];
  readonly judgeOf: (kubernetes: string, outage: Outage) => Pick<OutageState, 'judge' | 'started'>;
}

function outageIn(
  { all, pools, given, workloads, poolLabels, pods, judgeOf }: ReadFleet,
  outage: Outage,
): PrintableReport<OutageReport> {
  const problems = new ProblemList();
  checkProperties(outage, OUTAGE_PROPERTIES, problems);
  problems.throwIfAny('simulateOutage');
  const manager = managerIn(all);
  const declared = minorOfPools(pools.map((pool) => (isPool(pool) ? pool.cluster : pool)));
  const { minor, assumed } = managerMinor(outage.kubernetes ?? manager?.version ?? declared, all);
  const lifecycle = lifecycleWith(minor, { ...manager?.flags, ...outage.flags });
  const nodes = fleetOf(
    {
      objects: all,
      pools,
      counts: outage.nodes ?? {},
      labels: given,
      ...(outage.zones === undefined ? {} : { zones: outage.zones }),
      downPools: outage.down.pools ?? [],
      downNodes: outage.down.nodes ?? [],
    },
    problems,
  );
  if (nodes.length === 0 && problems.problems.length === 0) {
    const hint = 'add Nodes (npx edge-nodepools dump simulate), NodePools, or pass the pools';
    problems.at('manifests').add('EDGE_MISSING', 'there is no Node and no pool in the manifests', hint);
  }
  problems.throwIfAny('simulateOutage');
  const lasts = secondsOf(outage.for) ?? Infinity;
  const hasNodes = all.some(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node');
  const zones = zoneRules(nodes, lifecycle, lasts, outage.otherNodes ?? (hasNodes ? 0 : undefined));
  const { judge, started } = judgeOf(minor, outage);
  const groups = groupsOf(nodes, judge.bound);
  const state: OutageState = {
    nodes,
    groups,
    ofPools: poolStates(nodes, groups),
    zones,
    lasts,
    lifecycle,
    kubernetes: minor,
    ...{ judge, started, poolLabels, pods },
    nodePoolLabel: given.nodePoolLabel,
  };
  const found = workloads.flatMap((object) => workloadOutage(object, state));
  const update =
    outage.update === undefined ? undefined : updateOutage(outage.update, workloads, state, problems.at('update'));
  problems.throwIfAny('simulateOutage');
  const { earliest, latest } = detectionOf(lifecycle);
  const report: OutageReport = {
    kubernetes: minor,
    ...(assumed === undefined ? {} : { assumed }),
    nodesAway: nodes.filter(({ isDown }) => isDown).length,
    ...(lasts === Infinity ? {} : { lasts }),
    ...(lifecycle.nodeLifecycle && earliest < lasts ? { notReadyAt: { earliest, latest } } : {}),
    zones: [...zones.values()].map(({ report }) => report),
    workloads: found,
    ...(update === undefined ? {} : { update }),
  };
  return printable(report, outageText);
}

function poolStates(nodes: readonly FleetNode[], groups: readonly NodeGroup[]): Map<string, PoolState> {
  const pools = new Map<string, PoolState>(nodes.map(({ pool }) => [pool, { nodes: [], groups: [] }]));
  nodes.forEach((node) => pools.get(node.pool)?.nodes.push(node));
  groups.forEach((group) => pools.get(group.example.pool)?.groups.push(group));
  return pools;
}

/** Labels of the NodePools, by which a YurtAppSet selects them. */
function poolLabelsOf(objects: readonly PlainMap[]): Map<string, PlainMap> {
  const pools = objects.filter(({ kind }) => kind === 'NodePool').map((pool) => mapAt(pool, 'metadata'));
  return new Map(pools.map((metadata) => [String(metadata.name), mapAt(metadata, 'labels')]));
}

/** Objects that make Pods, and Pods that no other object makes. */
function workloadsOf(objects: readonly PlainMap[]): PlainMap[] {
  const leaves = leavesPods(objects);
  // a static Pod is of its Node, also that of yurthub
  return objects.filter((object) => (leaves(object) || isMirrorPod(object)) && podPlaces(object).length > 0);
}

function boundPods(objects: readonly PlainMap[], workloads: readonly PlainMap[]): OutageState['pods'] {
  const pods = podsByWorkload(objects, new Set(workloads.map(nameOf)));
  const hasMore = workloads.some(({ kind }) => kind !== 'Pod')
    ? [...pods.values()].some((each) => each.length > 0)
    : true;
  return pods.size > 0 && hasMore ? pods : undefined;
}

/** A minor of kube-controller-manager, and why it is assumed, if it is. */
export interface ManagerMinor {
  readonly minor: string;
  readonly assumed?: string;
}

/**
 * The minor of kube-controller-manager. Without its Pod it is that of the newest kubelet, which is never newer than the API server (version skew policy).
 *
 * @param version as it is given, of its image, or that of the cluster of the program
 */
function managerMinor(version: string | undefined, objects: readonly PlainMap[]): ManagerMinor {
  const known = minorRow(version);
  if (known !== undefined) {
    return { minor: known.minor };
  }
  if (version !== undefined) {
    return { minor: NEWEST, assumed: `${version} of its image is not a known minor, and this is the newest one` };
  }
  const newest = newestKubelet(objects)?.minor;
  return newest === undefined
    ? { minor: NEWEST, assumed: 'the manifests do not have its Pod, and this is the newest minor that is known' }
    : { minor: newest, assumed: 'the manifests do not have its Pod, and this is the minor of the newest kubelet' };
}
