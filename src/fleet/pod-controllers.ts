import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * The names that the controller of an object may have, as {@link nameOf} writes them: of a ReplicaSet also that of its Deployment, which a dump can have
 * without it. Empty if nothing controls the object.
 */
export function controllersOf(object: PlainMap): readonly string[] {
  const { namespace, labels, ownerReferences } = mapAt(object, 'metadata');
  const owners = itemsOf(ownerReferences).filter(isMap);
  return owners
    .filter(({ controller }) => controller === true)
    .flatMap((owner) => {
      const place = typeof namespace === 'string' ? `${namespace}/` : '';
      const hash = isMap(labels) ? labels['pod-template-hash'] : undefined;
      const name = String(owner.name);
      const suffix = typeof hash === 'string' ? `-${hash}` : '';
      const ofDeployment = owner.kind === 'ReplicaSet' && suffix !== '' && name.endsWith(suffix);
      return [
        `${String(owner.kind)} ${place}${name}`,
        ...(ofDeployment ? [`Deployment ${place}${name.slice(0, -suffix.length)}`] : []),
      ];
    });
}
