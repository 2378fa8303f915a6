import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { resetsTolerations } from '../cluster/openyurt-capabilities.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { type Autonomy, autonomySeconds, OUTAGE_TAINTS } from '../kubernetes/autonomy.js';
import { isAbsent, itemsOf } from '../kubernetes/field-values.js';
import { isKind } from '../kubernetes/group-kind.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { compute, isUnknown } from '../base/unknown.js';
import { type Selection, tolerates, withAdded } from './pool-selection.js';
import { expectedNodesOf, workloadSpecs } from './rollout.js';
import { demandOf } from './workload-size.js';

/** How long the Pods of a workload tolerate that their node is silent. */
export interface Tolerance {
  readonly autonomy: Autonomy;
  /** Infinity: forever. */
  readonly seconds: number;
  /**
   * Exists, or in OpenYurt 1.4 and 1.5 Equal with the empty value of these taints: their PodBinding controller replaces tolerations with operator Exists by
   * those of 300 s, and adds its own behind others, of which the first one that matches counts (GetMatchingTolerations).
   */
  readonly operator: 'Exists' | 'Equal';
}

/**
 * The tolerance that a workload gets, by its autonomy or, without OpenYurt, that of its pools; undefined if nothing is written. There is one mechanism:
 * with OpenYurt the pools' autonomy is that of the nodes, whose PodBinding controller rewrites `tolerationSeconds` of their Pods, and fails on a Pod that
 * tolerates forever (1.6, 1.7: it reads the seconds that are not there, pod_binding_controller.go reconcilePod).
 */
export function toleranceOf(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  workload: PlainMap,
  own: Autonomy | undefined,
  problems: ProblemList,
): Tolerance | undefined {
  const at = problems.at('autonomy');
  const autonomous = pools.filter((pool) => pool.autonomy !== undefined);
  const [first] = autonomous;
  const byNodes = cluster.hasOpenYurt();
  if (byNodes && first !== undefined && autonomySeconds(own) !== undefined) {
    at.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the nodes of ${first.poolName} have the autonomy ${first.autonomy}, with which OpenYurt overwrites tolerationSeconds of their Pods`,
      'leave out autonomy here, or at the pool',
    );
    return undefined;
  }
  const autonomy = own ?? (byNodes ? undefined : first?.autonomy);
  const other = pools.find((pool) => pool.autonomy !== first?.autonomy);
  if (own === undefined && !byNodes && first !== undefined && other !== undefined) {
    at.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the pools ${first.poolName} and ${other.poolName} have the autonomy ${first.autonomy} and ${other.autonomy ?? 'default'}, and the Pods have one template`,
      'write the autonomy of the workload, or one workload for each pool, or the same autonomy at both pools',
    );
    return undefined;
  }
  const seconds = autonomySeconds(autonomy);
  if (autonomy === undefined || seconds === undefined) {
    return undefined;
  }
  // its controller adds tolerations forever, and replaces those with less time (util.AddOrUpdateDaemonPodTolerations)
  if (isKind(workload, 'DaemonSet')) {
    if (seconds !== Infinity && own !== undefined) {
      at.add(
        'EDGE_CONTRADICTION',
        'the Pods of a DaemonSet are never evicted from an unreachable node: its controller adds tolerations without tolerationSeconds',
        "leave autonomy out, or write 'forever'",
      );
    }
    return undefined;
  }
  return { autonomy, seconds, operator: resetsTolerations(cluster) ? 'Equal' : 'Exists' };
}

/**
 * Refuses own tolerations of silent nodes on pools whose nodes have an autonomy: PodBinding overwrites their seconds, and fails on one without
 * (pod_binding_controller.go reconcilePod). Pods of DaemonSets it leaves alone.
 */
