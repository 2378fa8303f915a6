import { ProblemList } from '../errors.js';
import type { NodeOptions } from './join-props.js';
import { checkConfigTemplate, type ClusterApiVersion, configTemplate } from './config-template-manifest.js';
import type { JoinPool } from './join-props.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Declaration } from '../cluster/fleet.js';

/**
 * What a {@link KubeadmConfigTemplate} can be told, in either face.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateSettings extends NodeOptions {
  /** Version of the object.
   * @default v1beta2 */
  readonly version?: ClusterApiVersion;
  /** Name of the object. Cluster API lets nobody change a template: another content needs another name.
   * @default - pool, `-join-` and a hash of the content */
  readonly name?: string;
  /** Namespace of the object, that of the Cluster.
   * @default - that of the chart, else default */
  readonly namespace?: string;
}

/**
 * Plans a template of Cluster API.
 *
 * @param defaultNamespace where it stands when nothing is said
 * @throws {@link EdgeError} with all problems at once
 */
export function planKubeadmConfigTemplate(
  props: KubeadmConfigTemplateSettings & { readonly pool: JoinPool },
  defaultNamespace: string,
  { path }: Declaration,
): KubernetesObject {
  const problems = new ProblemList();
  checkConfigTemplate(props, problems);
  problems.throwIfAny(`KubeadmConfigTemplate ${path}`);
  return configTemplate(props, props.namespace ?? defaultNamespace);
}
