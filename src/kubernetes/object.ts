import { mapAt, type PlainMap } from '../base/plain-data.js';
import { isUnknown } from '../base/unknown.js';
import type { ProblemList } from '../base/errors.js';

/**
 * A Kubernetes object as plain data, as in a manifest.
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
  /** Everything else (`spec`, `data`, …), kept unchanged. */
  readonly [field: string]: unknown;
}

/**
 * Standard object metadata; other fields are kept too.
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

/** Name of an object in messages, `Deployment default/web`. */
export function nameOf(object: PlainMap): string {
  const metadata = mapAt(object, 'metadata');
  const namespace = typeof metadata.namespace === 'string' ? `${metadata.namespace}/` : '';
  const without = isUnknown(metadata.name) || isUnknown(object.metadata) ? '(name unknown at preview)' : '(no name)';
  const name = typeof metadata.name === 'string' ? metadata.name : without;
  const kind = (object.kind ?? undefined) === undefined ? 'object' : String(object.kind);
  return `${kind} ${namespace}${name}`;
}

/**
 * What identifies an object in its cluster: group, kind, namespace and name; undefined while a part of it is unknown.
 *
 * @param namespace namespace of an object that has none; without one, clients take `default`
 */
export function identityOf(object: PlainMap, namespace = 'default'): string | undefined {
  const { apiVersion, kind } = object;
  const metadata = mapAt(object, 'metadata');
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const place: unknown = typeof kind === 'string' && isClusterScoped({ kind }) ? '' : (metadata.namespace ?? namespace);
  return typeof metadata.name === 'string' && typeof kind === 'string' && typeof place === 'string'
    ? `${group}/${kind} ${place}/${metadata.name}`
    : undefined;
}

/** Cluster-scoped kinds among those that this library creates. */
const CLUSTER_SCOPED = [
  'CustomResourceDefinition',
  'PersistentVolume',
  'PriorityClass',
  'StorageClass',
  'VolumeSnapshotClass',
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

/** Whether an object that this library creates is cluster-scoped. */
export function isClusterScoped({ kind }: Pick<KubernetesObject, 'kind'>): boolean {
  return CLUSTER_SCOPED.includes(kind);
}

/** Longest name of a field manager (`k8s.io/apimachinery/pkg/apis/meta/v1/validation`, ValidateFieldManager). */
const LONGEST_FIELD_MANAGER = 128;

/** Characters of a name; the API server also accepts other printable ones. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Checks the name of a field manager, if there is one. */
export function checkFieldManager(name: unknown, problems: ProblemList): void {
  if (name === undefined || isUnknown(name)) {
    return;
  }
  if (typeof name !== 'string') {
    problems.add('EDGE_TYPE', 'the field manager is not text', "write fieldManager: 'edge-nodepools-shops'");
  } else if (name.length > LONGEST_FIELD_MANAGER || !PRINTABLE.test(name)) {
    problems.add(
      'EDGE_VALUE',
      `the field manager must have 1 to ${LONGEST_FIELD_MANAGER} printable characters`,
      "write fieldManager: 'edge-nodepools-shops'",
    );
  }
}
