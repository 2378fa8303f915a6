import { type EdgeWarning, joinPath, ProblemList } from '../base/errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt, withChangeAt, withField } from '../base/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { numberAsText, showValue } from '../base/properties.js';
import { isKind } from '../kubernetes/group-kind.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { numberAt, demandOf, replicasPath } from './workload-size.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { updaterReads } from '../cluster/openyurt-capabilities.js';
import { nameOf } from '../kubernetes/object.js';
import { type Changed, withMetadata } from '../kubernetes/object-checks.js';
import { tweakedReplicas } from './yurt-app.js';

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
 * ResolveFenceposts); if both are written as 0, it refuses them (controller-rules.ts).
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

/**
 * How the Pods of a workload are updated.
 *
 * @category Run workloads on host-network nodes
 */
export type Rollout = 'rolling' | 'ota' | 'advanced-rolling' | 'on-delete';

export const ROLLOUTS = ['rolling', 'ota', 'advanced-rolling', 'on-delete'] as const satisfies readonly Rollout[];

/**
 * Nodes that may be away: a number, or a share such as `'10%'`.
 *
 * @category Run workloads on host-network nodes
 */
export type NodesAway = number | string;

const DEFAULT_SHARE = '10%';

// openyurt pkg/yurtmanager/controller/daemonpodupdater (1.7: daemonsetupgradestrategy): read with updateStrategy OnDelete only
const STRATEGY_ANNOTATION = 'apps.openyurt.io/update-strategy';
const UNAVAILABLE_ANNOTATION = 'apps.openyurt.io/max-unavailable';
const STRATEGIES = { ota: 'OTA', 'advanced-rolling': 'AdvancedRollingUpdate' } as const;

/** Checks the nodes that may be away. */
export function checkNodesAway(value: unknown, problems: ProblemList): void {
  checkAmount(value, problems);
  if (typeof value === 'string' && Number(value.replace('%', '')) > 100) {
    problems.add('EDGE_VALUE', `${showValue(value)} is more than all nodes`, "write '100%' or less");
  }
}

/** What is chosen of a rollout. */
interface Choice {
  readonly rollout?: Rollout | undefined;
  readonly nodesAway?: NodesAway | undefined;
}

/**
 * Writes the rollout that a user has chosen into a workload. Settings of the workload that say otherwise are refused.
 *
 * @param problems those of the whole declaration
 */
export function withChosenRollout(
  object: PlainMap,
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  { rollout, nodesAway }: Choice,
  problems: ProblemList,
): Changed {
  if (rollout === undefined) {
    if (nodesAway !== undefined) {
      problems.at('nodesAway').add('EDGE_MISSING', 'nodesAway counts in a rollout', "write rollout: 'rolling', too");
    }
    return { object, changed: [] };
  }
  const specs = workloadSpecs(object);
  if (specs.length === 0) {
    problems
      .at('rollout')
      .add('EDGE_VALUE', `${String(object.kind)} has no rollout`, 'leave it out: Deployments and DaemonSets have one');
  }
  checkChoice(specs, cluster, { rollout, nodesAway }, problems);
  if (problems.problems.length > 0) {
    return { object, changed: [] };
  }
  let result = object;
  const changed: (readonly string[])[] = [];
  for (const { kind, path, spec } of specs) {
    const field = kind === 'Deployment' ? 'strategy' : 'updateStrategy';
    const input = {
      rollout,
      away: nodesAway ?? DEFAULT_SHARE,
      nodes: pools.map(({ expectedNodes }) => expectedNodes),
      isOfEachPool: String(object.kind).startsWith('YurtApp'),
      replicas: kind === 'Deployment' ? [spec.replicas ?? 1, ...tweakedReplicas(object)] : [],
      given: spec[field],
    };
    if (
      rollout === 'rolling' &&
      !isUnknown(input.nodes) &&
      nodesAwayOf(input) === undefined &&
      !input.nodes.some(isUnknown)
    ) {
      const message = `${String(input.away)} of the nodes cannot be computed: expectedNodes is not set`;
      const hint = 'write expectedNodes at each pool, or the number of nodes that may be away: nodesAway: 1';
      problems.at('nodesAway').add('EDGE_MISSING', message, hint);
      return { object, changed: [] };
    }
    const at = problems.at('workload', ...path, field);
    checkGivenStrategy(input, at);
    const completed = compute(input, withMaxUnavailable);
    if (JSON.stringify(completed) !== JSON.stringify(input.given)) {
      result = withChangeAt(result, path, (current) => withField(current, field, completed));
      changed.push(compute(input, (known) => differences(known, [...path, field])));
    }
  }
  const noted = withUpdater(result, { rollout, nodesAway }, problems.at('workload'));
  return { object: noted.object, changed: compute([...changed, noted.changed], (lists) => lists.flat()) };
}

