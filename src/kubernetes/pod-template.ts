import type { ProblemList } from '../errors.js';
import { explainKind } from './kind-hints.js';
import { nameOf } from './object.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';

/** `group/Kind`, the key in the table of templates. */
export function groupKind(object: PlainMap): string {
  const apiVersion = typeof object.apiVersion === 'string' ? object.apiVersion : '';
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${String(object.kind)}`;
}

const SPEC_TEMPLATE = ['spec', 'template'];

// an object has exactly one of these (openyurt pkg/apis/apps/v1alpha1 and v1beta1, yurtappset_types.go, yurtappdaemon_types.go).
const YURT_APP = [
  ['spec', 'workloadTemplate', 'deploymentTemplate', 'spec', 'template'],
  ['spec', 'workloadTemplate', 'statefulSetTemplate', 'spec', 'template'],
  ['spec', 'workload', 'workloadTemplate', 'deploymentTemplate', 'spec', 'template'],
  ['spec', 'workload', 'workloadTemplate', 'statefulSetTemplate', 'spec', 'template'],
];

/** Paths of the Pod template, by kind. A Pod is its own template. */
const TEMPLATE_PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '/Pod': [[]],
  '/PodTemplate': [['template']],
  '/ReplicationController': [SPEC_TEMPLATE],
  'apps/Deployment': [SPEC_TEMPLATE],
  'apps/DaemonSet': [SPEC_TEMPLATE],
  'apps/StatefulSet': [SPEC_TEMPLATE],
  'apps/ReplicaSet': [SPEC_TEMPLATE],
  'batch/Job': [SPEC_TEMPLATE],
  'batch/CronJob': [['spec', 'jobTemplate', 'spec', 'template']],
  'apps.openyurt.io/YurtAppSet': YURT_APP,
  'apps.openyurt.io/YurtAppDaemon': YURT_APP,
  'apps.openyurt.io/YurtStaticSet': [SPEC_TEMPLATE],
};

/** Kinds with a known Pod template. */
export const WORKLOAD_KINDS: readonly string[] = Object.keys(TEMPLATE_PATHS).map((name) =>
  name.slice(name.indexOf('/') + 1),
);

/** Whether the Pod template of an object's kind is known. */
export function isKnownWorkload(object: PlainMap): boolean {
  return TEMPLATE_PATHS[groupKind(object)] !== undefined;
}

/** Whether an object of any kind is likely a workload: it contains a Pod spec at some depth. */
export function looksLikeWorkload(object: PlainMap): boolean {
  return isKnownWorkload(object) || holdsPodSpec(object.spec, 8);
}

function holdsPodSpec(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    return false;
  }
  const isPodSpec = isMap(value) && isMap(value.spec) && Array.isArray(value.spec.containers);
  return isPodSpec || Object.values(value).some((inner) => holdsPodSpec(inner, depth - 1));
}

/** `spec.jobs[*].template`, `spec.jobs[0].template`: steps, with `*` for every item of a list. */
function toSteps(path: string): (string | number)[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** All paths of an object that match a path with `*`. */
function expanded(object: unknown, steps: ObjectPath): ObjectPath[] {
  const star = steps.indexOf('*');
  if (star < 0) {
    return [steps];
  }
  const list = valueAt(object, steps.slice(0, star));
  return (Array.isArray(list) ? list : []).flatMap((_, index) =>
    expanded(object, [...steps.slice(0, star), index, ...steps.slice(star + 1)]),
  );
}

/**
 * The paths of all Pod templates in an object.
 *
 * @param templatePath path of the Pod template for an unknown kind, for example `spec.template` or `spec.jobs[*].template`
 */
export function podTemplatePaths(object: PlainMap, templatePath?: string): readonly ObjectPath[] {
  return templatePlaces(object, templatePath).filter((path) => isMap(valueAt(object, [...path, 'spec'])));
}

/** The paths at which an object may have Pod templates. */
export function templatePlaces(object: PlainMap, templatePath?: string): readonly ObjectPath[] {
  return templatePath === undefined
    ? (TEMPLATE_PATHS[groupKind(object)] ?? [])
    : expanded(object, toSteps(templatePath));
}

/** Validates the path of a Pod template. */
export function checkTemplatePath(path: unknown, problems: ProblemList): boolean {
  const isPath =
    path === undefined || (typeof path === 'string' && /^[A-Za-z0-9_$-]+(\.[A-Za-z0-9_$-]+|\[(\d+|\*)\])*$/.test(path));
  if (!isPath) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(path)} is not a path to a Pod template`,
      "write 'spec.template', or 'spec.jobs[*].template' for every item of a list",
    );
  }
  return isPath;
}

/** Like {@link podTemplatePaths}, but an object without a Pod template is a problem. */
export function requirePodTemplates(
  object: PlainMap,
  templatePath: string | undefined,
  problems: ProblemList,
): readonly ObjectPath[] {
  const found = podTemplatePaths(object, templatePath);
  if (found.length > 0) {
    return found;
  }
  if (templatePath !== undefined) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `${nameOf(object)} has no Pod template at ${templatePath}`,
      'write the path of the Pod template, the map whose field spec is the Pod spec, for example spec.template (spec.jobs[*].template for every item of a list)',
    );
  } else if (isKnownWorkload(object)) {
    const places = (TEMPLATE_PATHS[groupKind(object)] ?? []).map((path) => [...path, 'spec'].join('.')).join(' or ');
    problems.add('EDGE_NO_POD_TEMPLATE', `${nameOf(object)} has no Pod spec`, `write it at ${places}`);
  } else if (object.kind === 'List') {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      'a List contains many objects',
      'give its items one by one; or load the file with Include (cdk8s) or ConfigGroup (Pulumi), and exclude its workloads',
    );
  } else if (!explainKind(object, Object.keys(TEMPLATE_PATHS), problems)) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `the Pod template of the kind ${String(object.apiVersion)} ${String(object.kind)} is not known`,
      `write podTemplatePath: 'spec.template' (known kinds: ${WORKLOAD_KINDS.join(', ')})`,
    );
  }
  return [];
}
