import type { ProblemList } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { type DeliveryEngine, engineName } from './delivery-engine.js';
import { callsSiteOf } from './site-services.js';

/**
 * Refuses custom resources that the API server can store only when a webhook of the same site has converted them, which comes after them: it is asked already
 * for the dry run of their layer. Argo CD makes no dry run of a kind that is not there yet, and applies kinds that it does not know last, so there only a
 * NodePool is refused, whose layer is before that of the webhook.
 */
export function checkStoredVersions(
  objects: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  const stored = storedVersions(objects);
  for (const object of stored.size === 0 ? [] : objects) {
    const kind = groupKindOf(object);
    const apiVersion = stored.get(kind);
    if (
      apiVersion !== undefined &&
      apiVersion !== object.apiVersion &&
      (engine !== 'argo-cd' || kind === 'NodePool.apps.openyurt.io')
    ) {
      problems
        .at(nameOf(object))
        .add(
          'EDGE_CONTRADICTION',
          `${nameOf(object)} is in the version ${object.apiVersion}, and the webhook that converts it into the stored one is of this site and comes later, so ${engineName(engine)} would apply neither`,
          `write apiVersion: ${apiVersion}; or install what converts it apart from the site, before it`,
        );
    }
  }
}

/** The API versions that are stored of kinds whose conversion webhook the site has, by kind and group. */
function storedVersions(objects: readonly KubernetesObject[]): Map<string, string> {
  const definitions = objects.filter(
    (object) => groupKindOf(object) === 'CustomResourceDefinition.apiextensions.k8s.io',
  );
  const callsSite = callsSiteOf(definitions.length === 0 ? [] : objects);
  return new Map(
    definitions.flatMap((definition) => {
      const spec = mapAt(definition, 'spec');
      const { group, versions } = spec;
      const version = (Array.isArray(versions) ? versions : []).filter(isMap).find(({ storage }) => storage === true);
      return version !== undefined && callsSite(mapAt(mapAt(mapAt(spec, 'conversion'), 'webhook'), 'clientConfig'))
        ? [
            [
              `${String(mapAt(spec, 'names').kind)}.${String(group)}`,
              `${String(group)}/${String(version.name)}`,
            ] as const,
          ]
        : [];
    }),
  );
}
