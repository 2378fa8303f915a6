import { watchesInitialEvents } from '../cluster/kubelet-capabilities.js';
import type { EdgeWarning } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { isUnknown } from '../validation/unknown.js';
import { argumentList } from './kubelet-arguments.js';
import { isConverted } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';

const GATE = 'WatchListClient';

/** Whether the feature gate is off, or may be. */
function isOff({ kubeletConfiguration: fields, kubeletExtraArgs: args }: NodeJoinProps): boolean {
  if (isUnknown(fields) || isUnknown(args)) {
    return true;
  }
  const gates: unknown = fields?.featureGates;
  return (
    isUnknown(gates) ||
    (isMap(gates) && (isUnknown(gates[GATE]) || gates[GATE] === false)) ||
    argumentList(args).some(
      ({ name, value }) => isUnknown(value) || (name === 'feature-gates' && value.includes(`${GATE}=false`)),
    )
  );
}

/**
 * yurthub answers a list of its store without an API server, and a watch with nothing, also one with `sendInitialEvents` (openyurt v1.7.0,
 * pkg/yurthub/proxy/local/local.go, localWatch): so a kubelet that asks for its first list by such a watch knows neither its Node nor its Pods.
 */
export function yurthubStoreWarnings(input: NodeJoinProps): readonly EdgeWarning[] {
  const { pool, via } = input;
  const { cluster } = pool;
  const hasYurthub = cluster.yurthub ?? (via === 'yurtadm' || (!isUnknown(pool.type) && isConverted(pool)));
  return hasYurthub && watchesInitialEvents(cluster) && !isOff(input)
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
