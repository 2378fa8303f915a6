import { groupKindOf } from '../kubernetes/group-kind.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';

/** Whether the `clientConfig` of a webhook calls a Service that the site itself has. */
export type CallsSite = (clientConfig: PlainMap) => boolean;

export function callsSiteOf(objects: readonly KubernetesObject[]): CallsSite {
  const services = new Set(
    objects.filter((object) => groupKindOf(object) === 'Service').map((object) => placeOf(mapAt(object, 'metadata'))),
  );
  return (clientConfig) => services.has(placeOf(mapAt(clientConfig, 'service')));
}

function placeOf({ namespace, name }: PlainMap): string {
  return `${String(namespace)}/${String(name)}`;
}
