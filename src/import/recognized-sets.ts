import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks/openyurt-webhooks.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Declarations } from '../cluster/scope.js';
import { PlannedSearch, type RecognizedSet } from './planned-search.js';
import { recognizeAdmission } from './recognized-admission.js';
import { recognizeComponents } from './recognized-components.js';
import type { ImportedObject } from './recognized-object.js';

/**
 * The declarations that make several of the objects.
 *
 * @param pools makes declarations in which the pools of the program are known
 */
export function recognizeSets(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): readonly RecognizedSet[] {
  return [
    ...recognizeComponents(objects, cluster, pools),
    ...recognizeAdmission(objects, cluster, pools),
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
  const made = new PlannedSearch(objects, pools).made((scope) => planOpenYurtWebhooks({ cluster }, scope));
  return made === undefined ? [] : [{ recognized: { className: 'OpenYurtWebhooks', props: {} }, objects: made }];
}
