import { hostPortsOf } from '../workloads/host-ports.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { nameOf } from '../kubernetes/object.js';
import { isAloneOnNode } from './pod-affinity.js';
import type { PlacementPod } from './placement-pod.js';
import type { FleetJudge } from './fleet-judge.js';
import type { OutageUnit } from './outage-units.js';
import { whyNotOn } from './pod-placement.js';
import { type FleetNode, type NodeGroup, singles } from './outage-fleet.js';

/** The Nodes among which places are. */
export interface PlacesState {
  readonly nodes: readonly FleetNode[];
  readonly groups: readonly NodeGroup[];
  readonly judge: FleetJudge;
  /** Of each Pod, whether it starts on a Node: an outage does not change it. */
  readonly started: Map<string, Map<string, boolean>>;
}

/** Where the Pods of a workload can be: Nodes that are up and down, by group. */
export interface Places {
  readonly groups: readonly NodeGroup[];
  /** Nodes that are up. */
  readonly up: number;
  /** Nodes that are unreachable. */
  readonly down: readonly FleetNode[];
  /** Whether a Node can have one Pod only, because they need the same port of it, or are kept apart by their affinity. */
  readonly onePerNode: boolean;
  /** Whether an old and a new Pod of a rollout also need their own Node. */
  readonly onePerNodeInRollout: boolean;
  /** Fields by which the scheduler also decides, and which are not read. */
  readonly unread: readonly string[];
}

/** The Nodes on which a Pod of a template starts. */
export function placesOf(
  { of, kind, pod, isStatic }: Pick<OutageUnit, 'of' | 'kind' | 'pod' | 'isStatic'>,
  { nodes, groups, judge, started }: PlacesState,
): Places {
  const isDaemon = kind === 'DaemonSet';
  const podSpec = pod.spec;
  // a Node by its name, or by the label that only it has
  const isByName = /"kubernetes\.io\/hostname"|"metadata\.name"|"nodeName"/.test(
    JSON.stringify([podSpec.affinity, podSpec.nodeSelector, podSpec.nodeName === undefined ? '' : { nodeName: '' }]),
  );
  const podKey = JSON.stringify([nameOf(of.object), isStatic, pod]);
  const known = started.get(podKey) ?? new Map<string, boolean>();
  started.set(podKey, known);
  const isFor = ({ example }: NodeGroup): boolean => {
    const node = `${example.pool} ${example.name}`;
    // nothing admits or schedules a static Pod
    const starts =
      known.get(node) ?? (isStatic ? whyNotOn(podSpec, example) === undefined : judge.starts(of, pod, example));
    known.set(node, starts);
    return starts;
  };
  const able = (isByName ? singles(nodes) : groups).filter(isFor);
  const takesPort = isDaemon || hostPortsOf(podSpec).length > 0 || hasHostPort(pod);
  const isApart = isAloneOnNode(pod);
  return {
    groups: able,
    up: able.reduce((sum, { up }) => sum + up, 0),
    down: able.flatMap(({ down }) => down),
    onePerNode: takesPort || isApart,
    // with the hash of the template among the labels that must be the same, Pods of one revision are kept apart only
    onePerNodeInRollout:
      takesPort || (isApart && !required(pod, 'podAntiAffinity').some(({ matchLabelKeys }) => hasHash(matchLabelKeys))),
    unread: unreadIn(pod),
  };
}

function required(pod: PlacementPod, field: 'podAffinity' | 'podAntiAffinity'): PlainMap[] {
  const terms = mapAt(mapAt(pod.spec, 'affinity'), field).requiredDuringSchedulingIgnoredDuringExecution;
  return Array.isArray(terms) ? terms.filter(isMap) : [];
}

const hasHash = (keys: unknown): boolean => Array.isArray(keys) && keys.includes('pod-template-hash');

function hasHostPort({ spec }: PlacementPod): boolean {
  return JSON.stringify(spec.containers ?? []).includes('"hostPort":');
}

function unreadIn(pod: PlacementPod): string[] {
  const { topologySpreadConstraints } = pod.spec;
  const spreads = Array.isArray(topologySpreadConstraints) ? topologySpreadConstraints.filter(isMap) : [];
  const claims = Array.isArray(pod.spec.volumes) ? pod.spec.volumes.filter(isMap) : [];
  const found: [string, boolean][] = [
    // a volume may be of its Node, or be attached to it until that is back
    ['persistentVolumeClaim', claims.some((volume) => 'persistentVolumeClaim' in volume || 'ephemeral' in volume)],
    ['podAffinity', required(pod, 'podAffinity').length > 0],
    ['podAntiAffinity', required(pod, 'podAntiAffinity').length > (isAloneOnNode(pod) ? 1 : 0)],
    ['topologySpreadConstraints', spreads.some(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway')],
  ];
  return found.filter(([, isUnread]) => isUnread).map(([field]) => field);
}
