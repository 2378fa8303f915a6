import type { Taint } from '../kubernetes/taint.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import { isMap, mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { portsClash, showPort } from '../workloads/host-ports.js';
import { tolerates } from '../workloads/pool-selection.js';
import { HOSTNAME, nodeAffinityHolds, selectorLabelHolds, termHolds } from './node-affinity-match.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import { knownRequests, nodeNameOf, type PlacementPod, takenPorts, tolerationsOf } from './placement-pod.js';
import { interPodAffinity } from './pod-affinity.js';
import { freeOn, isExtended, type Room, shownRoom } from './room.js';
import { topologySpread } from './topology-spread.js';
import type { Refusal } from './verdict.js';
import { volumeBinding, volumesOfPod, volumeZone } from './volume-filters.js';

/** A filter of the scheduler: why a Pod is not for a node. */
type Filter = (pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster) => Refusal | undefined;

/**
 * The filters of kube-scheduler's default profile, in its order (pkg/scheduler/apis/config/v1/default_plugins.go), with what it finds before it looks at
 * nodes first. Not among them: preemption, NodeVolumeLimits (it needs the CSINode), gangs of Pods; dynamic resources are not judged.
 */
const FILTERS: readonly Filter[] = [
  schedulerName,
  schedulingGates,
  (pod, _, cluster) => volumesOfPod(pod, cluster),
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeBinding,
  volumeZone,
  topologySpread,
  interPodAffinity,
  nodeDeclaredFeatures,
  dynamicResources,
];

