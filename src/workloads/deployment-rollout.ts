import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  valueAt,
  withChangeAt,
  withField,
} from '../validation/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';
import { numberAsText, showValue } from '../validation/properties.js';
import { isKind } from '../kubernetes/group-kind.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { numberAt, demandOf, replicasPath } from './workload-size.js';

/** Spec of a Deployment, DaemonSet or StatefulSet that an object is, or from which its controller creates one. */
interface WorkloadSpec {
  readonly kind: 'Deployment' | 'DaemonSet' | 'StatefulSet';
  readonly path: ObjectPath;
  readonly spec: PlainMap;
}

/** The specs with rollout settings in an object. */
export function workloadSpecs(object: PlainMap): WorkloadSpec[] {
  const inTemplates = [
    ['spec', 'workloadTemplate'],
    ['spec', 'workload', 'workloadTemplate'],
  ].flatMap((base): WorkloadSpec[] => [
    { kind: 'Deployment', path: [...base, 'deploymentTemplate', 'spec'], spec: {} },
    { kind: 'StatefulSet', path: [...base, 'statefulSetTemplate', 'spec'], spec: {} },
  ]);
  const own = ['Deployment', 'DaemonSet', 'StatefulSet'].some((kind) => isKind(object, kind))
    ? [{ kind: object.kind as WorkloadSpec['kind'], path: ['spec'], spec: {} }]
    : [];
  return [...own, ...(String(object.kind).startsWith('YurtApp') ? inTemplates : [])]
    .filter(({ path }) => valueAt(object, path) !== undefined)
    .map((found) => ({ ...found, spec: (valueAt(object, found.path) ?? {}) as PlainMap }));
}

/**
 * Rollout settings with which the rollout of a workload with host ports can complete: a surge Pod needs another node where the port is free, which a
 * full pool does not have. Given settings are kept if the rollout can complete, and refused otherwise.
 */
export function withRollout(
  object: PlainMap,
  takesPorts: boolean,
  expectedNodes: number | undefined,
  problems: ProblemList,
): { readonly object: PlainMap; readonly changed: readonly string[] } {
  if (takesPorts === false) {
    return { object, changed: [] };
  }
  const changed: string[][] = [];
  let result = object;
  for (const { kind, path, spec } of workloadSpecs(object)) {
    // problems count only once it is known that there are ports
    const at = isUnknown(takesPorts) ? new ProblemList() : problems.at(...path);
    if (kind === 'DaemonSet') {
      checkDaemonSetRollout(spec, at);
    }
    if (kind !== 'Deployment') {
      continue;
    }
    checkDeployment(spec, expectedNodes, at);
    const { strategy } = spec;
    const input = { strategy, takesPorts };
    const reads = [takesPorts, readsOfStrategy(strategy)];
    const base = [...path, 'strategy', 'rollingUpdate'].reduce<string>(joinPath, '');
    changed.push(
      compute(
        input,
        (known) => (needsRollout(known) ? Object.keys(ONE_BY_ONE).map((field) => joinPath(base, field)) : []),
        reads,
      ),
    );
    const completed = compute(input, withOneByOne, reads);
    if (completed !== strategy) {
      result = withChangeAt(result, path, (current) => withField(current, 'strategy', completed));
    }
  }
  return { object: result, changed: compute(changed, (lists) => lists.flat()) };
}

const ONE_BY_ONE = { maxSurge: 0, maxUnavailable: 1 };

/** The values of a strategy that are read. */
function readsOfStrategy(strategy: unknown): unknown {
  if (!isMap(strategy)) {
    return isUnknown(strategy) && strategy;
  }
  return [strategy.type, isUnknown(strategy.rollingUpdate) && strategy.rollingUpdate];
}

interface StrategyInput {
  readonly strategy: unknown;
  /** Whether the Pods use ports of their nodes. */
  readonly takesPorts: boolean;
}

