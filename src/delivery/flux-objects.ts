import { groupKindOf } from '../kubernetes/group-kind.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { DeliveryLayer } from './delivery-layer.js';
import { withAnnotations } from './partial-objects.js';

/** Annotations of an object that say to Flux how it is to deliver it. */
const FLUX = 'kustomize.toolkit.fluxcd.io';

/** An object as Flux needs it. */
export function forFlux(object: KubernetesObject, layer: DeliveryLayer): KubernetesObject {
  switch (groupKindOf(object)) {
    // Nobody can change the template of a Job, so with its next image Flux would apply nothing of the layer. Helm deletes the former hook (before-hook-creation).
    case 'Job.batch':
      return object.metadata?.annotations?.['helm.sh/hook'] === undefined
        ? object
        : withAnnotations(object, { [`${FLUX}/force`]: 'enabled' });
    // when no policy needs it any more, it is in another layer, and the layer that it leaves would delete it before, with all that is in it
    case 'Namespace':
      return layer === 'policies' ? withAnnotations(object, { [`${FLUX}/prune`]: 'disabled' }) : object;
    default:
      return object;
  }
}
