import { createRequire } from 'node:module';
import type * as pulumi from '@pulumi/pulumi';
import type { PlannedObject } from '../cluster/plan.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import { type PlainMap, mapAt } from '../validation/plain-data.js';

/** A class of @pulumi/kubernetes. */
type ResourceClass = new (name: string, args: unknown, options?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Loaded with the first object and not at import: it takes as long as everything else together. */
function kubernetes(): Record<
  string,
  Record<string, Record<string, ResourceClass | undefined> | undefined> | undefined
> {
  return createRequire(__filename)('@pulumi/kubernetes') as ReturnType<typeof kubernetes>;
}

/** The class of a kind; undefined for kinds that Kubernetes itself does not have. */
function classOf(apiVersion: string, kind: string): ResourceClass | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const isBuiltIn = !group?.includes('.') || group.endsWith('.k8s.io');
  return isBuiltIn ? kubernetes()[group?.split('.')[0] as string]?.[version as string]?.[kind] : undefined;
}

/**
 * The resource of an object: the class of its kind, or a CustomResource; for a patch the patch class of its kind.
 *
 * @param object with Outputs where values are unknown
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
 * Some fields of an object that somebody else makes, owned under the field manager of this library. It does not wait for a rollout, which never ends
 * while an edge node is away.
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
 * Names a child of a component: the one object has the name of the component, others are named after what they are,
 * `admission-validatingadmissionpolicy-edge-nodepools-immutable-pools`. A name is part of what Pulumi knows a resource by, so an unknown one is not in
 * it.
 */
export function childName(component: string, { object, id }: PlannedObject): string {
  if (id === undefined) {
    return component;
  }
  const { name } = mapAt(object, 'metadata');
  const which = typeof name === 'string' ? name : id;
  return [component, object.kind.toLowerCase(), ...(which === '' ? [] : [which])].join('-');
}
