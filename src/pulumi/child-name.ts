import { type KubernetesObject, mapAt } from '../manifests/kubernetes-object.js';

/** Names the children of a component after what they are: `admission-validatingadmissionpolicy-edge-nodepools-pools`. */
export function childName(component: string): (object: KubernetesObject) => string {
  return (object) => {
    const { namespace, name } = mapAt(object, 'metadata');
    return [component, object.kind.toLowerCase(), ...(namespace === undefined ? [] : [namespace]), name]
      .map(String)
      .join('-');
  };
}
