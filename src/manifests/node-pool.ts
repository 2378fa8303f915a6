import { copyOf, type KubernetesObject, type PlainMap } from './kubernetes-object.js';
import { OWN_LABELS } from './labels.js';
import { type NodePoolInput, RELEASE_FIELDS } from './node-pool-props.js';
import { type PoolMode, taintsOf } from './pool.js';

/** The NodePool object in the API version of the release; undefined without OpenYurt, where a pool is only labels and taints. */
export function nodePoolManifest(mode: PoolMode, input: NodePoolInput): KubernetesObject | undefined {
  const apiVersion = input.cluster.nodePoolApiVersion();
  if (apiVersion === undefined) {
    return undefined;
  }
  const taints = taintsOf(input);
  const spec: PlainMap = {
    ...input.extraSpec,
    type: input.type ?? 'Edge',
    ...(mode === 'host-network' ? { hostNetwork: true } : {}),
    ...given('labels', input.labels),
    ...given('annotations', input.annotations),
    ...(taints.length > 0 ? { taints } : {}),
  };
  for (const field of RELEASE_FIELDS) {
    Object.assign(spec, given(field, (input as unknown as PlainMap)[field]));
  }
  return copyOf({
    apiVersion,
    kind: 'NodePool',
    metadata: { ...input.metadata, name: input.poolName, labels: { ...input.metadata?.labels, ...OWN_LABELS } },
    spec,
  });
}

function given(field: string, value: unknown): PlainMap {
  return value === undefined ? {} : { [field]: value };
}