/** Why the scheduler does not put a Pod on a node: nothing if it can. */
export function refusalsOf(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal[] {
  return FILTERS.flatMap((filter) => filter(pod, node, cluster) ?? []);
}

function schedulerName({ spec }: PlacementPod): Refusal | undefined {
  const { schedulerName: name } = spec;
  return typeof name !== 'string' || name === '' || name === 'default-scheduler'
    ? undefined
    : { by: 'schedulerName', outcome: 'unknown', reason: `its scheduler is ${name}` };
}

function schedulingGates({ spec }: PlacementPod): Refusal | undefined {
  const gates = Array.isArray(spec.schedulingGates) ? spec.schedulingGates.filter(isMap) : [];
  return gates.length === 0
    ? undefined
    : {
        by: 'SchedulingGates',
        outcome: 'waits',
        reason: `for its scheduling gates: ${gates.map(({ name }) => String(name)).join(', ')}`,
      };
}

function dynamicResources({ spec }: PlacementPod): Refusal | undefined {
  return Array.isArray(spec.resourceClaims) && spec.resourceClaims.length > 0
    ? { by: 'DynamicResources', outcome: 'unknown', reason: 'its resource claims are not judged' }
    : undefined;
}

/** Whether a container of a Pod has something in a list. */
const hasInList = ({ initContainers, containers }: PlainMap, has: (container: PlainMap) => boolean): boolean =>
  [initContainers, containers].flat().some((each) => isMap(each) && has(each));

const listOf = (value: unknown): PlainMap[] => (Array.isArray(value) ? value.filter(isMap) : []);

/** What Pods need of a Node that declares it (component-helpers nodedeclaredfeatures/features, InferForScheduling). */
const NEEDS: Readonly<Record<string, (spec: PlainMap) => boolean>> = {
  UserNamespacesHostNetworkSupport: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false,
  RestartAllContainersOnContainerExits: (spec) =>
    hasInList(spec, ({ restartPolicyRules }) =>
      listOf(restartPolicyRules).some(({ action }) => action === 'RestartAllContainers'),
    ),
  VolumeBindMountOptions: (spec) =>
    hasInList(spec, ({ volumeMounts }) =>
      listOf(volumeMounts).some(({ bindMountOptions: of }) => Array.isArray(of) && of.length > 0),
    ),
};

/** A feature that a Pod needs, and that its node does not declare (nodedeclaredfeatures.go; kubelet: handlers.go). */
export function nodeDeclaredFeatures(
  { spec }: PlacementPod,
  { declaredFeatures }: ClusterNode,
  { kubernetes }: Pick<PlacementCluster, 'kubernetes'>,
): Refusal | undefined {
  const missing = kubernetes.declaredFeatures.find(
    (feature) => declaredFeatures?.includes(feature) !== true && NEEDS[feature]?.(spec) === true,
  );
  return missing === undefined
    ? undefined
    : declaredFeatures === undefined
      ? {
          by: 'NodeDeclaredFeatures',
          outcome: 'unknown',
          reason: `whether its nodes declare the feature ${missing} is not in the manifests`,
        }
      : {
          by: 'NodeDeclaredFeatures',
          outcome: 'excluded',
          reason: `needs the feature ${missing}, which the node does not declare`,
        };
}

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function nodeUnschedulable(pod: PlacementPod, { isUnschedulable }: ClusterNode): Refusal | undefined {
  return isUnschedulable !== true || isTolerated(pod, UNSCHEDULABLE)
    ? undefined
    : { by: 'NodeUnschedulable', outcome: 'excluded', reason: 'the node is cordoned' };
}

function isTolerated({ spec, isDaemon }: PlacementPod, taint: Taint): boolean {
  return tolerationsOf(spec, isDaemon).some((toleration) => tolerates(toleration, taint));
}

/** A Pod that names its node is not the scheduler's: it is on that node and on no other. */
export function nodeName({ spec }: PlacementPod, { name, openLabels = [] }: ClusterNode): Refusal | undefined {
  const named = nodeNameOf(spec);
  if (named === undefined || named === name) {
    return undefined;
  }
  return openLabels.includes(HOSTNAME)
    ? { by: 'NodeName', outcome: 'unknown', reason: `whether node ${named} is in the pool is not in the manifests` }
    : { by: 'NodeName', outcome: 'excluded', reason: `spec.nodeName ${named}` };
}

export function taintToleration(pod: PlacementPod, node: ClusterNode): Refusal | undefined {
  return taintRefusal(pod, node, ['NoSchedule', 'NoExecute']);
}

/** The first taint with one of the effects that a Pod does not tolerate. */
export function taintRefusal(
  pod: PlacementPod,
  { taints = [] }: ClusterNode,
  effects: readonly Taint['effect'][],
): Refusal | undefined {
  const taint = taints.find((each) => effects.includes(each.effect) && !isTolerated(pod, each));
  return taint === undefined
    ? undefined
    : { by: 'TaintToleration', outcome: 'excluded', reason: `taint ${shownTaint(taint)}` };
}

export function shownTaint({ key, value = '', effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** nodeSelector and required node affinity, in the words of their fields. */
export function nodeAffinity({ spec }: PlacementPod, node: ClusterNode): Refusal | undefined {
  const holds = nodeAffinityHolds(spec, node);
  if (holds === true) {
    return undefined;
  }
  if (holds === undefined) {
    const label = (node.openLabels ?? []).find(
      (key) =>
        nodeAffinityHolds(spec, { ...node, openLabels: (node.openLabels ?? []).filter((each) => each !== key) }) !==
        undefined,
    );
    return {
      by: 'NodeAffinity',
      outcome: 'unknown',
      reason: `it depends on the label ${label ?? 'values'} of its nodes`,
    };
  }
  const missing = Object.entries(mapAt(spec, 'nodeSelector')).find(
    ([key, value]) => selectorLabelHolds(key, value, node) === false,
  );
  return missing === undefined
    ? { by: 'NodeAffinity', outcome: 'excluded', ...termsReason(requiredTerms(spec) ?? [], node) }
    : {
        by: 'NodeAffinity',
        outcome: 'excluded',
        reason:
          missing[0] === node.poolLabel
            ? `only ${String(missing[1])}`
            : `nodeSelector ${missing[0]}=${String((missing[1] as string | null) ?? '')}`,
        field: ['nodeSelector', missing[0]],
      };
}

const TERMS = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];

/** Most alternatives of a node affinity that a reason names, and most values of one. */
const [MOST_TERMS, MOST_VALUES] = [3, 5] as const;

/**
 * `requires site In hz, bj`, or `only hz, bj` for pools: the first requirement of each term that does not hold; of the same ones only one. The values of the
 * node are left out, so that pools with the same reason are shown together.
 */
function termsReason(terms: readonly PlainMap[], node: ClusterNode): Pick<Refusal, 'reason' | 'field'> {
  let failing: ObjectPath = [];
  const reasons = terms.map((term, index) => {
    for (const field of ['matchExpressions', 'matchFields'] as const) {
      const list = Array.isArray(term[field]) ? term[field].filter(isMap) : [];
      const failed = list.find((each) => termHolds({ [field]: [each] }, node) === false);
      if (failed !== undefined) {
        failing = [index, field, list.indexOf(failed)];
        return shownRequirement(failed, node);
      }
    }
    return 'an empty term, which matches no node';
  });
  return {
    reason:
      reasons.length === 0
        ? 'required node affinity without a term, which matches no node'
        : first([...new Set(reasons)], MOST_TERMS).join(' or '),
    field: [...TERMS, ...(terms.length === 1 ? failing : [])],
  };
}

function first(texts: readonly string[], most: number): readonly string[] {
  return texts.length > most ? [...texts.slice(0, most), `${texts.length - most} more`] : texts;
}

function shownRequirement({ key, operator, values }: PlainMap, { poolLabel }: ClusterNode): string {
  const listed = first(Array.isArray(values) ? values.map(String) : [], MOST_VALUES).join(', ');
  return key === poolLabel && operator === 'In'
    ? `only ${listed}`
    : `requires ${String(key)} ${String(operator)}${listed === '' ? '' : ` ${listed}`}`;
}

/** The ports of a node that are taken. */
export function nodePorts(pod: PlacementPod, { pods }: ClusterNode): Refusal | undefined {
  const wanted = takenPorts(pod.spec);
  for (const other of wanted.length === 0 ? [] : pods) {
    const port = takenPorts(other.spec).find((each) => wanted.some((own) => portsClash(own, each)));
    if (port !== undefined) {
      return {
        by: 'NodePorts',
        outcome: 'port taken',
        reason: `${showPort(port)} by ${other.title}`,
      };
    }
  }
  return undefined;
}

/** Room on a node. If what it can allocate is not known, room is not judged, but a resource that not every node has is. */
export function nodeResourcesFit(pod: PlacementPod, { allocatable, pods }: ClusterNode): Refusal | undefined {
  if (allocatable === undefined) {
    const device = Object.keys(knownRequests(pod.spec) ?? {}).find(isExtended);
    return device === undefined
      ? undefined
      : {
          by: 'NodeResourcesFit',
          outcome: 'unknown',
          reason: `whether its nodes have ${device} is not in the manifests`,
        };
  }
  const requests = knownRequests(pod.spec);
  const missing = freeOn(allocatable, pods, requests ?? {}).find(({ wanted, free }) => wanted > 0n && wanted > free);
  if (missing !== undefined) {
    return { by: 'NodeResourcesFit', outcome: 'no room', reason: roomReason(missing, pods.length) };
  }
  return requests === undefined || pods.some(({ spec }) => knownRequests(spec) === undefined)
    ? { by: 'NodeResourcesFit', outcome: 'unknown', reason: 'requests are not in the manifests' }
    : undefined;
}

function roomReason({ resource, wanted, free }: Room, pods: number): string {
  const shown = (amount: bigint): string => shownRoom(resource, amount);
  return resource === 'pods'
    ? `pods: the node takes ${free + BigInt(pods)}, and has ${pods}`
    : `${resource}: requests ${shown(wanted)}, ${shown(free < 0n ? 0n : free)} is free: ${shown(wanted - free)} too little`;
}
