import { watchesInitialEvents } from '../cluster/kubelet-capabilities.js';
import { enablesYurthub } from '../cluster/openyurt-capabilities.js';
import type { EdgeWarning } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { argumentList } from './kubelet-arguments.js';
import { isConverted } from './node-join-checks.js';
import type { NodeFile } from './node-file.js';
import type { NodeJoinProps } from './node-join-props.js';
import { YURTHUB_DROP_IN } from './node-paths.js';
import { shell } from './shell-parts.js';
import type { UpdateSubject } from './update-script.js';

/**
 * Starts yurthub with kubelet, which asks it for everything once OpenYurt has converted the node. Not in a folder of
 * yurthub's unit, which OpenYurt removes with the unit; without the unit, systemd ignores it.
 */
export function yurthubFiles({ pool, via }: Pick<NodeJoinProps, 'pool' | 'via'>): readonly NodeFile[] {
  return compute({ type: pool.type }, ({ type }) =>
    !hasYurthub({ via, cluster: pool.cluster, type }) || enablesYurthub(pool.cluster)
      ? []
      : [{ path: YURTHUB_DROP_IN, content: '[Unit]\nWants=yurthub.service\nAfter=yurthub.service\n' }],
  );
}

/** An update begins with a yurthub that runs. */
export function yurthubOfUpdate(files: readonly NodeFile[]): UpdateSubject[] {
  return files.some(({ path }) => path === YURTHUB_DROP_IN)
    ? [{ variables: {}, parts: [shell('update-yurthub')], before: ['start_yurthub'] }]
    : [];
}

/** Whether yurthub runs on the nodes, or may once OpenYurt has converted them. */
function hasYurthub({
  cluster,
  type,
  via,
}: Pick<NodeJoinProps, 'via'> & Pick<NodePoolAttributes, 'cluster' | 'type'>): boolean {
  return cluster.yurthub ?? (via === 'yurtadm' || isConverted({ cluster, type }));
}

const GATE = 'WatchListClient';

/** Whether the feature gate is off. */
function isOff({ kubeletConfiguration: fields, kubeletExtraArgs: args }: NodeJoinProps): boolean {
  const gates: unknown = fields?.featureGates;
  return (
    (isMap(gates) && gates[GATE] === false) ||
    argumentList(args).some(
      ({ name, value }) => name === 'feature-gates' && (isUnknown(value) || value.includes(`${GATE}=false`)),
    )
  );
}

/**
 * yurthub answers a list of its store without an API server, and a watch with nothing, also one with
 * `sendInitialEvents` (openyurt v1.7.0, pkg/yurthub/proxy/local/local.go, localWatch): so a kubelet that asks for its
 * first list by such a watch knows neither its Node nor its Pods.
 */
export function yurthubStoreWarnings(input: NodeJoinProps): readonly EdgeWarning[] {
  const { cluster, type } = input.pool;
  const isKnown = cluster.yurthub !== undefined || input.via === 'yurtadm' || !isUnknown(type);
  return isKnown && hasYurthub({ ...input, cluster, type }) && watchesInitialEvents(cluster) && !isOff(input)
    ? [
        {
          code: 'EDGE_JOIN',
          path: 'kubeletConfiguration',
          message: `after a reboot without an API server no ordinary Pod comes back: the kubelet of Kubernetes ${cluster.kubernetes} asks for its Pods by a watch with initial events, which yurthub does not answer from its store`,
          hint: `write kubeletConfiguration: { featureGates: { ${GATE}: false } }`,
        },
      ]
    : [];
}
