import type { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import type { PlainMap } from '../base/plain-data.js';
import { nearest } from '../base/properties.js';
import { heldRollout, isByUpdater } from '../workloads/rollout.js';
import { workloadsCalled } from './workload-names.js';
import { kubernetesRow } from '../cluster/kubernetes-minors.js';
import { placesOf } from './outage-places.js';
import { ordinalsAway, type OutageUnit, unitsOf } from './outage-units.js';
import { daemonSetRollout, deploymentRollout, type Numbers, type Rollout, statefulSetRollout } from './rollouts.js';
import { type OutageState, stateOf, unitOutage } from './workload-outage.js';
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
  /** `finishes`: only the Pods on Nodes that are unreachable remain. `hangs`: others remain, too. `by hand`: nothing is replaced until someone deletes Pods, resumes the Deployment or lowers the partition. */
  readonly outcome: 'finishes' | 'hangs' | 'perhaps hangs' | 'by hand';
  /** Why. */
  readonly rule: string;
}

/** What is updated, and what is not, for a workload by its name, `DaemonSet default/collector`. */
export function updateOutage(
  name: string,
  workloads: readonly PlainMap[],
  state: OutageState,
  problems: ProblemList,
): UpdateOutage | undefined {
  const [object, ...others] = workloadsCalled(name, workloads);
  const units = object === undefined ? [] : unitsOf(object, state, state.nodes);
  if (object === undefined || others.length > 0) {
    if (object !== undefined) {
      const names = [object, ...others].map((each) => `'${nameOf(each)}'`);
      problems.add(
        'EDGE_VALUE',
        `${name} is ${names.length} workloads`,
        `write one of: ${names.slice(0, 6).join(', ')}`,
      );
      return undefined;
    }
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
    workload: nameOf(object),
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
  const { spec, demand, pool } = unit;
  const state = stateOf(unit, all);
  const places = placesOf(unit, state);
  const away = unitOutage(unit, all).pods;
  const pods = demand === 'every node' ? places.up + away.max : demand;
  if (pool !== undefined && pods === away.min && pods > 0) {
    const rule = `in ${pool}: all its Pods are on Nodes that are unreachable; other pools have Deployments of their own`;
    return { pods, away, updated: { min: 0, max: 0 }, outcome: 'finishes', rule };
  }
  const held = rollout === updaterRollout ? undefined : heldRollout(unit.kind, spec);
  const numbers = {
    pods,
    up: places.onePerNodeInRollout ? places.up : Infinity,
    minor: kubernetesRow(state.kubernetes),
    ...ordinalsAway(unit, state),
  };
  const withAway = (count: number): Rollout | undefined => rollout(spec, { ...numbers, away: count });
  const [best, worst] = [withAway(away.min), withAway(away.max)];
  if (held !== undefined || best === undefined || worst === undefined) {
    const rule = `${held ?? 'nothing replaces its Pods'}, also while Nodes are unreachable`;
    return { pods, away, updated: { min: 0, max: 0 }, outcome: 'by hand', rule };
  }
  const most = ({ updated, atMost = updated }: Rollout): number => atMost;
  // those that can become new, and where none can, it hangs
  const rest = (count: number, { most: possible = pods - count }: Rollout): number => Math.max(1, possible);
  const outcome =
    worst.updated >= rest(away.max, worst)
      ? 'finishes'
      : most(best) >= rest(away.min, best) || most(worst) >= rest(away.max, worst)
        ? 'perhaps hangs'
        : 'hangs';
  const updated = { min: Math.min(best.updated, worst.updated), max: Math.max(most(best), most(worst)) };
  return { pods, away, updated, outcome, rule: pool === undefined ? worst.rule : `in ${pool}: ${worst.rule}` };
}

type Rule = (spec: PlainMap, numbers: Numbers) => Rollout | undefined;

const ROLLOUTS: Readonly<Record<string, Rule>> = {
  DaemonSet: daemonSetRollout,
  Deployment: (spec, numbers) => deploymentRollout(spec, numbers),
  StatefulSet: statefulSetRollout,
};

/** openyurt daemon_pod_updater_controller.go advancedRollingUpdate. */
function updaterRollout(_: PlainMap, { pods, away }: Numbers): Rollout {
  return { updated: pods - away, rule: 'AdvancedRollingUpdate of OpenYurt does not count Nodes that are not Ready' };
}
