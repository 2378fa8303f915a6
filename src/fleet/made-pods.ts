import { workloadKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { podTracesIn } from '../kubernetes/pod-traces.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import type { Taint } from '../kubernetes/taint.js';
import { isMap, mapAt, type PlainMap, withoutValueAt } from '../base/plain-data.js';
import { type Demand, demandOf, isSuspended, writtenDemand } from '../workloads/workload-size.js';
import { type PlacementPod, placementPod } from './placement-pod.js';
import { isRefusal, type Refusal } from './verdict.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** What a workload is asked about. */
export interface AskedPool {
  /** Name of the pool; undefined for a node that is in none. */
  readonly pool: string | undefined;
  /** Labels of the NodePool object, by which OpenYurt's controllers select it; undefined if there is none. */
  readonly poolLabels: Readonly<Record<string, unknown>> | undefined;
  readonly taints: readonly Taint[];
  /** The node label with the name of the pool. */
  readonly poolLabel: string;
}

/** A workload, and the Pods that its controller makes. */
export interface Workload {
  /** `Deployment default/web` */
  readonly name: string;
  readonly object: PlainMap;
  readonly isDaemon: boolean;
  /** Whether its controller makes all of its Pods in each pool. */
  readonly isOfEachPool?: boolean;
  /** The Pod specs in it, before its controller changes them. */
  readonly specs: readonly PlainMap[];
  /** How many Pods it has in a pool. */
  readonly demandIn: (pool: AskedPool) => Demand;
  /** The Pods for the nodes of a pool, or why there are none, or why they are not known. */
  readonly podsFor: (pool: AskedPool) => readonly PlacementPod[] | Refusal;
}

/** The workload that an object is; undefined if no Pods come of it. */
export function workloadOf(object: PlainMap): Workload | undefined {
  const places = podPlaces(object);
  const name = nameOf(object);
  const demand = places.length === 0 ? 1 : demandOf(object);
  const made = {
    name,
    object,
    isDaemon: object.kind === 'DaemonSet',
    specs: places.map((place) => podSpecAt(object, place)),
    demandIn: (): Demand => demand,
  };
  const idle = places.length === 0 ? undefined : whyIdle(object, demand);
  if (idle !== undefined) {
    return { ...made, demandIn: () => 0, podsFor: () => waiting(idle) };
  }
  if (places.length > 0) {
    const pods = places.map((place) => placementPod(object, place));
    if (object.kind === 'YurtAppSet') {
      return {
        ...made,
        isOfEachPool: true,
        demandIn: (pool) => replicasIn(object, pool) ?? writtenDemand(object),
        podsFor: (pool) => {
          const inPool = yurtAppSet(object, pods, pool);
          const isOut = isRefusal(inPool) && inPool.outcome === 'excluded';
          return !isOut && (replicasIn(object, pool) ?? writtenDemand(object)) === 0 ? waiting(NO_REPLICAS) : inPool;
        },
      };
    }
    const controller = CONTROLLERS[String(object.kind)];
    return { ...made, podsFor: (pool) => (controller === undefined ? pods : controller(object, pods, pool)) };
  }
  if (object.kind === 'PlatformAdmin') {
    return { ...made, podsFor: (pool) => platformAdmin(object, pool) };
  }
  const isUnread = workloadKindOf(object) === undefined && podTracesIn(object).length > 0;
  const refusal = unknown(`${String(object.kind)} ${String(object.apiVersion)} is not a known kind of workloads`);
  return isUnread ? { ...made, podsFor: () => refusal } : undefined;
}

const NO_REPLICAS = 'for replicas: it has 0';

/** Why no Pods are made of a template, on no node whatsoever; undefined if there are some. */
function whyIdle(object: PlainMap, demand: Demand): string | undefined {
  const { phase } = mapAt(object, 'status');
  return object.kind === 'PodTemplate'
    ? 'for a controller: Kubernetes has none that makes Pods of a PodTemplate'
    : object.kind === 'Pod' && (phase === 'Succeeded' || phase === 'Failed')
      ? `for nothing: it has ended (${phase}), and is not started again`
      : isSuspended(object)
        ? 'for spec.suspend to be false: it makes no Pods'
        : demand === 0
          ? NO_REPLICAS
          : undefined;
}

function waiting(reason: string): Refusal {
  return { by: 'workload', outcome: 'waits', reason };
}

type Controller = (
  object: PlainMap,
  pods: readonly PlacementPod[],
  pool: AskedPool,
) => readonly PlacementPod[] | Refusal;

/** Controllers of OpenYurt that make something else of a template for each pool. */
const CONTROLLERS: Readonly<Record<string, Controller>> = {
  YurtAppDaemon: yurtAppDaemon,
  YurtStaticSet: () => unknown('a static Pod runs where its file is'),
};

function textsAt(map: PlainMap, field: string): readonly string[] {
  return Array.isArray(map[field]) ? (map[field] as unknown[]).map(String) : [];
}

function excluded(reason: string): Refusal {
  return { by: 'OpenYurt', outcome: 'excluded', reason };
}

function unknown(reason: string): Refusal {
  return { by: 'workload', outcome: 'unknown', reason };
}

/** Whether a selector of NodePools selects one; undefined if its labels are not known. */
function selects(selector: unknown, { poolLabels }: AskedPool): boolean | undefined {
  const isEmpty = isMap(selector) && Object.values(selector).every((each) => each === undefined || each === null);
  return !isMap(selector)
    ? false
    : isEmpty
      ? true
      : poolLabels === undefined
        ? undefined
        : selectsLabels(selector, poolLabels);
}

/** OpenYurt 1.5 to 1.7: workloadmanager/util.go getSelectedNodepools, deployment_manager.go ApplyTemplate. */
function yurtAppSet(
  object: PlainMap,
  pods: readonly PlacementPod[],
  asked: AskedPool,
): readonly PlacementPod[] | Refusal {
  const spec = mapAt(object, 'spec');
  const { pool } = asked;
  if (pool === undefined) {
    return excluded('a YurtAppSet makes Pods for NodePools only');
  }
  const topology = poolsOfTopology(spec, asked.poolLabel);
  if (topology === undefined) {
    return unknown('spec.topology.pools select nodes by other labels than that of the pool');
  }
  const named = [...textsAt(spec, 'pools'), ...topology];
  const selected = selects(spec.nodepoolSelector, asked);
  if (!named.includes(pool) && selected !== true) {
    return selected === undefined
      ? unknown('the labels of the NodePool, which spec.nodepoolSelector selects by, are not in the manifests')
      : excluded(
          isMap(spec.nodepoolSelector)
            ? 'spec.nodepoolSelector does not select the pool'
            : named.length === 0
              ? 'spec.pools is empty'
              : `only ${named.join(', ')}`,
        );
  }
  const changed = ['patch', 'tolerations'].find((field) => {
    const value = topologyOf(spec, pool)?.[field];
    return isMap(value) || (Array.isArray(value) && value.length > 0);
  });
  if (changed !== undefined) {
    return unknown(
      `spec.topology.pools has a field ${changed} for this pool, which releases of OpenYurt read differently`,
    );
  }
  const { workloadTweaks } = mapAt(spec, 'workload');
  const isPatched = (Array.isArray(workloadTweaks) ? workloadTweaks.filter(isMap) : []).some((tweak) => {
    const { patches } = mapAt(tweak, 'tweaks');
    const isFor = textsAt(tweak, 'pools').includes(pool) || selects(tweak.nodepoolSelector, asked) !== false;
    return isFor && Array.isArray(patches) && patches.length > 0;
  });
  return isPatched
    ? unknown('spec.workload.workloadTweaks patch the template for this pool')
    : pods.map((pod) =>
        withSpec(pod, { nodeSelector: { ...mapAt(pod.spec, 'nodeSelector'), [asked.poolLabel]: pool } }),
      );
}

/** What `spec.topology` of v1alpha1 says of a pool. */
function topologyOf(spec: PlainMap, pool: string | undefined): PlainMap | undefined {
  const { pools } = mapAt(spec, 'topology');
  return (Array.isArray(pools) ? pools.filter(isMap) : []).find((each) => {
    const { matchExpressions } = mapAt(each, 'nodeSelectorTerm');
    const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isMap) : [];
    return pool !== undefined && expressions.some((expression) => textsAt(expression, 'values').includes(pool));
  });
}

