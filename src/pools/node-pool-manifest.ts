import type { KubernetesObject } from '../kubernetes/object.js';
import { copyOf, type PlainMap } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { type NodePoolInput, type PoolScopeMetadata, RELEASE_FIELDS } from './node-pool-props.js';
import { type PoolMode, taintsOf } from './pool.js';

// openyurt pkg/yurtmanager/webhook/nodepool/v1beta2/nodepool_default.go
const ALWAYS_SHARED: readonly PoolScopeMetadata[] = [
  { group: '', version: 'v1', resource: 'services' },
  { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
];

function isSameResource(a: PoolScopeMetadata, b: PoolScopeMetadata): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}

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
  if (input.cluster.hasNodePoolField('leaderElectionStrategy')) {
    // the webhook writes this default at CREATE only: a pool that was stored while yurt-manager was away would be refused at every later apply
    spec.leaderElectionStrategy ??= 'random';
  }
  if (input.poolScopeMetadata !== undefined) {
    // the webhook completes the list at CREATE only: a second apply of an incomplete one would take its additions away
    spec.poolScopeMetadata = [
      ...input.poolScopeMetadata,
      ...ALWAYS_SHARED.filter((shared) => !input.poolScopeMetadata?.some((given) => isSameResource(given, shared))),
    ];
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
