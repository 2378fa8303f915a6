import type { ProblemList } from '../errors.js';
import { nameOf } from './object.js';
import type { PlainMap } from '../validation/plain-data.js';
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

/** The groups of Kubernetes itself with workloads, and a former one. Every other group may have a kind of any name. */
const GROUPS: readonly string[] = ['apps', 'batch', '', 'extensions'];

/**
 * Says what is wrong with an object that is no known workload: it has no Pods, its kind is misspelled, or its API version.
 *
 * @param known kinds with known Pod templates, as `Kind.group`
 * @returns whether it is one of these
 */
export function explainKind(object: PlainMap, known: readonly string[], problems: ProblemList): boolean {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return false;
  }
  if (WITHOUT_PODS.includes(kind)) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `a ${kind} has no Pods, so there is nothing to place: ${nameOf(object)}`,
      `declare it as it is, beside the workload; give a workload here, for example a Deployment`,
    );
    return true;
  }
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const meant = GROUPS.includes(group) ? group : apiVersion.includes('.') ? undefined : nearest(group, GROUPS);
  const ofKubernetes = known.filter((name) => GROUPS.includes(groupOf(name)));
  const right = meant === undefined ? undefined : nearest(kind, ofKubernetes.map(kindOf));
  if (right === undefined) {
    return false;
  }
  const rightGroup = groupOf(ofKubernetes.find((name) => kindOf(name) === right) as string);
  const rightVersion = rightGroup === '' ? 'v1' : `${rightGroup}/v1`;
  if (right !== kind) {
    problems
      .at('kind')
      .add('EDGE_NO_POD_TEMPLATE', `there is no kind ${kind} in ${apiVersion}`, `did you mean kind: '${right}'?`);
  }
  if (rightGroup !== group) {
    problems
      .at('apiVersion')
      .add('EDGE_NO_POD_TEMPLATE', `${apiVersion} has no ${right}`, `write apiVersion: '${rightVersion}'`);
  }
  return right !== kind || rightGroup !== group;
}

function groupOf(name: string): string {
  return name.slice(kindOf(name).length + 1);
}

function kindOf(name: string): string {
  return name.split('.', 1)[0] ?? '';
}
