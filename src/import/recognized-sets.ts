import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks/openyurt-webhooks.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { PlannedSearch, type RecognizedSet } from './planned-search.js';
import { recognizeAdmission } from './recognized-admission.js';
import { recognizeComponents } from './recognized-components.js';
import type { ImportedObject } from './recognized-object.js';

/**
 * The declarations that make several of the objects.
 *
 * @param pools makes declarations in which the pools of the program are known
 * @param reasons gets why objects that look like theirs are none
 */
export function recognizeSets(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
  reasons: Map<ImportedObject, string>,
): readonly RecognizedSet[] {
  return [
    ...recognizeComponents(objects, cluster, pools),
    ...recognizeAdmission(objects, cluster, pools, reasons),
    ...recognizeWebhooks(objects, cluster, pools),
  ];
}

function recognizeWebhooks(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): RecognizedSet[] {
  if (!cluster.hasOpenYurt() || !objects.some(({ object }) => /WebhookConfiguration$/.test(String(object.kind)))) {
    return [];
  }
  const search = new PlannedSearch(objects, pools);
  const plan = (scope: Scope): Plan<unknown> => planOpenYurtWebhooks({ cluster }, scope);
  const made = search.made(plan);
  return made === undefined ? [] : [search.set({ className: 'OpenYurtWebhooks', props: {} }, made, plan)];
}