/** The replicas that tweaks, or the topology of v1alpha1, set for a pool; the last one counts. */
function replicasIn(object: PlainMap, asked: AskedPool): number | undefined {
  const { replicas: ofPool } = topologyOf(mapAt(object, 'spec'), asked.pool) ?? {};
  if (typeof ofPool === 'number') {
    return ofPool;
  }
  const { workloadTweaks } = mapAt(mapAt(object, 'spec'), 'workload');
  return (Array.isArray(workloadTweaks) ? workloadTweaks.filter(isMap) : [])
    .filter(
      (tweak) => textsAt(tweak, 'pools').includes(asked.pool ?? '') || selects(tweak.nodepoolSelector, asked) === true,
    )
    .map((tweak) => mapAt(tweak, 'tweaks').replicas)
    .filter((replicas) => typeof replicas === 'number')
    .at(-1);
}

/** The pools of `spec.topology` of v1alpha1, which 1.5 and later convert to `spec.pools`; undefined if its terms have other requirements. */
function poolsOfTopology(spec: PlainMap, poolLabel: string): readonly string[] | undefined {
  const { pools } = mapAt(spec, 'topology');
  const found = (Array.isArray(pools) ? pools.filter(isMap) : []).map((pool) => {
    const { matchExpressions } = mapAt(pool, 'nodeSelectorTerm');
    const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isMap) : [];
    const isOfPools =
      expressions.length === 1 && expressions.every(({ key, operator }) => key === poolLabel && operator === 'In');
    return isOfPools ? expressions.flatMap((each) => textsAt(each, 'values')) : undefined;
  });
  return found.includes(undefined) ? undefined : (found as string[][]).flat();
}

