import { joinPath, type ProblemList } from '../errors.js';
import { isMap, mapAt, type PlainMap } from './kubernetes-object.js';

/** How many Pods of a workload want to run at once. */
export type Demand = number | 'every node';

/** How many Pods an object wants: one per node for DaemonSets, replicas or parallelism otherwise. */
export function demandOf(object: PlainMap): Demand {
  const spec = mapAt(object, 'spec');
  switch (object.kind) {
    case 'DaemonSet':
    case 'YurtAppDaemon':
      return 'every node';
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'ReplicationController':
      return typeof spec.replicas === 'number' ? spec.replicas : 1;
    case 'Job':
      return typeof spec.parallelism === 'number' ? spec.parallelism : 1;
    default:
      return 1;
  }
}

/** apimachinery intstr.GetScaledValueFromIntOrPercent */
function scaled(value: unknown, total: number, roundUp: boolean): number {
  if (typeof value === 'number') {
    return value;
  }
  const percent = /^(\d+)%$/.exec(String(value))?.[1];
  if (percent === undefined) {
    return Number.NaN;
  }
  const share = (Number(percent) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

/**
 * Rollout settings with which a workload that holds host ports can finish: a surge Pod needs a second node with the port free, which a full
 * pool does not have. What the user wrote is kept if it can finish, and refused if it can not.
 */
export function withRollout(
  object: PlainMap,
  expectedNodes: number | undefined,
  problems: ProblemList,
): { readonly object: PlainMap; readonly changed: string[] } {
  if (object.kind === 'Deployment') {
    return deploymentRollout(object, expectedNodes, problems);
  }
  if (object.kind === 'DaemonSet') {
    checkDaemonSetRollout(object, problems);
  }
  return { object, changed: [] };
}

function deploymentRollout(
  object: PlainMap,
  expectedNodes: number | undefined,
  problems: ProblemList,
): { readonly object: PlainMap; readonly changed: string[] } {
  const spec = mapAt(object, 'spec');
  const strategy = mapAt(spec, 'strategy');
  const rolling = mapAt(strategy, 'rollingUpdate');
  if (strategy.type === 'Recreate') {
    return { object, changed: [] };
  }
  const { maxSurge, maxUnavailable } = rolling;
  if (maxSurge === undefined && maxUnavailable === undefined) {
    const rollingUpdate = { ...rolling, maxSurge: 0, maxUnavailable: 1 };
    return {
      object: { ...object, spec: { ...spec, strategy: { ...strategy, type: 'RollingUpdate', rollingUpdate } } },
      changed: ['maxSurge', 'maxUnavailable'].map((field) =>
        ['spec', 'strategy', 'rollingUpdate', field].reduce(joinPath, ''),
      ),
    };
  }
  const replicas = demandOf(object) as number;
  const unavailable = scaled(maxUnavailable ?? '25%', replicas, false);
  const surge = scaled(maxSurge ?? '25%', replicas, true);
  const at = problems.at('spec', 'strategy', 'rollingUpdate');
  if (unavailable === 0 && surge === 0) {
    at.add('EDGE_ROLLOUT', 'maxSurge and maxUnavailable are both 0', 'write maxSurge: 0, maxUnavailable: 1');
  } else if (unavailable === 0 && expectedNodes !== undefined && replicas >= expectedNodes) {
    at.add(
      'EDGE_ROLLOUT',
      `a surge Pod needs a node with the port free, and ${replicas} replicas fill the pool's ${expectedNodes} nodes: the rollout never finishes`,
      'write maxSurge: 0, maxUnavailable: 1 (or strategy type Recreate)',
    );
  } else if (unavailable === 0 && maxSurge === undefined) {
    at.at('maxUnavailable').add(
      'EDGE_ROLLOUT',
      `maxUnavailable ${JSON.stringify(maxUnavailable)} of ${replicas} replicas allows no Pod to stop, so each rollout needs a free node`,
      'write maxSurge: 0, maxUnavailable: 1, or name maxSurge to say that there are free nodes',
    );
  }
  return { object, changed: [] };
}

function checkDaemonSetRollout(object: PlainMap, problems: ProblemList): void {
  const rolling = mapAt(mapAt(mapAt(object, 'spec'), 'updateStrategy'), 'rollingUpdate');
  if (isMap(rolling) && rolling.maxSurge !== undefined && scaled(rolling.maxSurge, 100, true) > 0) {
    problems
      .at('spec', 'updateStrategy', 'rollingUpdate', 'maxSurge')
      .add(
        'EDGE_ROLLOUT',
        'a surge Pod of a DaemonSet runs on the same node as the old one, where the port is taken: it never starts',
        'write maxSurge: 0 and maxUnavailable: 1',
      );
  }
}
