import type { ProblemList } from '../../errors.js';
import { nameOf } from '../../kubernetes/object.js';
import { mapAt, type PlainMap } from '../../validation/plain-data.js';
import { nearest } from '../../validation/properties.js';
import { scaled } from '../../workloads/deployment-rollout.js';
import { type OutageUnit, unitsOf } from './outage-units.js';
import { type OutageState, placesOf, stateOf, unitOutage } from './workload-outage.js';
import type { CountRange } from './zone-outage.js';

/**
 * What becomes of an update of a workload that begins while Nodes are unreachable.
 *
 * @category Foresee an outage
 */
export interface UpdateOutage {
  /** `DaemonSet default/collector` */
  readonly workload: string;
  /** Pods that it has. */
  readonly pods: number;
  /** Those on Nodes that are unreachable. */
  readonly away: CountRange;
  /** Pods that are updated while the outage lasts. */
  readonly updated: CountRange;
  /** `finishes`: only the Pods on Nodes that are unreachable remain. `hangs`: others remain, too. `by hand`: nothing is replaced until someone deletes it. */
  readonly outcome: 'finishes' | 'hangs' | 'perhaps hangs' | 'by hand';
  /** Why. */
  readonly rule: string;
}

/** A rollout with numbers. */
interface Rollout {
  readonly updated: number;
  /** If it depends on which of the Pods are unreachable. */
  readonly atMost?: number;
  readonly rule: string;
}

/** What is updated, and what is not, for a workload by its name, `DaemonSet default/collector`. */
export function updateOutage(
  name: string,
  workloads: readonly PlainMap[],
  state: OutageState,
  problems: ProblemList,
): UpdateOutage | undefined {
  const object = workloads.find((each) => nameOf(each) === name);
  const units = object === undefined ? [] : unitsOf(object, state, state.nodes);
  if (object === undefined) {
    const near = nearest(name, workloads.map(nameOf));
    problems.add(
      'EDGE_MATCHES_NOTHING',
      `there is no workload ${name}`,
      near === undefined ? "write it as reports name it: 'DaemonSet default/collector'" : `did you mean '${near}'?`,
    );
    return undefined;
  }
  const rule = isByUpdater(object)
    ? updaterRollout
    : ROLLOUTS[units[0]?.pool === undefined ? String(object.kind) : units[0].kind];
  if (rule === undefined) {
    problems.add(
      'EDGE_VALUE',
      `${String(object.kind)} has no rollout that is known`,
      `write the name of a ${[...Object.keys(ROLLOUTS), 'YurtAppSet'].join(', ')}`,
    );
    return undefined;
  }
  const parts = units.map((unit) => unitUpdate(unit, rule, state));
  const total = (of: (part: Part) => CountRange): CountRange => ({
    min: parts.reduce((sum, part) => sum + of(part).min, 0),
    max: parts.reduce((sum, part) => sum + of(part).max, 0),
  });
  const worst = [...parts].sort((one, other) => OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome)).at(-1);
  return {
    workload: name,
    pods: parts.reduce((sum, { pods }) => sum + pods, 0),
    away: total(({ away }) => away),
    updated: total(({ updated }) => updated),
    outcome: worst?.outcome ?? 'finishes',
    rule: worst === undefined ? 'it has no Pod' : worst.rule,
  };
}

/** The best first. */
const OUTCOMES: readonly UpdateOutage['outcome'][] = ['by hand', 'finishes', 'perhaps hangs', 'hangs'];

type Part = Omit<UpdateOutage, 'workload'>;

