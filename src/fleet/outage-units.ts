import { nameOf } from '../kubernetes/object.js';
import { podPlaces, podSpecAt, type PodPlace } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { type Demand, demandOf } from '../workloads/workload-size.js';
import { type Workload, workloadOf } from './made-pods.js';
import { type PlacementPod, placementPod } from './placement-pod.js';
import { type FleetNode, NO_POOL } from './outage-fleet.js';
import { isMirrorPod, ownerOf } from './pod-stay.js';

/** What one controller makes of a workload: all of its Pods, or those of one pool of a YurtAppSet or YurtAppDaemon. */
export interface OutageUnit {
  /** `Deployment default/web` */
  readonly workload: string;
  /** The workload, as it is judged. */
  readonly of: Workload;
  /** Pool of a Deployment or StatefulSet that OpenYurt makes in each. */
  readonly pool?: string;
  /** Kind of what makes the Pods. */
  readonly kind: string;
  /** Its spec. */
  readonly spec: PlainMap;
  /** A Pod of its template. */
  readonly pod: PlacementPod;
  readonly demand: Demand;
  /** Its Pods; undefined if the manifests have no Pods. */
  readonly there: readonly PlainMap[] | undefined;
  /** Whether kubelet runs it from a file. */
  readonly isStatic: boolean;
  /** Name of what controls a Pod, and is not in the manifests. */
  readonly controller?: string;
  /** What is not known of its Pods. */
  readonly unknown?: string;
}

/** What is known of the pools and their Pods. */
export interface UnitState {
  readonly nodes: readonly FleetNode[];
  readonly nodePoolLabel: string;
  /** Labels of the NodePools, by name. */
  readonly poolLabels: ReadonlyMap<string, PlainMap>;
  /** Pods of the manifests by the name of their workload; undefined if there are none. */
  readonly pods: ReadonlyMap<string, readonly PlainMap[]> | undefined;
}

/** Kinds of which OpenYurt makes a Deployment or StatefulSet in each pool. */
const isOfEachPool = ({ kind }: PlainMap): boolean => kind === 'YurtAppSet' || kind === 'YurtAppDaemon';

/**
 * The parts of a workload.
 *
 * @param nodes of these pools only, for a YurtAppSet
 */
export function unitsOf(object: PlainMap, state: UnitState, nodes: readonly FleetNode[]): OutageUnit[] {
  const places = podPlaces(object);
  const workload = nameOf(object);
  const there = state.pods?.get(workload) ?? (state.pods === undefined ? undefined : []);
  const [place] = places;
  const of = workloadOf(object);
  if (of === undefined) {
    return [];
  }
  if (isOfEachPool(object) && place !== undefined) {
    const examples = new Map(nodes.filter(({ pool }) => pool !== NO_POOL).map((node) => [node.pool, node]));
    const poolOf = new Map(there === undefined ? [] : state.nodes.map(({ name, pool }) => [name, pool]));
    return [...examples.values()].flatMap((node) => {
      const unit = unitOf(of, place, node, state);
      const own = there?.filter((pod) => poolOf.get(String(mapAt(pod, 'spec').nodeName)) === node.pool);
      return unit === undefined ? [] : [{ ...unit, there: own }];
    });
  }
  const isStateful = JSON.stringify(object).includes('"statefulSetTemplate"');
  const demand = object.kind === 'YurtStaticSet' ? 'every node' : demandOf(object);
  const controller = object.kind === 'Pod' ? ownerOf(object) : undefined;
  // Pods do not say of which template they are
  return (there === undefined ? places : places.slice(0, 1)).map((each) => ({
    ...{ workload, of },
    kind: isStateful ? 'StatefulSet' : String(object.kind),
    spec: mapAt(object, 'spec'),
    pod: { ...placementPod(object, each), spec: podSpecAt(object, each) },
    demand,
    there,
    isStatic: object.kind === 'YurtStaticSet' || isMirrorPod(object),
    ...(controller === undefined ? {} : { controller }),
  }));
}

/** Which of its Pods are on Nodes that are unreachable: a StatefulSet numbers them from `ordinals.start` on. */
export function ordinalsAway({ there, spec }: OutageUnit, { nodes }: UnitState): { ordinals?: readonly number[] } {
  if (there === undefined) {
    return {};
  }
  const down = new Set(nodes.filter(({ isDown }) => isDown).map(({ name }) => name));
  const { start } = mapAt(spec, 'ordinals');
  const ordinals = there
    .filter((pod) => down.has(String(mapAt(pod, 'spec').nodeName)))
    .map((pod) => Number(String(mapAt(pod, 'metadata').name).split('-').at(-1)));
  return { ordinals: ordinals.map((ordinal) => ordinal - (typeof start === 'number' ? start : 0)) };
}

/** What OpenYurt makes in the pool of a Node; undefined if nothing. */
function unitOf(
  of: Workload,
  place: PodPlace,
  { pool, taints = [] }: FleetNode,
  { nodePoolLabel, poolLabels }: UnitState,
): Omit<OutageUnit, 'there'> | undefined {
  const asked = { pool, taints, poolLabels: poolLabels.get(pool), poolLabel: nodePoolLabel };
  const { object } = of;
  const pods = of.podsFor(asked);
  const isRefused = 'outcome' in pods;
  if (isRefused && pods.outcome === 'excluded') {
    return undefined;
  }
  const template = podSpecAt(object, place);
  const inPool = { ...template, nodeSelector: { ...mapAt(template, 'nodeSelector'), [nodePoolLabel]: pool } };
  const spec = valueAt(object, place.path.slice(0, -1));
  return {
    workload: nameOf(object),
    ...{ of, pool },
    kind: place.path.includes('statefulSetTemplate') ? 'StatefulSet' : 'Deployment',
    spec: isMap(spec) ? spec : {},
    pod: { ...placementPod(object, place), spec: isRefused ? inPool : (pods[0]?.spec ?? inPool) },
    isStatic: false,
    demand: of.demandIn(asked),
    ...(isRefused && pods.outcome === 'unknown' ? { unknown: pods.reason } : {}),
  };
}
