import type { ProblemList } from '../errors.js';
import { isMap, type ObjectPath, type PlainMap } from '../validation/plain-data.js';
import { mapWith } from '../validation/property-table.js';
import { explainKind } from './kind-hints.js';
import { showValue } from '../validation/properties.js';
import { isUnknown } from '../validation/unknown.js';
import { checkKindName, groupKindOf, isKind, kindsOfName, workloadKindOf } from './group-kind.js';
import { nameOf } from './object.js';
import { WORKLOADS } from './workload-kinds.js';
import { podPlaces, type PodPlace, type PodTemplatePath } from './pod-places.js';

/** Paths of Pod templates by `Kind.group`. */
export type PodTemplatePaths = Readonly<Record<string, PodTemplatePath>>;

/** Whether the Pod templates of an object's kind are known. */
export function isKnownWorkload(object: PlainMap): boolean {
  return workloadKindOf(object) !== undefined;
}

/** Whether an object of any kind is likely a workload: its kind is known, or it has a Pod spec at some depth. */
export function looksLikeWorkload(object: PlainMap): boolean {
  return isKnownWorkload(object) || podSpecsIn(object).length > 0;
}

/** Paths of all maps in an object that look like a Pod spec, with a list of containers. */
export function podSpecsIn(object: PlainMap): readonly ObjectPath[] {
  if (object.kind === 'CustomResourceDefinition') {
    return [];
  }
  const found: ObjectPath[] = [];
  for (const field of Object.keys(object)) {
    if (field !== 'metadata' && field !== 'status') {
      findPodSpecs(object[field], [field], found);
    }
  }
  return found;
}

/** @param path of the value; the same list for all values */
function findPodSpecs(value: unknown, path: (string | number)[], found: ObjectPath[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      path.push(index);
      findPodSpecs(item, path, found);
      path.pop();
    });
  } else if (isMap(value) && hasContainers(value)) {
    found.push([...path]);
  } else if (isMap(value)) {
    for (const field of Object.keys(value)) {
      path.push(field);
      findPodSpecs(value[field], path, found);
      path.pop();
    }
  }
}

function hasContainers({ containers }: PlainMap): boolean {
  const isNamed = (value: unknown): boolean => typeof value === 'string' || isUnknown(value);
  return (
    Array.isArray(containers) &&
    containers.some((container: unknown) => isMap(container) && (isNamed(container.name) || isNamed(container.image)))
  );
}

/** The Pod specs of an object that belong to none of the given places. */
export function otherPodSpecs(object: PlainMap, places: readonly PodPlace[]): readonly ObjectPath[] {
  // what surrounds an affinity belongs to its place: the fields of one Pod spec, or everything of which the controller makes Pods with it
  const bases = places.map(({ path, isTemplate }) =>
    isTemplate ? path : path.slice(0, path.at(-2) === 'affinity' ? -2 : -1),
  );
  return podSpecsIn(object).filter((path) => !bases.some((base) => base.every((step, index) => path[index] === step)));
}

/** The paths to write for Pod specs of an unknown kind: `spec.jobs[*].template`. */
export function suggestedPaths(podSpecs: readonly ObjectPath[]): readonly string[] {
  const paths = podSpecs
    .map((path) => (path.at(-1) === 'spec' && path.length > 1 ? path.slice(0, -1) : path))
    .map((path) => path.map((step) => (typeof step === 'number' ? '[*]' : `.${step}`)).join(''));
  return paths.length === 0 ? ['spec.template'] : [...new Set(paths)].map((path) => path.slice(1));
}

function asValue(paths: readonly string[]): string {
  const [first, ...others] = paths.map((path) => `'${path}'`);
  return others.length === 0 ? String(first) : `[${[first, ...others].join(', ')}]`;
}

/** The path of the Pod template that was given for the kind of an object. */
export function givenTemplatePath(paths: PodTemplatePaths | undefined, object: PlainMap): PodTemplatePath | undefined {
  return Object.entries(paths ?? {}).find(([name]) => isKind(object, name))?.[1];
}

