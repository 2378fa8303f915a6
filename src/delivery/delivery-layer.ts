import { SYNC_WAVE_ANNOTATION } from '../kubernetes/labels.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import type { KubernetesObject } from '../kubernetes/object.js';

/**
 * A layer of a site. The layers are delivered in this order, because what a layer has must be there before what the next one has: a Pod that is created
 * before the policy that excludes it stays where it is.
 *
 * @category Deliver many clusters
 */
export type DeliveryLayer = 'pools' | 'policies' | 'workloads' | 'patches';

/** The layers in their order, and the folder of each in the folder of a site. */
export const LAYER_FOLDERS: Readonly<Record<DeliveryLayer, string>> = {
  pools: '10-pools',
  policies: '20-policies',
  workloads: '30-workloads',
  patches: '40-patches',
};

export const LAYERS = Object.keys(LAYER_FOLDERS) as readonly DeliveryLayer[];

/** Kinds without which nothing of the next layers can be written. */
const POOLS = ['NodePool.apps.openyurt.io', 'CustomResourceDefinition.apiextensions.k8s.io'];

/**
 * The layer of an object: that of its kind, or a later or earlier one that it has in its site. A part of an object of others is a patch, whatever its kind.
 *
 * @param moved objects that the site has in another layer than others of their kind
 */
export function layerOf(
  object: KubernetesObject,
  isPartial: boolean,
  moved: ReadonlyMap<KubernetesObject, DeliveryLayer>,
): DeliveryLayer {
  if (isPartial) {
    return 'patches';
  }
  const kind = groupKindOf(object);
  if (POOLS.includes(kind)) {
    return 'pools';
  }
  return moved.get(object) ?? (kind.endsWith('.admissionregistration.k8s.io') ? 'policies' : 'workloads');
}

/**
 * The sync wave of an object of Argo CD. In one application it applies kinds that it does not know, such as NodePools and policies, after Deployments
 * (gitops-engine pkg/sync/sync_tasks.go), so they get earlier waves. It deletes by waves in reverse (controller/sort_delete.go): workloads, then bindings,
 * then policies, then pools. Workloads keep waves of their own.
 */
export function syncWaveOf(object: KubernetesObject, layer: DeliveryLayer): number | undefined {
  switch (layer) {
    case 'pools':
      return object.kind === 'CustomResourceDefinition' ? -30 : -20;
    case 'policies':
      return object.kind.endsWith('Binding') ? -9 : -10;
    default:
      return undefined;
  }
}

/** The first wave that an object of the layer of workloads can have. */
export const FIRST_WORKLOAD_WAVE = -8;

/**
 * The sync wave that an object has itself, as Argo CD reads it: the annotation, or the weight of a hook of Helm (gitops-engine pkg/sync/syncwaves); undefined if
 * it has none that is a number.
 */
export function ownSyncWave({ metadata }: KubernetesObject): number | undefined {
  const texts = [SYNC_WAVE_ANNOTATION, 'helm.sh/hook-weight'].map((key) => metadata?.annotations?.[key]);
  const text = texts.find((each) => typeof each === 'string' && /^[+-]?\d+$/.test(each));
  return text === undefined ? undefined : Number(text);
}
