import { createRequire } from 'node:module';
import type * as pulumi from '@pulumi/pulumi';
import type { PlannedObject } from '../cluster/plan.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import { type PlainMap, mapAt } from '../validation/plain-data.js';

/** A class of @pulumi/kubernetes. */
type ResourceClass = new (name: string, args: unknown, options?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Loaded with the first object and not at import, because it takes as long as all other imports together. */
function kubernetes(): Record<
  string,
  Record<string, Record<string, ResourceClass | undefined> | undefined> | undefined
> {
  return createRequire(__filename)('@pulumi/kubernetes') as ReturnType<typeof kubernetes>;
}

/** The class of a kind; undefined for kinds that are not built into Kubernetes. */
function classOf(apiVersion: string, kind: string): ResourceClass | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const isBuiltIn = !group?.includes('.') || group.endsWith('.k8s.io');
  return isBuiltIn ? kubernetes()[group?.split('.')[0] as string]?.[version as string]?.[kind] : undefined;
}

/**
 * Creates the resource of an object, with the class of its kind or as a CustomResource; for a patch, with the patch class of its kind.
 *
 * @param object the object, with Outputs for unknown values
 */
export function resourceOf(
  name: string,
  { apply, force }: PlannedObject,
  object: PlainMap,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const [apiVersion, kind] = [String(object.apiVersion), String(object.kind)];
  if (apply === 'patch') {
    const Class = classOf(apiVersion, `${kind}Patch`) as ResourceClass;
    return new Class(name, asPatch(object, force === true), options);
  }
  const Class = classOf(apiVersion, kind) ?? (kubernetes().apiextensions?.CustomResource as unknown as ResourceClass);
  return new Class(name, object, options);
}

/**
 * A patch of some fields of an object that another tool manages, with the field manager of this library. It does not await the rollout, which never
 * ends while an edge node is offline.
 */
function asPatch(object: PlainMap, force: boolean): PlainMap {
  const metadata = mapAt(object, 'metadata');
  const annotations = {
    ...mapAt(metadata, 'annotations'),
    'pulumi.com/patchFieldManager': FIELD_MANAGER,
    'pulumi.com/skipAwait': 'true',
    ...(force ? { 'pulumi.com/patchForce': 'true' } : {}),
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

/**
 * Name of the resource of an object: the name of the component for its main object, and for others with kind and name of the object,
 * `admission-validatingadmissionpolicy-edge-nodepools-immutable-pools`. The name is part of the URN and must be plain, so an unknown `metadata.name` is
 * left out.
 */
export function childName(component: string, { object, id }: PlannedObject): string {
  if (id === undefined) {
    return component;
  }
  const { name } = mapAt(object, 'metadata');
  const which = typeof name === 'string' ? name : id;
  return [component, object.kind.toLowerCase(), ...(which === '' ? [] : [which])].join('-');
}