/** Writes the annotations of DaemonPodUpdater, for the rollouts that it does. */
export function withUpdater(object: PlainMap, { rollout, nodesAway }: Choice, problems: ProblemList): Changed {
  const annotations = rollout === 'ota' || rollout === 'advanced-rolling' ? updaterAnnotations(rollout, nodesAway) : {};
  return withMetadata(object, 'annotations', annotations, problems);
}

function updaterAnnotations(
  rollout: keyof typeof STRATEGIES,
  nodesAway: NodesAway | undefined,
): Record<string, string> {
  return {
    [STRATEGY_ANNOTATION]: STRATEGIES[rollout],
    // its default is 10 %, and its comments say 1
    ...(rollout === 'ota' ? {} : { [UNAVAILABLE_ANNOTATION]: String(nodesAway ?? DEFAULT_SHARE) }),
  };
}

function checkChoice(
  specs: ReturnType<typeof workloadSpecs>,
  cluster: EdgeCluster,
  { rollout, nodesAway }: Choice,
  problems: ProblemList,
): void {
  const at = problems.at('rollout');
  const isOfUpdater = rollout === 'ota' || rollout === 'advanced-rolling';
  for (const { kind } of specs) {
    if (kind === 'StatefulSet' && rollout !== 'on-delete') {
      at.add(
        'EDGE_ROLLOUT',
        'the rollout of a StatefulSet waits for each of its Pods, also for those on nodes that are unreachable',
        "write rollout: 'on-delete', or leave it out",
      );
    } else if (kind === 'Deployment' && rollout !== 'rolling') {
      at.add(
        'EDGE_VALUE',
        `a Deployment has no rollout ${String(rollout)}`,
        "write rollout: 'rolling', or a DaemonSet",
      );
    } else if (kind === 'DaemonSet' && isOfUpdater && !cluster.hasOpenYurt()) {
      at.add('EDGE_NO_OPENYURT', `${rollout} is a rollout by yurt-manager`, "write rollout: 'rolling' or 'on-delete'");
    } else if (kind === 'DaemonSet' && rollout === 'ota' && cluster.yurthub === false) {
      at.add(
        'EDGE_CONTRADICTION',
        'conflicting settings: rollout ota needs yurthub on the nodes, and this cluster has yurthub: false',
        "write yurthub: true at the cluster, or rollout: 'on-delete'",
      );
    }
  }
  if (nodesAway !== undefined && (rollout === 'ota' || rollout === 'on-delete')) {
    problems
      .at('nodesAway')
      .add('EDGE_CONTRADICTION', `conflicting settings: ${rollout} waits for no node`, 'leave nodesAway out');
  } else if (rollout === 'advanced-rolling' && (nodesAway === 0 || nodesAway === '0%')) {
    problems.at('nodesAway').add('EDGE_VALUE', 'OpenYurt takes 0 for 10%', 'write 1 or more');
  }
}