/** Whether a Deployment has no rollout settings of its own, so that they are added. */
function needsRollout({ strategy, takesPorts }: StrategyInput): boolean {
  const { type } = mapAt({ strategy }, 'strategy');
  const { maxSurge, maxUnavailable } = mapAt(mapAt({ strategy }, 'strategy'), 'rollingUpdate');
  const isRolling = type === undefined || type === null || type === 'RollingUpdate';
  return (
    takesPorts && isRolling && (maxSurge ?? undefined) === undefined && (maxUnavailable ?? undefined) === undefined
  );
}

function withOneByOne(input: StrategyInput): unknown {
  const { strategy } = input;
  return needsRollout(input)
    ? {
        ...mapAt({ strategy }, 'strategy'),
        type: 'RollingUpdate',
        rollingUpdate: { ...mapAt(mapAt({ strategy }, 'strategy'), 'rollingUpdate'), ...ONE_BY_ONE },
      }
    : strategy;
}

/**
 * Checks a number or a percentage as the API server does.
 *
 * @param isPart whether it is at most 100 % (apps validation IsNotMoreThan100Percent)
 */
export function checkAmount(value: unknown, problems: ProblemList, isPart = false): void {
  const isAmount =
    (typeof value === 'number' && Number.isInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^\d+%$/.test(value));
  if (value !== undefined && !isAmount) {
    const text = numberAsText(value);
    problems.add(
      'EDGE_ROLLOUT',
      text?.hint === undefined ? `${showValue(value)} is neither a whole number nor a percentage` : text.message,
      text?.hint ?? "write 1 or '25%'",
    );
  } else if (isPart && typeof value === 'string' && Number(value.slice(0, -1)) > 100) {
    problems.add('EDGE_ROLLOUT', `${value} is more than all Pods`, "write at most '100%'");
  }
}

