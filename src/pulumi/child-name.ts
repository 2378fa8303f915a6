import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt } from '../validation/plain-data.js';
import { withoutStandIns } from './stand-in.js';

/**
 * Names the children of a component after what they are: `admission-validatingadmissionpolicy-edge-nodepools-immutable-pools`. A name is part of what
 * Pulumi knows a resource by, so what is known later is left out of it.
 */
export function childName(component: string): (object: KubernetesObject) => string {
  return (object) => {
    const { name } = mapAt(object, 'metadata');
    const known = withoutStandIns(String(name), '').replace(/^-|-$/g, '');
    return [component, object.kind.toLowerCase(), ...(known === '' ? [] : [known])].join('-');
  };
}
