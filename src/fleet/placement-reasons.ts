import { nearMiss } from '../base/properties.js';
import { nameOf } from '../kubernetes/object.js';
import { type ObjectPath, type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { FleetJudge } from './fleet-judge.js';
import { type PoolMember, membersOf, poolMembers } from './fleet.js';
import { membersIn } from './fleet-overview.js';
import { type Workload, workloadOf } from './made-pods.js';
import { itemsOf, mergedObjects } from './placement-input.js';
import { type FleetLabels, type PlacementNode, fleetLabelsOf, isHostNetworkNode } from './node.js';
import { type PlacementPod, nodeNameOf, tolerationsOf } from './placement-pod.js';
import { namedNode, shownReason } from './pod-placement.js';
import { resultsOf } from './pool-results.js';
import { type ListedPool, minorOfPools } from './pools-file.js';
import { reachableFrom } from './reachability.js';
import type { PlacementOutcome } from './verdict.js';
import { workloadsCalled } from './workload-names.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import type { Taint } from '../kubernetes/taint.js';
import { tolerates } from '../workloads/pool-selection.js';
import { termHolds } from './node-affinity-match.js';
import type { ClusterNode } from './placement-cluster.js';
import { shownTaint } from './scheduler.js';

/** One reason: who decides, what, why, and the field of the workload that it is about. */
export interface Reason {
  /** A plugin of kube-scheduler by its name, `kubelet`, or another component. */
  readonly by: string;
  readonly outcome: PlacementOutcome;
  readonly reason: string;
  /** Path in the workload. */
  readonly field: ObjectPath;
}

/** What becomes of a workload on pools, or on one node, with all reasons: the first is the one that `show` tells. Of one that runs, why it may. */
export interface Explanation {
  readonly pools: readonly string[];
  readonly hostNetwork: boolean;
  readonly outcome: PlacementOutcome;
  readonly reasons: readonly Reason[];
  /** From where the Pods are reachable, and how, if they run and declare ports. */
  readonly reachable?: readonly string[];
  /** What reaches a host-network node for the logs of what runs there, as far as the manifests show it. */
  readonly logs?: string;
}

/** The objects that a text can mean: `web`, `shop/web`, `Deployment/web`, `deployment shop/web`. */
export function workloadsNamed(manifests: readonly PlainMap[], wanted: string): PlainMap[] {
  const workloads = mergedObjects(manifests.flatMap(itemsOf)).filter((object) => workloadOf(object) !== undefined);
  return workloadsCalled(wanted, workloads);
}

/** The objects whose name is nearly that. */
export function workloadsNear(wanted: string, manifests: readonly PlainMap[]): PlainMap[] {
  const short = (text: string): string => text.split(/[ /]/).at(-1) ?? '';
  const workloads = manifests.filter((object) => workloadOf(object) !== undefined);
  const near = nearMiss(
    short(wanted),
    workloads.map((object) => short(nameOf(object))),
  );
  return workloads.filter((object) => short(nameOf(object)) === near);
}

/** What becomes of a workload on each pool. Pools with the same answer are reported together. */
export function explainOnPools(
  manifests: readonly PlainMap[],
  target: PlainMap,
  given: FleetLabels = {},
  declared: readonly ListedPool[] = [],
): Explanation[] {
  const labels = fleetLabelsOf(given, minorOfPools(declared));
  const fleet = membersIn(manifests, labels, declared);
  // what is said of one depends on the order of all; a Pod of a workload is not among them
  const withTarget = (all: readonly PlainMap[]): PlainMap[] => {
    const index = all.findIndex((object) => nameOf(object) === nameOf(target));
    return index < 0 ? [...all, target] : all.with(index, target);
  };
  const around = withTarget(fleet.all);
  return [
    ...explained({ ...fleet, all: around, objects: withTarget(fleet.objects) }, labels, (each) => each === target),
  ].flatMap(([, explanations]) => explanations);
}

/** The same of all workloads of a fleet, by their names, on some of its pools. */
export function explainFleet(
  manifests: readonly PlainMap[],
  pools: ReadonlySet<string>,
  given: FleetLabels,
  declared: readonly ListedPool[],
): Map<string, readonly Explanation[]> {
  const labels = fleetLabelsOf(given, minorOfPools(declared));
  return explained(membersIn(manifests, labels, declared), labels, () => true, pools);
}

function explained(
  { all, objects, nodes }: ReturnType<typeof membersIn>,
  labels: Required<FleetLabels>,
  isAsked: (object: PlainMap) => boolean,
  pools?: ReadonlySet<string>,
): Map<string, readonly Explanation[]> {
  const { members } = membersOf(objects, nodes, labels);
  const workloads = objects.flatMap((object) => workloadOf(object) ?? []);
  const results = resultsOf(workloads, members, labels, all);
  const judge = new FleetJudge(all, labels, []);
  const answers = workloads.map((workload, index): [string, readonly Explanation[]] => {
    const found = new Map<string, Explanation & { readonly pools: string[] }>();
    (isAsked(workload.object) ? members : []).forEach((member, at) => {
      const result = results[at]?.[index];
      const pool = member.labels[labels.nodePoolLabel] ?? member.name;
      if (result === undefined || pools?.has(pool) === false) {
        return;
      }
      const { outcome, by = '', reason, field } = result;
      const hostNetwork = isHostNetworkNode(member, labels.hostNetworkLabel);
      const told = reasonOf(workload.object, { by, outcome, reason, ...(field === undefined ? {} : { field }) });
      const reasons =
        outcome === 'runs'
          ? groundsIn(workload, member, labels, judge)
          : distinct([told, ...reasonsOn(workload, member, labels, judge)]);
      const reach = pools === undefined && outcome === 'runs' ? reachOf(workload.object, all, hostNetwork, member) : {};
      const key = JSON.stringify([hostNetwork, outcome, reasons, reach]);
      const same = found.get(key) ?? { pools: [], hostNetwork, outcome, reasons, ...reach };
      found.set(key, same);
      same.pools.push(pool);
    });
    return [nameOf(workload.object), [...found.values()]];
  });
  return new Map(answers.filter(([, explanations]) => explanations.length > 0));
}

/** What becomes of a workload on a Node of a dump, with the Pods that it has; undefined if there is no such Node. */
export function explainOnNode(
  manifests: readonly PlainMap[],
  target: PlainMap,
  name: string,
  given: FleetLabels = {},
  declared: readonly ListedPool[] = [],
): Explanation | undefined {
  const labels = fleetLabelsOf(given, minorOfPools(declared));
  const { hostNetworkLabel, nodePoolLabel } = labels;
  const objects = mergedObjects(manifests.flatMap(itemsOf));
  const judge = new FleetJudge(objects, labels, [], true);
  const node = judge.cluster.nodes.find((each) => each.name === name);
  const workload = workloadOf(target);
  if (node === undefined || workload === undefined) {
    return undefined;
  }
  const hostNetwork = isHostNetworkNode(node, hostNetworkLabel);
  const pool = poolMembers(objects, nodePoolLabel).find(
    (each) => each.labels[nodePoolLabel] === node.labels[nodePoolLabel],
  );
  const made = podsOf(workload, node, nodePoolLabel, pool?.poolLabels);
  if (!isPods(made)) {
    return { pools: [name], hostNetwork, outcome: made.outcome, reasons: [reasonOf(target, made)] };
  }
  const answers = made.map((given) => {
    const pod = judge.created(given);
    const on = judge.without(workload, node);
    const { outcome, refusal } = judge.verdict(workload, pod, on);
    const all = [...(refusal === undefined ? [] : [refusal]), ...judge.refusals(workload, pod, on)];
    return {
      outcome,
      reasons:
        outcome === 'runs'
          ? groundsOf(pod, on).map((each) => reasonOf(target, { ...each, outcome }))
          : distinct(all.map((each) => reasonOf(target, each))),
    };
  });
  const best = answers.find(({ outcome }) => outcome === 'runs') ?? answers[0];
  const reach = best?.outcome === 'runs' ? reachOf(target, objects, hostNetwork, pool) : {};
  return best === undefined ? undefined : { pools: [name], hostNetwork, ...best, ...reach };
}

function reachOf(
  target: PlainMap,
  objects: readonly PlainMap[],
  hostNetwork: boolean,
  { interConnected = false }: Pick<PoolMember, 'interConnected'> = {},
): Pick<Explanation, 'reachable'> {
  const reachable = reachableFrom(target, objects, { hostNetwork, interConnected });
  return reachable.length === 0 ? {} : { reachable };
}

function reasonsOn(
  workload: Workload,
  member: PoolMember,
  { nodePoolLabel, hostNetworkLabel }: Required<FleetLabels>,
  judge: FleetJudge,
): Reason[] {
  const made = podsOf(workload, member, nodePoolLabel, member.poolLabels);
  return isPods(made)
    ? made.flatMap((given) => {
        const pod = judge.created(given);
        const example = { ...namedNode(pod.spec, member), pods: [] };
        return (member.nodes ?? [example]).flatMap((node) => {
          const there = judge.bound.on(node.name).map((each) => each.pod);
          const on = judge.without(workload, { ...node, pods: there, poolLabel: nodePoolLabel });
          return judge
            .refusals(workload, pod, on)
            .map((refusal) =>
              reasonOf(workload.object, { ...refusal, reason: shownReason(refusal, pod.spec, on, hostNetworkLabel) }),
            );
        });
      })
    : [reasonOf(workload.object, made)];
}

/** Why the Pods of a workload may run on the nodes of a pool, which are alike in what they say. */
function groundsIn(
  workload: Workload,
  member: PoolMember,
  { nodePoolLabel }: Required<FleetLabels>,
  judge: FleetJudge,
): Reason[] {
  const made = podsOf(workload, member, nodePoolLabel, member.poolLabels);
  const grounds = (isPods(made) ? made : []).flatMap((given) => {
    const pod = judge.created(given);
    const node = { ...(member.nodes?.[0] ?? namedNode(pod.spec, member)), pods: [], poolLabel: nodePoolLabel };
    return groundsOf(pod, node).map((each) => reasonOf(workload.object, { ...each, outcome: 'runs' }));
  });
  return distinct(grounds);
}

function podsOf(
  workload: Workload,
  node: PlacementNode,
  poolLabel: string,
  poolLabels: Readonly<Record<string, unknown>> | undefined = undefined,
): ReturnType<Workload['podsFor']> {
  return workload.podsFor({ pool: node.labels[poolLabel], poolLabels, taints: node.taints ?? [], poolLabel });
}

function isPods(made: ReturnType<Workload['podsFor']>): made is readonly PlacementPod[] {
  return Array.isArray(made);
}

/** The field of a Pod spec about which a component decides. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  NodeName: ['nodeName'],
  NodeAffinity: ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'],
  TaintToleration: ['tolerations'],
  NodeUnschedulable: ['tolerations'],
  NodePorts: ['containers'],
  NodeResourcesFit: ['containers'],
  PodTopologySpread: ['topologySpreadConstraints'],
  InterPodAffinity: ['affinity'],
  SchedulingGates: ['schedulingGates'],
  schedulerName: ['schedulerName'],
  VolumeBinding: ['volumes'],
  VolumeRestrictions: ['volumes'],
  VolumeZone: ['volumes'],
};

type Refused = Omit<Reason, 'field'> & { readonly field?: ObjectPath };

function reasonOf(object: PlainMap, { by, outcome, reason, field = FIELDS[by] ?? [] }: Refused): Reason {
  const [place] = podPlaces(object);
  const spec = place === undefined ? [] : place.isTemplate ? [...place.path, 'spec'] : place.path;
  return { by, outcome, reason, field: place?.isTemplate === true ? [...spec, ...field] : spec };
}

function distinct(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(
    ({ by, reason }, index) => reasons.findIndex((each) => each.by === by && each.reason === reason) === index,
  );
}

/** What a Pod says about nodes that lets it run on one: who reads it, what, and its field in the Pod spec. */
export interface RunGround {
  readonly by: string;
  readonly reason: string;
  readonly field: ObjectPath;
}

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];