/** What settings are computed from. */
interface SettingsInput {
  readonly rollout: Rollout;
  readonly away: NodesAway;
  readonly nodes: readonly (number | undefined)[];
  /** Whether each pool has its own Pods. */
  readonly isOfEachPool: boolean;
  /** Numbers of Pods, of a YurtAppSet in each of its pools; empty: one on every node. */
  readonly replicas: readonly unknown[];
  readonly given: unknown;
}

/** Nodes that may be away; undefined if it is not known of how many they are a share. */
function nodesAwayOf({
  away,
  nodes,
  isOfEachPool,
}: Pick<SettingsInput, 'away' | 'nodes' | 'isOfEachPool'>): number | undefined {
  if (typeof away === 'number') {
    return away;
  }
  const known = nodes.filter((count) => typeof count === 'number');
  if (known.length < nodes.length) {
    return undefined;
  }
  const all = isOfEachPool ? Math.max(...known) : known.reduce((sum, count) => sum + count, 0);
  return scaled(away, all, true);
}

/**
 * The settings. A Pod on a node that is unreachable is unavailable, and a rollout goes on as long as fewer than maxUnavailable are (kubernetes
 * pkg/controller/daemon/update.go, pkg/controller/deployment/rolling.go; kubernetes#85878, #90669).
 */
function withMaxUnavailable(input: SettingsInput): PlainMap {
  const { rollout, replicas } = input;
  const given = mapAt({ given: input.given }, 'given');
  if (rollout !== 'rolling') {
    return { ...given, type: 'OnDelete' };
  }
  const most = (nodesAwayOf(input) ?? 0) + 1;
  const counts = replicas.filter((count) => typeof count === 'number');
  const limits =
    counts.length > 0
      ? { maxSurge: 0, maxUnavailable: Math.max(1, Math.min(most, Math.max(...counts))) }
      : { maxUnavailable: most };
  return { ...given, type: 'RollingUpdate', rollingUpdate: { ...mapAt(given, 'rollingUpdate'), ...limits } };
}

function differences(input: SettingsInput, path: ObjectPath): string[] {
  const given = mapAt({ given: input.given }, 'given');
  const wanted = withMaxUnavailable(input);
  const changed = (steps: readonly string[]): string[] =>
    valueAt(given, steps) === valueAt(wanted, steps) ? [] : [[...path, ...steps].reduce<string>(joinPath, '')];
  const fields = Object.keys(mapAt(wanted, 'rollingUpdate'));
  return [...changed(['type']), ...fields.flatMap((field) => changed(['rollingUpdate', field]))];
}

