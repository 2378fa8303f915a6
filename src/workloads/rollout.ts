import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { updaterReads } from '../cluster/openyurt-capabilities.js';
import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import { nameOf } from '../kubernetes/object.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  valueAt,
  withChangeAt,
  withField,
} from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';
import { type Changed, withMetadata } from '../kubernetes/object-metadata.js';
import { checkAmount, scaled, workloadSpecs } from './deployment-rollout.js';
import { tweakedReplicas } from './yurt-app-tweaks.js';

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
      problems
        .at('nodesAway')
        .add(
          'EDGE_MISSING',
          `${String(input.away)} of the nodes cannot be computed: expectedNodes is not set`,
          'write expectedNodes at each pool, or the number of nodes that may be away: nodesAway: 1',
        );
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