/** Why a Pod may run on a node: what of it selects the node, and what tolerates the taints of the node. */
function groundsOf({ spec, isDaemon = false }: PlacementPod, node: ClusterNode): RunGround[] {
  const name = nodeNameOf(spec);
  const selected = Object.keys(mapAt(spec, 'nodeSelector')).map((key): RunGround => ({
    by: 'NodeAffinity',
    reason: `the node has the label ${key}=${node.labels[key] ?? ''}`,
    field: ['nodeSelector', key],
  }));
  const terms = requiredTerms(spec) ?? [];
  const term = terms.findIndex((each) => termHolds(each, node) === true);
  const required: RunGround[] =
    term < 0
      ? []
      : [
          {
            by: 'NodeAffinity',
            reason:
              terms.length === 1
                ? 'the node matches the required term'
                : `the node matches term ${term + 1} of ${terms.length}`,
            field: [...REQUIRED, term],
          },
        ];
  const named: RunGround[] =
    name === undefined ? [] : [{ by: 'NodeName', reason: `names ${name}`, field: ['nodeName'] }];
  const grounds = [...named, ...selected, ...required];
  return [
    ...(grounds.length > 0
      ? grounds
      : [
          {
            by: 'NodeAffinity',
            reason: 'requires nothing of a node: no nodeSelector, no required node affinity',
            field: [],
          },
        ]),
    ...(node.taints ?? []).flatMap((taint) => toleratedBy(spec, isDaemon, taint)),
  ];
}

/** How a taint that keeps Pods away is tolerated; nothing for others. */
function toleratedBy(spec: PlacementPod['spec'], isDaemon: boolean, taint: Taint): RunGround[] {
  const isMeant = (toleration: PlainMap): boolean => tolerates(toleration, taint);
  const index = (Array.isArray(spec.tolerations) ? spec.tolerations : []).findIndex(
    (each: unknown) => isMap(each) && isMeant(each),
  );
  if (taint.effect === 'PreferNoSchedule' || !tolerationsOf(spec, isDaemon).some(isMeant)) {
    return [];
  }
  const reason = `tolerates the taint ${shownTaint(taint)}`;
  return [
    index < 0
      ? { by: 'TaintToleration', reason: `${reason}, as its controller or the API server adds it`, field: [] }
      : { by: 'TaintToleration', reason, field: ['tolerations', index] },
  ];
}
