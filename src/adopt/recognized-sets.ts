import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Declarations } from '../cluster/scope.js';
import type { RecognizedSet } from './planned-search.js';
import { recognizeAdmission } from './recognized-admission.js';
import { recognizeComponents } from './recognized-components.js';
import type { ImportedObject } from './recognized-object.js';
import { recognizeWebhooks } from './recognized-webhooks.js';

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
    ...recognizeWebhooks(objects, cluster, pools, reasons),
  ];
}