export function checkBesideAutonomy(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  workload: PlainMap,
  tolerations: unknown,
  problems: ProblemList,
): void {
  const [first] = pools.filter((pool) => autonomySeconds(pool.autonomy) !== undefined);
  if (first === undefined || !cluster.hasOpenYurt() || isKind(workload, 'DaemonSet') || !Array.isArray(tolerations)) {
    return;
  }
  (tolerations as unknown[]).forEach((toleration, index) => {
    if (
      isMap(toleration) &&
      OUTAGE_TAINTS.some(({ key }) => key === toleration.key) &&
      toleration.effect === 'NoExecute'
    ) {
      problems
        .at(index)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: the nodes of ${first.poolName} have the autonomy ${first.autonomy}, with which OpenYurt overwrites this toleration`,
          'remove it, or leave out autonomy at the pool',
        );
    }
  });
}

function tolerationOf({ key, effect }: Taint, { seconds, operator }: Tolerance): Toleration {
  return { key, operator, effect, ...(seconds === Infinity ? {} : { tolerationSeconds: seconds }) };
}

/** The toleration of a Pod that counts for a taint. */
function firstFor(taint: Taint, tolerations: unknown): PlainMap | undefined {
  return itemsOf(tolerations)
    .filter(isMap)
    .find((toleration) => tolerates(toleration, taint));
}

/** Whether a toleration lets a Pod stay as long as it should, whatever the controllers of the cluster do. */
function holdsAs(toleration: PlainMap, { seconds, operator }: Tolerance): boolean {
  const { tolerationSeconds, key, effect } = toleration;
  const lasts = isAbsent(tolerationSeconds) ? Infinity : tolerationSeconds;
  const isReset =
    operator === 'Equal' && toleration.operator === 'Exists' && key !== undefined && effect === 'NoExecute';
  return lasts === seconds && !isReset;
}

/** Adds the tolerations of an autonomy to a Pod spec. A toleration of the Pod that says otherwise is refused. */
export function withTolerance(
  tolerance: Tolerance | undefined,
  podSpec: PlainMap,
  path: string,
  problems: ProblemList,
): Selection {
  if (tolerance === undefined) {
    return { podSpec, changed: [] };
  }
  const { tolerations } = podSpec;
  OUTAGE_TAINTS.forEach((taint) => {
    const found = firstFor(taint, tolerations);
    if (found !== undefined && !holdsAs(found, tolerance)) {
      const { tolerationSeconds } = found;
      const said = isAbsent(tolerationSeconds) ? 'forever' : `for ${showValue(tolerationSeconds)} s`;
      problems
        .at('tolerations', (tolerations as unknown[]).indexOf(found))
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: this toleration lets the Pod stay ${said} on a node that is silent (${taint.key}), and the autonomy is ${tolerance.autonomy}`,
          'remove the toleration: autonomy writes it in the form that holds with the OpenYurt release of the cluster; or leave out autonomy',
        );
    }
  });
  const missing = compute(
    { tolerations, tolerance },
    (known) =>
      OUTAGE_TAINTS.filter((taint) => firstFor(taint, known.tolerations) === undefined).map((taint) =>
        tolerationOf(taint, known.tolerance),
      ),
    isUnknown(tolerations) || itemsOf(tolerations),
  );
  return withAdded(podSpec, missing, path);
}

/** Warns of an autonomy after which a workload does not do what its user expects: a time after which Pods are evicted from a node where they go on running. */
export function autonomyWarnings(
  object: PlainMap,
  pools: readonly NodePoolAttributes[],
  own: Autonomy | undefined,
  isOnePerNode: boolean,
): EdgeWarning[] {
  const autonomy = own ?? pools.find((pool) => autonomySeconds(pool.autonomy) !== undefined)?.autonomy;
  const seconds = autonomySeconds(autonomy);
  if (seconds === undefined || seconds === Infinity) {
    return [];
  }
  const kinds = workloadSpecs(object).map(({ kind }) => kind);
  const warn = (message: string): EdgeWarning[] => [
    { code: 'EDGE_AUTONOMY', path: 'autonomy', message, hint: "write autonomy: 'forever'" },
  ];
  if (kinds.includes('StatefulSet')) {
    return warn(
      `a StatefulSet does not move: after ${autonomy} its Pods are deleted, wait as Terminating until their node is back, and only then come back`,
    );
  }
  const [demand, nodes] = [demandOf(object), expectedNodesOf(pools)];
  const isFull = isOnePerNode && typeof demand === 'number' && nodes !== undefined && demand >= nodes;
  return kinds.includes('Deployment') && !isFull
    ? warn(
        `after ${autonomy} its Pods are created again on other nodes, and the old ones run on until the network is back: two at once`,
      )
    : [];
}
