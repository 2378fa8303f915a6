import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { KubernetesObject } from '../kubernetes/object.js';
import { admissionName } from '../admission/admission-names.js';
import { withoutNamespace } from './cluster-scoped.js';

/** Adds the objects in their order, each after the one before: a binding never comes before its policy. */
export function addAdmissionObjects(construct: Construct, objects: readonly KubernetesObject[]): ApiObject[] {
  const made = objects.map((object) => {
    const resource = new ApiObject(construct, admissionName(object).replace(' ', '-'), object);
    if (object.metadata?.namespace === undefined) {
      withoutNamespace(resource);
    }
    return resource;
  });
  made.slice(1).forEach((resource, index) => resource.addDependency(made[index] as ApiObject));
  return made;
}