/** OpenYurt 1.4 to 1.6: yurtappdaemon/workloadcontroller/deployment_controller.go ApplyTemplate. */
function yurtAppDaemon(
  object: PlainMap,
  pods: readonly PlacementPod[],
  asked: AskedPool,
): readonly PlacementPod[] | Refusal {
  const selected = selects(mapAt(object, 'spec').nodepoolSelector, asked);
  if (asked.pool === undefined || selected === false) {
    return excluded('spec.nodepoolSelector does not select the pool');
  }
  return selected === undefined
    ? unknown('the labels of the NodePool, which spec.nodepoolSelector selects by, are not in the manifests')
    : pods.map(({ spec, ...pod }) => {
        const own = itemsOf(spec.tolerations);
        const tolerations = asked.taints.map(({ key, effect }) => ({ key, operator: 'Exists', effect }));
        return withSpec(
          { ...pod, spec },
          {
            affinity: withoutValueAt(mapAt(spec, 'affinity'), ['nodeAffinity']),
            nodeSelector: { [asked.poolLabel]: asked.pool },
            tolerations: [...own, ...tolerations],
          },
        );
      });
}

function withSpec(pod: PlacementPod, fields: PlainMap): PlacementPod {
  return { ...pod, spec: { ...pod.spec, ...fields } };
}

/** openyurt pkg/apis/iot, platformadmin_types.go. */
function platformAdmin(object: PlainMap, { pool }: AskedPool): Refusal {
  const { poolName, ...spec } = mapAt(object, 'spec');
  const named = [...(typeof poolName === 'string' ? [poolName] : []), ...textsAt(spec, 'nodepools')];
  return pool !== undefined && named.includes(pool)
    ? unknown('the Pods of a PlatformAdmin are not in its object')
    : excluded(named.length === 0 ? 'spec.nodepools is empty' : `only ${named.join(', ')}`);
}
