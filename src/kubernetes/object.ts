import { mapAt, type PlainMap } from '../validation/plain-data.js';

/**
 * A Kubernetes object as plain data, as it stands in a manifest.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface KubernetesObject {
  /** Group and version, for example `apps/v1`. */
  readonly apiVersion: string;
  /** Kind, for example `DaemonSet`. */
  readonly kind: string;
  /** Standard object metadata.
   * @default - none */
  readonly metadata?: ObjectMetadata;
  /** Everything else (`spec`, `data`, …), kept as it is. */
  readonly [field: string]: unknown;
}

/**
 * Standard object metadata; fields that are not named here are kept too.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ObjectMetadata {
  /** Name of the object.
   * @default - given by the construct */
  readonly name?: string;
  /** Namespace of the object.
   * @default - the namespace of the chart, else none */
  readonly namespace?: string;
  /** Labels of the object.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Annotations of the object.
   * @default - none */
  readonly annotations?: Record<string, string>;
  /** Any other metadata field. */
  readonly [field: string]: unknown;
}

/** `Deployment default/web`: how messages name an object. */
export function nameOf(object: PlainMap): string {
  const metadata = mapAt(object, 'metadata');
  const namespace = typeof metadata.namespace === 'string' ? `${metadata.namespace}/` : '';
  const name = typeof metadata.name === 'string' ? metadata.name : '(no name)';
  return `${String(object.kind)} ${namespace}${name}`;
}

/** Kinds of objects without a namespace, among those that this library makes. */
const CLUSTER_SCOPED = [
  'NodePool',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
];

/** Whether an object that this library makes has no namespace. */
export function isClusterScoped({ kind }: Pick<KubernetesObject, 'kind'>): boolean {
  return CLUSTER_SCOPED.includes(kind);
}
