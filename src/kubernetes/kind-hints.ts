import type { ProblemList } from '../errors.js';
import { nameOf } from './object.js';
import { entryOf, type PlainMap } from '../validation/plain-data.js';
import { nearest } from '../validation/properties.js';

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