/** The rollout of one Deployment, StatefulSet or DaemonSet. */
function unitUpdate(unit: OutageUnit, rollout: Rule, all: OutageState): Part {
  const { spec, podSpec, demand, pool } = unit;
  const state = stateOf(unit, all);
  const places = placesOf(podSpec, unit.kind === 'DaemonSet', state);
  const away = unitOutage(unit, all).pods;
  const pods = demand === 'every node' ? places.up + away.max : demand;
  if (pool !== undefined && pods === away.min && pods > 0) {
    const rule = `in ${pool}: all its Pods are on Nodes that are unreachable; other pools have Deployments of their own`;
    return { pods, away, updated: { min: 0, max: 0 }, outcome: 'finishes', rule };
  }
  const withAway = (count: number): Rollout | undefined =>
    rollout(spec, { pods, away: count, up: places.onePerNode ? places.up : Infinity });
  const [best, worst] = [withAway(away.min), withAway(away.max)];
  if (best === undefined || worst === undefined) {
    const rule = 'updateStrategy OnDelete: each Pod is replaced when it is deleted, also while Nodes are unreachable';
    return { pods, away, updated: { min: 0, max: 0 }, outcome: 'by hand', rule };
  }
  const most = ({ updated, atMost = updated }: Rollout): number => atMost;
  // those that can become new, and where none can, it hangs
  const rest = (count: number): number => Math.max(1, pods - count);
  const outcome =
    worst.updated >= rest(away.max)
      ? 'finishes'
      : most(best) >= rest(away.min) || most(worst) >= rest(away.max)
        ? 'perhaps hangs'
        : 'hangs';
  const updated = { min: Math.min(best.updated, worst.updated), max: Math.max(most(best), most(worst)) };
  return { pods, away, updated, outcome, rule: pool === undefined ? worst.rule : `in ${pool}: ${worst.rule}` };
}

interface Numbers {
  readonly pods: number;
  readonly away: number;
  /** Nodes that are up and can run a Pod, if each can run one only. */
  readonly up: number;
}

type Rule = (spec: PlainMap, numbers: Numbers) => Rollout | undefined;

const ROLLOUTS: Readonly<Record<string, Rule>> = {
  DaemonSet: daemonSetRollout,
  Deployment: (spec, numbers) => deploymentRollout(spec, numbers),
  StatefulSet: statefulSetRollout,
};

/** pkg/controller/daemon/update.go rollingUpdate. */
export function daemonSetRollout(spec: PlainMap, { pods, away }: Numbers): Rollout | undefined {
  const { type, rollingUpdate } = mapAt(spec, 'updateStrategy');
  if (type === 'OnDelete') {
    return undefined;
  }
  const { maxUnavailable, maxSurge } = mapAt({ rollingUpdate }, 'rollingUpdate');
  const surge = scaled(maxSurge ?? 0, pods, true);
  const most = Math.max(surge === 0 ? 1 : 0, scaled(maxUnavailable ?? (surge === 0 ? 1 : 0), pods, true));
  const up = pods - away;
  if (surge > 0) {
    // the first pass does not yet count the new Pods on Nodes that are unreachable
    const updated = away < surge ? up : Math.min(surge, up);
    return { updated, rule: limitRule('maxSurge', maxSurge, surge, away) };
  }
  return { updated: away < most ? up : 0, rule: limitRule('maxUnavailable', maxUnavailable ?? 1, most, away) };
}

/** Whether yurt-manager's DaemonPodUpdater replaces its Pods. */
function isByUpdater(object: PlainMap): boolean {
  const strategy = mapAt(mapAt(object, 'metadata'), 'annotations')['apps.openyurt.io/update-strategy'];
  const { type } = mapAt(mapAt(object, 'spec'), 'updateStrategy');
  return object.kind === 'DaemonSet' && type === 'OnDelete' && strategy === 'AdvancedRollingUpdate';
}

/** openyurt daemon_pod_updater_controller.go advancedRollingUpdate. */
function updaterRollout(_: PlainMap, { pods, away }: Numbers): Rollout {
  return { updated: pods - away, rule: 'AdvancedRollingUpdate of OpenYurt does not count Nodes that are not Ready' };
}

