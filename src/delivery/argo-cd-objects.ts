import type { ProblemList } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { SYNC_WAVE_ANNOTATION } from '../kubernetes/labels.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { showValue } from '../base/properties.js';
import { type DeliveryLayer, FIRST_WORKLOAD_WAVE, ownSyncWave, syncWaveOf } from './delivery-layer.js';
import { withAnnotations } from './partial-objects.js';

const HOOK = 'argocd.argoproj.io/hook';

/** What Argo CD makes of the hooks of Helm that it knows (gitops-engine pkg/sync/hook/helm/type.go). */
const HELM_HOOKS: Readonly<Record<string, string>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
};

/** An object as Argo CD needs it, or what is in the way of it. */
export function forArgoCd(
  object: KubernetesObject,
  layer: DeliveryLayer,
  deletion: 'keep' | 'prune' | undefined,
  problems: ProblemList,
): KubernetesObject {
  checkHooks(object, layer, problems);
  return withSyncWave(deletion === 'prune' ? prunedLast(object) : object, layer, problems);
}

/** The hooks of an object, as Argo CD reads them: those of Helm only if there are none of its own (gitops-engine pkg/sync/hook/hook.go). */
function hooksOf({ metadata: { annotations = {} } = {} }: KubernetesObject): string[] {
  const listed = (key: string): string[] =>
    String(annotations[key] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  const own = listed(HOOK);
  return own.length > 0 ? own : listed('helm.sh/hook').flatMap((each) => HELM_HOOKS[each] ?? []);
}

/** A hook has a phase of its own: before all layers, after a layer has failed, or not in the application at all. */
function checkHooks(object: KubernetesObject, layer: DeliveryLayer, problems: ProblemList): void {
  const hooks = hooksOf(object);
  const early = hooks.find((hook) => hook === 'PreSync' || hook === 'SyncFail');
  if (layer !== 'workloads' && hooks.length > 0) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${nameOf(object)} is a hook (${hooks.join(', ')}), which Argo CD deletes and creates again at each sync`,
      `remove the annotation: its layer says when it is applied`,
    );
  } else if (early !== undefined) {
    problems.add(
      'EDGE_CONTRADICTION',
      early === 'PreSync'
        ? `${nameOf(object)} is a hook of the phase PreSync, so Argo CD would create it before pools and policies`
        : `${nameOf(object)} is a hook of the phase SyncFail, so Argo CD would create it without pools and policies when they have failed`,
      `write the annotation ${HOOK}: Sync, which also takes the place of helm.sh/hook, and a sync wave of at least ${FIRST_WORKLOAD_WAVE}`,
    );
  }
}

/** OpenYurt refuses to delete a pool that has nodes, and a sync that fails at it first would apply nothing else. */
function prunedLast(object: KubernetesObject): KubernetesObject {
  return groupKindOf(object) === 'NodePool.apps.openyurt.io'
    ? withAnnotations(object, { 'argocd.argoproj.io/sync-options': 'PruneLast=true' })
    : object;
}

function withSyncWave(object: KubernetesObject, layer: DeliveryLayer, problems: ProblemList): KubernetesObject {
  const written = object.metadata?.annotations?.[SYNC_WAVE_ANNOTATION];
  const own = ownSyncWave(object);
  const wave = syncWaveOf(object, layer);
  if (written !== undefined && !/^[+-]?\d+$/.test(written)) {
    problems.add(
      'EDGE_VALUE',
      `${nameOf(object)} has the sync wave ${showValue(written)}, which is no whole number, and which Argo CD passes over`,
      `write the annotation ${SYNC_WAVE_ANNOTATION}: '1'`,
    );
  }
  if (wave === undefined) {
    if (own !== undefined && own < FIRST_WORKLOAD_WAVE) {
      problems.add(
        'EDGE_CONTRADICTION',
        `${nameOf(object)} has the sync wave ${own}, so Argo CD would create it before pools and policies`,
        `write a wave of at least ${FIRST_WORKLOAD_WAVE}`,
      );
    }
    return object;
  }
  if (written !== undefined && own !== undefined && own !== wave) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${nameOf(object)} has the sync wave ${own}, and its layer has ${wave}`,
      'remove the annotation',
    );
  }
  return withAnnotations(object, { [SYNC_WAVE_ANNOTATION]: String(wave) });
}
