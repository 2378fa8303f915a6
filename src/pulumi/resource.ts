import { createRequire } from 'node:module';
import type * as pulumi from '@pulumi/pulumi';
import { FIELD_MANAGER } from '../system-components/keep-off.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt } from '../validation/plain-data.js';

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
 * The resource of an object: the class of its kind, or a CustomResource.
 *
 * @param object with Outputs where values are known later
 */
export function resourceOf(
  name: string,
  object: KubernetesObject,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const { apiVersion, kind } = object;
  const Class = classOf(apiVersion, kind) ?? (kubernetes().apiextensions?.CustomResource as unknown as ResourceClass);
  return new Class(name, object, options);
}

/**
 * A resource that owns some fields of an object that somebody else makes, under the field manager of this library. It does not wait for a rollout, which
 * never ends while an edge node is away.
 *
 * @param force whether it takes fields over that somebody else owns
 */
export function patchOf(
  name: string,
  object: KubernetesObject,
  force: boolean,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const Class = classOf(object.apiVersion, `${object.kind}Patch`) as ResourceClass;
  const metadata = mapAt(object, 'metadata');
  const annotations = {
    ...mapAt(metadata, 'annotations'),
    'pulumi.com/patchFieldManager': FIELD_MANAGER,
    'pulumi.com/skipAwait': 'true',
    ...(force ? { 'pulumi.com/patchForce': 'true' } : {}),
  };
  return new Class(name, { ...object, metadata: { ...metadata, annotations } }, options);
}
