import { type KubernetesObject, mapAt } from '../manifests/kubernetes-object.js';
import { holdsStandIn } from './stand-in.js';

/**
 * Names the children of a component after what they are: `admission-validatingadmissionpolicy-edge-nodepools-immutable-pools`. A name is part of what
 * Pulumi knows a resource by, so it must not depend on what is known later only.
 */
export function childName(component: string): (object: KubernetesObject) => string {
  return (object) => {
    const { name } = mapAt(object, 'metadata');
    return [component, object.kind.toLowerCase(), ...(holdsStandIn(name) ? [] : [String(name)])].join('-');
  };
}
