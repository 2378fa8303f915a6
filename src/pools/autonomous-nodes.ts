import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { AUTONOMY_ANNOTATIONS, firstOpenYurtWith, hasAutonomyDuration } from '../cluster/openyurt-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import { type Autonomy, autonomySeconds } from '../kubernetes/autonomy.js';
import { secondsOf } from '../kubernetes/duration.js';
import { isMap } from '../base/plain-data.js';
import type { NodePoolInput, PoolMode } from './node-pool-props.js';

const { duration: DURATION, forever: FOREVER, binding: BINDING } = AUTONOMY_ANNOTATIONS;

/** Annotations of a pool's nodes by which OpenYurt knows their autonomy; undefined if there is none. */
export function autonomyAnnotations({ cluster, autonomy }: NodePoolInput): Record<string, string> | undefined {
  const seconds = autonomySeconds(autonomy);
  if (seconds === undefined || !cluster.hasOpenYurt()) {
    return undefined;
  }
  // a time of 0 is forever (resolveNodeAutonomySetting of 1.6 and 1.7)
  return hasAutonomyDuration(cluster)
    ? { [DURATION]: seconds === Infinity ? '0s' : `${seconds}s` }
    : { [FOREVER]: 'true' };
}

/** The autonomy of annotations of Nodes, as the controllers of OpenYurt read them; undefined if they do not have one. */
export function annotatedAutonomy(annotations: unknown, cluster?: EdgeCluster): Autonomy | undefined {
  const { [BINDING]: binding, [FOREVER]: forever, [DURATION]: duration } = isMap(annotations) ? annotations : {};
  if (binding === 'true' || forever === 'true') {
    return 'forever';
  }
  // time.ParseDuration: 0 needs no unit, and a negative time counts as 0
  const seconds =
    typeof duration !== 'string' ? undefined : /^-/.test(duration) ? 0 : secondsOf(duration === '0' ? '0s' : duration);
  if (seconds === undefined || (cluster !== undefined && !hasAutonomyDuration(cluster))) {
    return undefined;
  }
  return seconds === 0 ? 'forever' : `${Math.floor(seconds)}s`;
}

/** The autonomy of a pool: the given one, or that of annotations which a user writes himself. */
export function autonomyOf({ cluster, autonomy, annotations }: NodePoolInput): Autonomy | undefined {
  if (autonomySeconds(autonomy) !== undefined) {
    return autonomy;
  }
  return cluster.hasOpenYurt() ? annotatedAutonomy(annotations, cluster) : undefined;
}

/** Reports an autonomy that the releases of the cluster do not know, or that is said twice. */
export function checkPoolAutonomy(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  const { cluster, autonomy, annotations } = input;
  const seconds = autonomySeconds(autonomy);
  if (seconds === undefined) {
    return;
  }
  const at = problems.at('autonomy');
  if (!cluster.hasOpenYurt()) {
    if (mode === 'regular') {
      at.add(
        'EDGE_NO_OPENYURT',
        'without OpenYurt nothing reads the autonomy of a regular pool',
        'write the tolerations of node.kubernetes.io/unreachable and not-ready into its workloads, and leave it out',
      );
    }
    return;
  }
  if (seconds !== Infinity && !hasAutonomyDuration(cluster)) {
    at.add(
      'EDGE_FIELD_NOT_IN_RELEASE',
      `OpenYurt ${cluster.openYurt} supports only autonomy: 'forever'; durations exist from ${firstOpenYurtWith(({ autonomyDuration }) => autonomyDuration)} on`,
      "write autonomy: 'forever', or the time as autonomy of each HostNetworkWorkload",
    );
  }
  for (const key of [BINDING, FOREVER, DURATION].filter(
    (each) => isMap(annotations) && Object.hasOwn(annotations, each),
  )) {
    problems
      .at('annotations', key)
      .add('EDGE_CONTRADICTION', `conflicting settings: autonomy and the annotation ${key}`, 'remove the annotation');
  }
}
