import type { ProblemList } from '../base/errors.js';
import { type PlainMap, entryOf } from '../base/plain-data.js';
import { showValue, nearest } from '../base/properties.js';
import { type WorkloadKind, WORKLOADS } from './workload-kinds.js';
import { nameOf } from './object.js';

/** `Kind.group` of an object, as Kubernetes' GroupKind prints it; only the kind in the core group. */
export function groupKindOf({ apiVersion, kind }: PlainMap): string {
  const version = String(apiVersion);
  const slash = version.indexOf('/');
  return slash < 0 ? String(kind) : `${String(kind)}.${version.slice(0, slash)}`;
}

/** API groups of Kubernetes itself, whose kinds are all known (staging/src/k8s.io/api), and of kustomize, whose objects are never in a cluster. */
const KNOWN_GROUPS: ReadonlySet<string> = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy'],
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization'].map(ofKubernetes),
  ...['certificates', 'coordination', 'discovery', 'events', 'networking', 'node', 'rbac.authorization'].map(
    ofKubernetes,
  ),
  ...['flowcontrol.apiserver', 'internal.apiserver', 'resource', 'scheduling', 'storage'].map(ofKubernetes),
  ...['storagemigration', 'kustomize.config'].map(ofKubernetes),
]);

function ofKubernetes(group: string): string {
  return `${group}.k8s.io`;
}

/** Groups of Kubernetes itself: their kinds need no group where a kind is named. */
const BUILT_IN_GROUPS = ['', '.apps', '.batch'];

const ROWS = new Map<string, readonly WorkloadKind[]>();
for (const row of WORKLOADS) {
  ROWS.set(row.kind, [...(ROWS.get(row.kind) ?? []), row]);
}

/** Names of all known kinds, with and without their group. */
export const KIND_NAMES: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ kind }) => [String(kind.split('.')[0]), kind])),
];

/** The kind of an object, looked up once. */
export interface ObjectKind {
  /** `Kind.group`. */
  readonly groupKind: string;
  /** Its row; undefined if the kind or its version is not known. */
  readonly row: WorkloadKind | undefined;
  /** Whether its API group is one of Kubernetes itself, or of kustomize. */
  readonly isOfKubernetes: boolean;
}

export function objectKind(object: PlainMap): ObjectKind {
  const apiVersion = String(object.apiVersion);
  const slash = apiVersion.lastIndexOf('/');
  const version = apiVersion.slice(slash + 1);
  const groupKind = groupKindOf(object);
  return {
    groupKind,
    row: ROWS.get(groupKind)?.find(({ versions }) => versions?.includes(version) ?? true),
    isOfKubernetes: KNOWN_GROUPS.has(slash < 0 ? '' : apiVersion.slice(0, apiVersion.indexOf('/'))),
  };
}

/** The row of an object's kind; undefined if the kind or its version is not known. */
export function workloadKindOf(object: PlainMap): WorkloadKind | undefined {
  return objectKind(object).row;
}

/** Known kinds with the name of an object's kind: another group or version than that of the object. */
export function kindsOfName({ kind }: PlainMap): readonly WorkloadKind[] {
  return WORKLOADS.filter((row) => row.kind.split('.')[0] === kind);
}

/** Whether a name means the kind of an object: `Kind.group`, or only `Kind` for one of Kubernetes itself. */
export function isKind(object: PlainMap, name: string): boolean {
  const groupKind = groupKindOf(object);
  return name === groupKind || (name === object.kind && BUILT_IN_GROUPS.includes(groupKind.slice(name.length)));
}

