import { type EdgeWarning, joinPath } from '../errors.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { scaled, workloadSpecs } from './deployment-rollout.js';
import type { NodesAway, Rollout } from './rollout.js';
import { tweakedReplicas } from './yurt-app-tweaks.js';

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