/** Validates the path of a Pod template, or a list of such paths. */
export function checkTemplatePath(path: unknown, problems: ProblemList): void {
  if (Array.isArray(path) && path.length > 0) {
    path.forEach((one, index) => checkTemplatePath(one ?? null, problems.at(index)));
    return;
  }
  const isPath =
    path === undefined || (typeof path === 'string' && /^[A-Za-z0-9_$-]+(\.[A-Za-z0-9_$-]+|\[(\d+|\*)\])*$/.test(path));
  if (!isPath) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(path)} is not a path to a Pod template`,
      "write 'spec.template', or 'spec.jobs[*].template' for every item of a list",
    );
  }
}

/** Validates paths of Pod templates by kind. */
export const checkTemplatePaths = mapWith(
  (paths, problems) =>
    Object.entries(paths).forEach(([kind, path]) => {
      checkKindName(kind, problems.at(kind));
      checkTemplatePath(path, problems.at(kind));
    }),
  'podTemplatePaths must be a map',
  "write { 'Worker.example.com': 'spec.template' }",
);

/** Like {@link podPlaces}, but an object without any is a problem. */
export function requirePodPlaces(
  object: PlainMap,
  given: PodTemplatePath | undefined,
  problems: ProblemList,
): readonly PodPlace[] {
  const places = podPlaces(object, given);
  if (places.length === 0 && (given !== undefined || workloadKindOf(object)?.withoutPods === undefined)) {
    addNoTemplate(object, given, problems);
  }
  return places;
}

/** The paths of the Pod templates in an object; none is a problem. */
export function requirePodTemplates(
  object: PlainMap,
  given: PodTemplatePath | undefined,
  problems: ProblemList,
): readonly ObjectPath[] {
  const places = podPlaces(object, given);
  const templates = places.filter(({ isTemplate }) => isTemplate).map(({ path }) => path);
  if (templates.length === 0 && places.length > 0) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `${nameOf(object)} has a node affinity, but no Pod template: its controller makes the Pods`,
      'give a workload with a Pod template, for example a Deployment or a DaemonSet',
    );
  } else if (templates.length === 0) {
    addNoTemplate(object, given, problems);
  }
  return templates;
}

function addNoTemplate(object: PlainMap, given: PodTemplatePath | undefined, problems: ProblemList): void {
  const row = workloadKindOf(object);
  if (given !== undefined) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `${nameOf(object)} has no Pod template at ${[given].flat().join(' or ')}`,
      'write the path of the Pod template, the map whose field spec is the Pod spec, for example spec.template (spec.jobs[*].template for every item of a list)',
    );
  } else if (row !== undefined) {
    const places = Object.keys(row.templates ?? {}).map((path) => (path === '' ? 'spec' : `${path}.spec`));
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      row.withoutPods === undefined
        ? `${nameOf(object)} has no Pod spec`
        : `${nameOf(object)} has no Pod template: ${row.withoutPods}`,
      places.length === 0 ? 'give a workload with a Pod template' : `write it at ${places.join(' or ')}`,
    );
  } else if (object.kind === 'List') {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      'a List contains many objects',
      'give its items one by one; or load the file with Include (cdk8s) or ConfigGroup (Pulumi), and exclude its workloads',
    );
  } else if (
    !explainKind(
      object,
      WORKLOADS.map(({ kind }) => kind),
      problems,
    )
  ) {
    const known = kindsOfName(object).map(({ kind, versions = [] }) => [kind, ...versions].join(' '));
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `the Pod template of the kind ${String(object.apiVersion)} ${String(object.kind)} is not known`,
      `write podTemplatePath: ${asValue(suggestedPaths(podSpecsIn(object)))}${known.length === 0 ? '' : ` (known: ${known.join(', ')})`}`,
    );
  }
}

/** The entry of podTemplatePaths to write for an object of an unknown kind. */
export function suggestedEntry(object: PlainMap, podSpecs: readonly ObjectPath[]): string {
  return `podTemplatePaths: { '${groupKindOf(object)}': ${asValue(suggestedPaths(podSpecs))} }`;
}