/** Refuses what names no kind exactly: a kind without group, unless Kubernetes itself has it, and other notations. */
export function checkKindName(name: string, problems: ProblemList): void {
  // a kind may begin with a small letter: postgresql.acid.zalan.do
  const [, kind, group] = /^([A-Za-z][A-Za-z0-9]*)(\.[a-z0-9][a-z0-9.-]*)?$/.exec(name) ?? [];
  const spelling = KIND_NAMES.find((known) => known !== name && known.toLowerCase() === name.toLowerCase());
  if (kind !== undefined && spelling !== undefined) {
    problems.add('EDGE_VALUE', `${name} is not a kind: the case of letters counts`, `did you mean ${spelling}?`);
  } else if (kind === undefined) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(name)} is not a kind with its API group`,
      "write Kind.group: 'Worker.example.com' for apiVersion: example.com/v1, kind: Worker",
    );
  } else if (group === undefined && !BUILT_IN_GROUPS.some((one) => ROWS.has(`${kind}${one}`))) {
    const [known] = kindsOfName({ kind });
    problems.add(
      'EDGE_VALUE',
      `Kubernetes itself has no workloads of the kind ${kind}, so its API group is needed`,
      known === undefined
        ? `write '${kind}.example.com' for apiVersion: example.com/v1, kind: ${kind}`
        : `write '${known.kind}'; its Pod templates are known, so the entry can be left out`,
    );
  }
}

/** Kinds with workloads that are cluster-scoped. */
const CLUSTER_SCOPED_WORKLOADS = ['ClusterWorkflowTemplate.argoproj.io', 'SidecarSet.apps.kruise.io'];

const NAMESPACED: ReadonlySet<string> = new Set([
  ...WORKLOADS.map(({ kind }) => kind).filter((kind) => !CLUSTER_SCOPED_WORKLOADS.includes(kind)),
  // all others of Kubernetes itself that stand in manifests (`kubectl api-resources --namespaced=true`)
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'PersistentVolumeClaim'],
  ...['LimitRange', 'ResourceQuota', 'Endpoints', 'EndpointSlice.discovery.k8s.io', 'Lease.coordination.k8s.io'],
  ...['Role.rbac.authorization.k8s.io', 'RoleBinding.rbac.authorization.k8s.io'],
  ...['Ingress.networking.k8s.io', 'NetworkPolicy.networking.k8s.io'],
  ...['PodDisruptionBudget.policy', 'HorizontalPodAutoscaler.autoscaling'],
  ...['ResourceClaim.resource.k8s.io', 'ResourceClaimTemplate.resource.k8s.io'],
  // what this library writes or advises besides
  ...['KubeadmConfigTemplate.bootstrap.cluster.x-k8s.io', 'VolumeSnapshot.snapshot.storage.k8s.io'],
  ...['ExternalSecret.external-secrets.io', 'SecretStore.external-secrets.io', 'SealedSecret.bitnami.com'],
  ...['ServiceMonitor.monitoring.coreos.com', 'PodMonitor.monitoring.coreos.com'],
  ...['PrometheusRule.monitoring.coreos.com', 'Certificate.cert-manager.io', 'Issuer.cert-manager.io'],
]);

/** Whether the objects of a kind are surely in a namespace; of many kinds it is not known. */
export function isNamespaced(object: PlainMap): boolean {
  return NAMESPACED.has(groupKindOf(object));
}

/** Common kinds without Pods. */
const WITHOUT_PODS: readonly string[] = [
  'Service',
  'ConfigMap',
  'Secret',
  'Namespace',
  'Node',
  'ServiceAccount',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'Ingress',
  'NetworkPolicy',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'CustomResourceDefinition',
  'NodePool',
];

/** Short names of kubectl (kubectl api-resources). */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cj: 'CronJob',
  cm: 'ConfigMap',
  deploy: 'Deployment',
  ds: 'DaemonSet',
  ing: 'Ingress',
  ns: 'Namespace',
  po: 'Pod',
  pv: 'PersistentVolume',
  pvc: 'PersistentVolumeClaim',
  rc: 'ReplicationController',
  rs: 'ReplicaSet',
  sa: 'ServiceAccount',
  sts: 'StatefulSet',
  svc: 'Service',
};

/** The kind that is meant by its name in other letters, in the plural, or by its short name. */
function spelledKind(kind: string, kinds: readonly string[]): string | undefined {
  const name = (entryOf(SHORT_NAMES, kind.toLowerCase()) ?? kind).toLowerCase();
  const singulars = [name, name.replace(/s$/, ''), name.replace(/es$/, ''), name.replace(/ies$/, 'y')];
  return kinds.includes(kind) ? kind : kinds.find((each) => singulars.includes(each.toLowerCase()));
}

/** The groups of Kubernetes itself with workloads, and a former one. Every other group may have a kind of any name. */
const GROUPS: readonly string[] = ['apps', 'batch', '', 'extensions'];

/**
 * Says what is wrong with an object that is not a known workload: it has no Pods, its kind is misspelled, or its API version.
 *
 * @param known kinds with known Pod templates, as `Kind.group`
 * @param hasPods whether it is a custom resource in which something looks like a Pod spec
 * @returns whether it is one of these
 */
export function explainKind(
  object: PlainMap,
  known: readonly string[],
  hasPods: boolean,
  problems: ProblemList,
): boolean {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return false;
  }
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const spelled = spelledKind(kind, known.filter((name) => groupOf(name) === group).map(kindOf));
  // another group may have a Service with Pods
  const mayHavePods = spelled !== undefined || hasPods;
  const without = mayHavePods ? undefined : spelledKind(kind, WITHOUT_PODS);
  if (without !== undefined) {
    const misspelt = without === kind ? '' : `there is no kind ${kind}, and `;
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `${misspelt}${/^[AEIOU]/.test(without) ? 'an' : 'a'} ${without} has no Pods, so there is nothing to place: ${nameOf(object)}`,
      `declare it as it is${misspelt === '' ? '' : ` (kind: '${without}')`}, beside the workload; give a workload here, for example a Deployment`,
    );
    return true;
  }
  if (spelled !== undefined && spelled !== kind) {
    addSpelling(kind, apiVersion, spelled, problems);
    return true;
  }
  const meant = GROUPS.includes(group) ? group : apiVersion.includes('.') ? undefined : nearest(group, GROUPS);
  const ofKubernetes = known.filter((name) => GROUPS.includes(groupOf(name)));
  const right =
    meant === undefined
      ? undefined
      : (spelledKind(kind, ofKubernetes.map(kindOf)) ?? nearest(kind, ofKubernetes.map(kindOf)));
  if (right === undefined) {
    return false;
  }
  const rightGroup = groupOf(ofKubernetes.find((name) => kindOf(name) === right) as string);
  const rightVersion = rightGroup === '' ? 'v1' : `${rightGroup}/v1`;
  if (right !== kind) {
    addSpelling(kind, apiVersion, right, problems);
  }
  if (rightGroup !== group) {
    problems
      .at('apiVersion')
      .add('EDGE_NO_POD_TEMPLATE', `${apiVersion} has no ${right}`, `write apiVersion: '${rightVersion}'`);
  }
  return right !== kind || rightGroup !== group;
}

function addSpelling(kind: string, apiVersion: string, right: string, problems: ProblemList): void {
  problems
    .at('kind')
    .add('EDGE_NO_POD_TEMPLATE', `there is no kind ${kind} in ${apiVersion}`, `did you mean kind: '${right}'?`);
}

function groupOf(name: string): string {
  return name.slice(kindOf(name).length + 1);
}

function kindOf(name: string): string {
  return name.split('.', 1)[0] ?? '';
}