function limitRule(field: string, value: unknown, most: number, away: number): string {
  const percent = typeof value === 'string' ? ` (${most})` : '';
  const least = `at least ${away + 1}`;
  return away < most
    ? `${field} ${String(value)}${percent} is more than the ${away} Pods on Nodes that are unreachable, which are unavailable`
    : `${field} ${String(value)}${percent} is used up by the ${away} Pods on Nodes that are unreachable: write ${least}, or updateStrategy OnDelete`;
}

/** pkg/controller/deployment/rolling.go: the replica sets are scaled until nothing changes. */
export function deploymentRollout(spec: PlainMap, { pods, away, up }: Numbers): Rollout {
  const { type, rollingUpdate } = mapAt(spec, 'strategy');
  const fields = mapAt({ rollingUpdate }, 'rollingUpdate');
  if (type === 'Recreate') {
    // it waits until the old Pods are gone, and those of a Node that is unreachable stay Terminating
    return away > 0
      ? {
          updated: 0,
          rule: `Recreate waits until every old Pod is gone, and ${away} on Nodes that are unreachable stay Terminating`,
        }
      : { updated: Math.min(pods, up), rule: 'Recreate: no old Pod is on a Node that is unreachable' };
  }
  const surge = scaled(fields.maxSurge ?? '25%', pods, true);
  const unavailable = scaled(fields.maxUnavailable ?? '25%', pods, false);
  const most = Math.min(pods, surge === 0 && unavailable === 0 ? 1 : unavailable);
  const updated = scaledUntilStill({ pods, away, up }, surge, most);
  const limits = `maxSurge ${surge} and maxUnavailable ${most} of ${pods} Pods, ${away} on Nodes that are unreachable`;
  const full = up === Infinity ? '' : `, ${up} Nodes with the port`;
  return {
    updated,
    rule:
      updated >= pods - away
        ? `${limits}${full}`
        : `${limits}${full}: no old Pod may go, and no new one finds a Node; write maxSurge: 0, maxUnavailable: ${away + 1}`,
  };
}

function scaledUntilStill({ pods, away, up }: Numbers, surge: number, most: number): number {
  let [oldUp, oldAway, newUp, waiting] = [pods - away, away, 0, 0];
  let free = up - oldUp;
  for (;;) {
    const before = [oldUp, oldAway, newUp, waiting].join();
    const total = oldUp + oldAway + newUp + waiting;
    waiting += Math.max(0, Math.min(pods + surge - total, pods - newUp - waiting));
    const started = Math.max(0, Math.min(waiting, free));
    [waiting, newUp, free] = [waiting - started, newUp + started, free - started];
    // cleanupUnhealthyReplicas: Pods on Nodes that are unreachable go first
    const mayGo = oldUp + oldAway + newUp + waiting - (pods - most) - waiting;
    oldAway -= Math.max(0, Math.min(mayGo, oldAway));
    if (mayGo > 0) {
      const down = Math.max(0, Math.min(oldUp + oldAway, oldUp + newUp - (pods - most)));
      const fromAway = Math.min(down, oldAway);
      [oldAway, oldUp, free] = [oldAway - fromAway, oldUp - (down - fromAway), free + down - fromAway];
    }
    if ([oldUp, oldAway, newUp, waiting].join() === before) {
      return newUp;
    }
  }
}

/** pkg/controller/statefulset/stateful_set_control.go: from the highest ordinal down, and not while a Pod is not Ready. */
export function statefulSetRollout(spec: PlainMap, { pods, away }: Numbers): Rollout | undefined {
  if (mapAt(spec, 'updateStrategy').type === 'OnDelete') {
    return undefined;
  }
  if (away === 0) {
    return { updated: pods, rule: 'no Pod is on a Node that is unreachable' };
  }
  return spec.podManagementPolicy === 'Parallel'
    ? {
        updated: 0,
        atMost: pods - away,
        rule: `Pods are updated from the last one down to the first of the ${away} that are unreachable`,
      }
    : { updated: 0, rule: `the rollout waits for the ${away} Pods on Nodes that are unreachable, which are not Ready` };
}
