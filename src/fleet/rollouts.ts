import type { KubernetesMinor } from '../cluster/kubernetes-minors.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { scaled, partitionOf } from '../workloads/rollout.js';

/** A rollout with numbers. */
export interface Rollout {
  readonly updated: number;
  /** If it depends on which of the Pods are unreachable. */
  readonly atMost?: number;
  /** Pods that are to be updated and can be.
   * @default - all that are not on Nodes that are unreachable */
  readonly most?: number;
  readonly rule: string;
}

/** How many Pods there are, and where. */
interface Counts {
  readonly pods: number;
  readonly away: number;
  /** Nodes that are up and can run a Pod, if each can run one only. */
  readonly up: number;
}

/** The same, and what decides about a StatefulSet. */
export interface Numbers extends Counts {
  readonly minor: Pick<KubernetesMinor, 'statefulSetMaxUnavailable'>;
  /** Which Pods of a StatefulSet are on Nodes that are unreachable, counted from 0; undefined if the manifests have no Pods. */
  readonly ordinals?: readonly number[];
}

/** pkg/controller/daemon/update.go rollingUpdate. */
export function daemonSetRollout(spec: PlainMap, { pods, away }: Counts): Rollout | undefined {
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

function limitRule(field: string, value: unknown, most: number, away: number): string {
  return `${limitOf(field, value, most, away)}${away < most ? '' : ', or updateStrategy OnDelete'}`;
}

function limitOf(field: string, value: unknown, most: number, away: number): string {
  const percent = typeof value === 'string' ? ` (${most})` : '';
  const least = `at least ${away + 1}`;
  return away < most
    ? `${field} ${String(value)}${percent} is more than the ${away} Pods on Nodes that are unreachable, which are unavailable`
    : `${field} ${String(value)}${percent} is used up by the ${away} Pods on Nodes that are unreachable: write ${least}`;
}

/** pkg/controller/deployment/rolling.go: the replica sets are scaled until nothing changes. */
export function deploymentRollout(spec: PlainMap, { pods, away, up }: Counts): Rollout {
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
  const full = up === Infinity ? '' : `, ${up} Nodes that can run one each`;
  return {
    updated,
    rule:
      updated >= pods - away
        ? `${limits}${full}`
        : `${limits}${full}: no old Pod may go, and no new one finds a Node; write maxSurge: 0, maxUnavailable: ${away + 1}`,
  };
}

function scaledUntilStill({ pods, away, up }: Counts, surge: number, most: number): number {
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

/** pkg/controller/statefulset/stateful_set_control.go: from the last Pod down to the partition. */
export function statefulSetRollout(spec: PlainMap, numbers: Numbers): Rollout {
  const { pods, away, ordinals, minor } = numbers;
  const { rollingUpdate } = mapAt(spec, 'updateStrategy');
  const first = partitionOf({ rollingUpdate });
  const all = Math.max(0, pods - first);
  const from = first === 0 ? '' : `, from Pod ${first} on`;
  if (away === 0) {
    return { updated: all, most: all, rule: `no Pod is on a Node that is unreachable${from}` };
  }
  if (spec.podManagementPolicy !== 'Parallel') {
    // processReplica ends the pass at any Pod that is not Ready or Terminating
    return {
      updated: 0,
      rule: `the rollout waits for the ${away} Pods on Nodes that are unreachable, which are not Ready`,
    };
  }
  // those of the Pods that are to be updated
  const below = ordinals?.filter((ordinal) => ordinal < first).length;
  const [least, most] =
    below === undefined
      ? [all - Math.min(away, all), all - Math.max(0, away - first)]
      : [all - (away - below), all - (away - below)];
  if (minor.statefulSetMaxUnavailable) {
    const { maxUnavailable } = mapAt({ rollingUpdate }, 'rollingUpdate');
    const limit = Math.max(1, scaled(maxUnavailable ?? 1, pods, false));
    const rule = `${limitOf('maxUnavailable', maxUnavailable ?? 1, limit, away)}${from}`;
    return away < limit ? { updated: least, atMost: most, most: least, rule } : { updated: 0, most, rule };
  }
  const last = ordinals?.filter((ordinal) => ordinal >= first).sort((one, other) => other - one)[0];
  const rule = `Pods are updated from the last one down to the first of the ${away} that are unreachable${from}`;
  if (ordinals === undefined) {
    return { updated: 0, atMost: most, most, rule };
  }
  const updated = last === undefined ? all : pods - 1 - last;
  return {
    updated,
    most,
    rule:
      last === undefined ? `only Pods below the partition ${first} are unreachable, and they stay as they are` : rule,
  };
}