/** Reports settings of the workload that say otherwise. */
function checkGivenStrategy(input: SettingsInput, problems: ProblemList): void {
  if (isUnknown(input.given) || !isMap(input.given) || holdsUnknown(input.replicas)) {
    return;
  }
  const wanted = withMaxUnavailable(input);
  const refuse = (at: ProblemList, field: string, value: unknown, other: unknown): void => {
    at.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: ${field} is ${showValue(value)}, and rollout ${input.rollout} needs ${showValue(other)}`,
      `remove ${field}, or leave out rollout`,
    );
  };
  const { type, rollingUpdate } = input.given;
  if (typeof type === 'string' && type !== wanted.type) {
    refuse(problems.at('type'), 'type', type, wanted.type);
  }
  const limits: PlainMap = { maxSurge: 0, ...mapAt(wanted, 'rollingUpdate') };
  for (const [field, value] of Object.entries(
    isMap(rollingUpdate) && wanted.type !== 'OnDelete' ? rollingUpdate : {},
  )) {
    const isSame =
      isUnknown(value) || value === null || value === limits[field] || (field === 'maxSurge' && value === '0%');
    if (!isSame && field in limits) {
      refuse(problems.at('rollingUpdate', field), field, value, limits[field]);
    }
  }
}

/** Warns of an annotation of DaemonPodUpdater that nothing reads. */
export function updaterWarnings(object: PlainMap, cluster: EdgeCluster): EdgeWarning[] {
  const annotations = mapAt(mapAt(object, 'metadata'), 'annotations');
  const strategy = annotations[STRATEGY_ANNOTATION];
  if (object.kind !== 'DaemonSet' || typeof strategy !== 'string') {
    return [];
  }
  const { type } = mapAt(mapAt(object, 'spec'), 'updateStrategy');
  const why = !cluster.hasOpenYurt()
    ? 'the cluster has no OpenYurt'
    : !updaterReads(cluster, strategy)
      ? `OpenYurt ${cluster.openYurt} does not know ${strategy}`
      : type !== 'OnDelete' && !isUnknown(type)
        ? 'updateStrategy is not OnDelete'
        : undefined;
  return why === undefined
    ? []
    : [
        {
          code: 'EDGE_UNUSED',
          path: ['metadata', 'annotations', STRATEGY_ANNOTATION].reduce<string>(joinPath, ''),
          message: `nothing reads the annotation of ${nameOf(object)}: ${why}`,
          hint: cluster.hasOpenYurt()
            ? "remove it, and write rollout: 'ota' or 'advanced-rolling'"
            : "remove it, and write rollout: 'rolling'",
        },
      ];
}

/** What is chosen of a rollout. */
interface Chosen {
  readonly rollout?: Rollout | undefined;
  readonly nodesAway?: NodesAway | undefined;
}

/**
 * Warns of a rollout that goes on while so many nodes are unreachable that it stops all Pods at once when none is: a Pod that is replaced is as unavailable as one
 * on a node that is away (pkg/controller/deployment/rolling.go, pkg/controller/daemon/update.go).
 *
 * @param object the workload with its rollout
 */
export function rolloutWarnings(
  object: PlainMap,
  pools: readonly NodePoolAttributes[],
  { rollout, nodesAway }: Chosen,
): EdgeWarning[] {
  if (rollout !== 'rolling' && rollout !== 'advanced-rolling') {
    return [];
  }
  const counts = pools.map(({ expectedNodes }) => expectedNodes);
  const known = counts.filter((count) => typeof count === 'number');
  const isOfEachPool = String(object.kind).startsWith('YurtApp');
  const all = isOfEachPool ? Math.max(0, ...known) : known.reduce((sum, count) => sum + count, 0);
  const nodes = known.length === counts.length && known.length > 0 ? all : undefined;
  const path = nodesAway === undefined ? 'rollout' : 'nodesAway';
  const warn = (message: string, hint: string): EdgeWarning[] => [{ code: 'EDGE_ROLLOUT', path, message, hint }];
  if (typeof nodesAway === 'number' && nodes !== undefined && nodesAway > nodes) {
    return warn(`nodesAway ${nodesAway} is more than the ${nodes} nodes`, mostAway(nodes, rollout));
  }
  return workloadSpecs(object).flatMap(({ kind, path: at, spec }) => {
    if (kind === 'DaemonSet') {
      const most = stopped(spec, rollout, nodesAway, nodes);
      return nodes !== undefined && nodes > 1 && most !== undefined && most >= nodes
        ? warn(`every update stops the Pods of all ${nodes} nodes at once`, mostAway(nodes, rollout))
        : [];
    }
    const { maxUnavailable } = mapAt(mapAt(spec, 'strategy'), 'rollingUpdate');
    const replicas = [spec.replicas, ...tweakedReplicas(object)].filter((count) => typeof count === 'number');
    // of a single Pod there is no other way
    const [least] = replicas.filter((count) => count > 1).sort((one, other) => one - other);
    return kind === 'Deployment' && typeof maxUnavailable === 'number' && least !== undefined && maxUnavailable >= least
      ? warn(
          `maxUnavailable ${maxUnavailable} of ${least} Pods: every update stops all of them at once`,
          `write nodesAway: ${least - 2}${least > 2 ? ' or less' : ''}, or at least ${maxUnavailable + 1} at ${[...at, 'replicas'].reduce<string>(joinPath, '')}`,
        )
      : [];
  });
}

/** How many Pods of a DaemonSet are replaced at once; undefined if that is not known. */
function stopped(
  spec: PlainMap,
  rollout: 'rolling' | 'advanced-rolling',
  nodesAway: NodesAway | undefined,
  nodes: number | undefined,
): number | undefined {
  const { maxUnavailable } = mapAt(mapAt(spec, 'updateStrategy'), 'rollingUpdate');
  const most = rollout === 'rolling' ? maxUnavailable : nodesAway;
  return typeof most === 'number'
    ? most
    : typeof most === 'string' && nodes !== undefined
      ? scaled(most, nodes, true)
      : undefined;
}

function mostAway(nodes: number, rollout: 'rolling' | 'advanced-rolling'): string {
  const most = Math.max(0, nodes - (rollout === 'rolling' ? 2 : 1));
  return `write nodesAway: ${most}${most > 0 ? ' or less' : ''}, with which some Pods go on during every update`;
}

/**
 * Why a changed template replaces no Pod by itself; undefined if it does. A paused Deployment is only scaled (pkg/controller/deployment
 * deployment_controller.go, syncDeployment), and a StatefulSet keeps the old revision below the partition (stateful_set_control.go).
 *
 * @param kind of the workload that has the spec
 */
export function heldRollout(kind: string, spec: PlainMap): string | undefined {
  const { type, rollingUpdate } = mapAt(spec, 'updateStrategy');
  if (kind === 'Deployment') {
    return spec.paused === true ? 'spec.paused: nothing is replaced until the Deployment is resumed' : undefined;
  }
  if (type === 'OnDelete') {
    return 'updateStrategy OnDelete: each Pod is replaced when it is deleted';
  }
  const replicas = numberAt(spec, ['replicas']);
  const first = partitionOf({ rollingUpdate });
  return kind === 'StatefulSet' && first > 0 && first >= replicas
    ? `partition ${first} of ${replicas} ${replicas === 1 ? 'Pod' : 'Pods'}: none is replaced until it is lower`
    : undefined;
}

/** The first Pod of a StatefulSet that an update replaces, counted from 0 also where `ordinals.start` is not 0 (newVersionedStatefulSetPod). */
export function partitionOf(updateStrategy: PlainMap): number {
  const { partition } = mapAt(updateStrategy, 'rollingUpdate');
  return typeof partition === 'number' ? partition : 0;
}

/** What keeps a changed template of an object from replacing Pods. */
interface HeldRollout {
  readonly reason: string;
  /** Whether no Pod is replaced. */
  readonly isAll: boolean;
}

/** The same of an object, also of a YurtAppSet, of the workload that it makes. */
export function heldRolloutOf(object: PlainMap): HeldRollout | undefined {
  const [found] = isByUpdater(object) ? [] : workloadSpecs(object);
  if (found === undefined) {
    return undefined;
  }
  const reason = heldRollout(found.kind, found.spec);
  const first = found.kind === 'StatefulSet' ? partitionOf(mapAt(found.spec, 'updateStrategy')) : 0;
  return reason !== undefined
    ? { reason, isAll: true }
    : first > 0
      ? { reason: `from Pod ${first} on (its partition)`, isAll: false }
      : undefined;
}

/** Whether yurt-manager's DaemonPodUpdater replaces its Pods (openyurt daemon_pod_updater_controller.go). */
export function isByUpdater(object: PlainMap): boolean {
  const strategy = mapAt(mapAt(object, 'metadata'), 'annotations')['apps.openyurt.io/update-strategy'];
  const { type } = mapAt(mapAt(object, 'spec'), 'updateStrategy');
  return object.kind === 'DaemonSet' && type === 'OnDelete' && strategy === 'AdvancedRollingUpdate';
}