/** apimachinery intstr.GetScaledValueFromIntOrPercent */
export function scaled(value: unknown, total: number, roundUp: boolean): number {
  if (typeof value === 'number') {
    return value;
  }
  const share = (Number(String(value).replace('%', '')) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

/** Refuses rollout settings of a Deployment with which it cannot complete. */
function checkDeployment(spec: PlainMap, expectedNodes: number | undefined, problems: ProblemList): void {
  const strategy = mapAt(spec, 'strategy');
  const { type } = strategy;
  const maxSurge = mapAt(strategy, 'rollingUpdate').maxSurge ?? undefined;
  const maxUnavailable = mapAt(strategy, 'rollingUpdate').maxUnavailable ?? undefined;
  const at = problems.at('strategy', 'rollingUpdate');
  if (type !== undefined && type !== null && type !== 'Recreate' && type !== 'RollingUpdate') {
    problems
      .at('strategy', 'type')
      .add('EDGE_VALUE', `${showValue(type)} is not a strategy`, "write 'RollingUpdate' or 'Recreate'");
    return;
  }
  if (type === 'Recreate' || (maxSurge === undefined && maxUnavailable === undefined)) {
    return;
  }
  const found = problems.problems.length;
  checkAmount(maxSurge, at.at('maxSurge'));
  checkAmount(maxUnavailable, at.at('maxUnavailable'), true);
  if (problems.problems.length === found && !holdsUnknown([spec.replicas, expectedNodes, maxSurge, maxUnavailable])) {
    checkDeploymentRollout(maxSurge, maxUnavailable, numberAt(spec, ['replicas']), expectedNodes, at);
  }
}

const isZero = (value: unknown): boolean => value === 0 || value === '0%';

/**
 * Whether no old Pod of a Deployment may go before a new one is there. If both round to 0, Kubernetes uses maxUnavailable 1 (deployment util
 * ResolveFenceposts); if both are written as 0, it refuses them (value-rules.ts).
 */
export function waitsForNewPods(maxSurge: unknown, maxUnavailable: unknown, replicas: number): boolean {
  return scaled(maxSurge ?? '25%', replicas, true) > 0 && scaled(maxUnavailable ?? '25%', replicas, false) === 0;
}

function checkDeploymentRollout(
  maxSurge: unknown,
  maxUnavailable: unknown,
  replicas: number,
  expectedNodes: number | undefined,
  problems: ProblemList,
): void {
  if (!waitsForNewPods(maxSurge, maxUnavailable, replicas)) {
    return;
  }
  if (expectedNodes !== undefined && replicas >= expectedNodes) {
    problems.add(
      'EDGE_ROLLOUT',
      `a surge Pod needs a node where the port is free, and ${replicas} replicas fill the ${expectedNodes} nodes of the pool: the rollout never completes`,
      'write maxSurge: 0, maxUnavailable: 1 (or strategy type Recreate)',
    );
  } else if (maxSurge === undefined) {
    problems
      .at('maxUnavailable')
      .add(
        'EDGE_ROLLOUT',
        `maxUnavailable ${showValue(maxUnavailable)} of ${replicas} replicas rounds to 0, so each rollout needs a free node`,
        'write maxSurge: 0, maxUnavailable: 1, or set maxSurge if there are free nodes',
      );
  }
}

/** A DaemonSet has either maxSurge or maxUnavailable, and its surge Pod runs on the same node as the old Pod, which uses the port. */
function checkDaemonSetRollout(spec: PlainMap, problems: ProblemList): void {
  const strategy = mapAt(spec, 'updateStrategy');
  if (strategy.type === 'OnDelete') {
    return;
  }
  const at = problems.at('updateStrategy', 'rollingUpdate');
  const maxSurge = mapAt(strategy, 'rollingUpdate').maxSurge ?? undefined;
  const maxUnavailable = mapAt(strategy, 'rollingUpdate').maxUnavailable ?? undefined;
  const found = problems.problems.length;
  checkAmount(maxSurge, at.at('maxSurge'), true);
  checkAmount(maxUnavailable, at.at('maxUnavailable'), true);
  if (problems.problems.length > found) {
    return;
  }
  if (maxSurge !== undefined && !isZero(maxSurge)) {
    at.at('maxSurge').add(
      'EDGE_ROLLOUT',
      'a surge Pod of a DaemonSet runs on the same node as the old Pod, where the port is in use: it never starts',
      'write maxSurge: 0 and maxUnavailable: 1',
    );
  }
}

/** Expected nodes of all pools together; undefined if one of them has no expectedNodes. */
export function expectedNodesOf(pools: readonly NodePoolAttributes[]): number | undefined {
  return pools.reduce<number | undefined>(
    (sum, { expectedNodes }) =>
      sum === undefined || typeof expectedNodes !== 'number' ? undefined : sum + expectedNodes,
    0,
  );
}

/** Warns of more Pods than nodes. */
export function replicaWarnings(object: PlainMap, pools: readonly NodePoolAttributes[]): EdgeWarning[] {
  const demand = demandOf(object);
  // a YurtAppSet has its replicas in each pool
  const perPool = object.kind === 'YurtAppSet';
  const nodes = perPool
    ? Math.min(...pools.map(({ expectedNodes }) => (typeof expectedNodes === 'number' ? expectedNodes : Infinity)))
    : expectedNodesOf(pools);
  if (demand === 'every node' || typeof nodes !== 'number' || demand <= nodes) {
    return [];
  }
  return [
    {
      code: 'EDGE_REPLICAS',
      path: replicasPath(object),
      // without the name, which may be unknown or a secret
      message: `it has ${demand} ${demand === 1 ? 'Pod' : 'Pods'}, and ${pools.map((pool) => pool.poolName).join(' and ')} ${pools.length === 1 ? 'has' : 'have'} ${nodes} nodes`,
      hint: 'lower the number, or use a DaemonSet: Pods with a host port need a node each',
    },
  ];
}
