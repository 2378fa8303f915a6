import { joinPath, ProblemList } from '../errors.js';
import { type ObjectPath, type PlainMap, same } from '../validation/plain-data.js';
import { mapWith } from '../validation/property-table.js';
import { explainKind } from './kind-hints.js';
import { showValue } from '../validation/properties.js';
import { checkKindName, isKind, kindsOfName, objectKind, type ObjectKind, workloadKindOf } from './group-kind.js';
import { nameOf } from './object.js';
import { WORKLOADS } from './workload-kinds.js';
import { podPlaces, type PodPlace, type PodTemplatePath } from './pod-places.js';
import { type PodTrace, podTracesIn } from './pod-traces.js';

/** Paths of Pod templates by `Kind.group`. */
export type PodTemplatePaths = Readonly<Record<string, PodTemplatePath>>;

/** Whether the Pod templates of an object's kind are known. */
export function isKnownWorkload(object: PlainMap): boolean {
  return workloadKindOf(object) !== undefined;
}

/** Whether an object of any kind is likely a workload: its kind is known, or it has traces of Pods at some depth. */
export function looksLikeWorkload(object: PlainMap): boolean {
  return isKnownWorkload(object) || podTracesIn(object).length > 0;
}

/** The traces of Pods in an object that belong to none of the given places. */
export function otherPodTraces(object: PlainMap, places: readonly PodPlace[], kind?: ObjectKind): readonly PodTrace[] {
  return podTracesIn(object, kind).filter((trace) => !places.some((place) => isCovered(trace, place)));
}

function isCovered({ path, podSpec, isWhole }: PodTrace, place: PodPlace): boolean {
  const isIn = (base: ObjectPath): boolean => base.every((step, index) => path[index] === step);
  if (place.isTemplate) {
    return isIn(place.path);
  }
  // what surrounds an affinity belongs to its place: the fields of one Pod spec, or everything of which the controller makes Pods with it
  const base = place.path.slice(0, place.path.at(-2) === 'affinity' ? -2 : -1);
  return isWhole ? isIn(base) : podSpec !== undefined && same(podSpec, base);
}

/**
 * What to do with traces of Pods in an object of an unknown kind.
 *
 * @param write how the paths of the Pod templates are given, for example `spec.jobs[*].template`
 */
export function traceHint(traces: readonly PodTrace[], write: (paths: readonly string[]) => string): string {
  const paths = traces
    .flatMap(({ podSpec }) => (podSpec === undefined ? [] : [podSpec]))
    .map((path) => (path.at(-1) === 'spec' && path.length > 1 ? path.slice(0, -1) : path))
    .map((path) =>
      path
        .map((step) => (typeof step === 'number' ? '[*]' : `.${step}`))
        .join('')
        .slice(1),
    );
  if (paths.length === 0 && traces.length > 0) {
    return 'write the node affinity into it; or cover its Pods by PoolAdmission';
  }
  const isSure = traces.every(({ isWhole }) => isWhole);
  const hint = write(paths.length === 0 ? ['spec.template'] : [...new Set(paths)]);
  return isSure ? hint : `${hint}, if the kind has an affinity there; otherwise cover its Pods by PoolAdmission`;
}

/** The entry of podTemplatePaths to write for an object of an unknown kind. */
export function entryHint(object: PlainMap, traces: readonly PodTrace[]): string {
  const { groupKind } = objectKind(object);
  const write = (paths: readonly string[]): string => `write podTemplatePaths: { '${groupKind}': ${asValue(paths)} }`;
  return missingHint(object) ?? spellingHint(object) ?? traceHint(traces, write);
}

/** What to write in an object without apiVersion or kind; undefined if it has both. */
export function missingHint(object: PlainMap): string | undefined {
  const missing = ['apiVersion', 'kind'].filter((field) => (object[field] ?? undefined) === undefined);
  return missing.length === 0 ? undefined : `write ${missing.join(' and ')}: clients refuse an object without`;
}

/** What to write instead of a kind that is misspelt; undefined if it is not. */
export function spellingHint(object: PlainMap): string | undefined {
  const problems = new ProblemList();
  return addMisspeltKind(object, problems) ? problems.problems.map(({ hint }) => hint).join('; ') : undefined;
}

function addMisspeltKind(object: PlainMap, problems: ProblemList, kind = objectKind(object)): boolean {
  const hasPods = podTracesIn(object, kind).some(({ podSpec }) => podSpec === undefined || !kind.isOfKubernetes);
  return explainKind(object, KINDS, hasPods, problems);
}

const KINDS = WORKLOADS.map(({ kind }) => kind);

/** The traces with their places: `a Pod spec at spec.template.spec`. */
export function tracesText(traces: readonly PodTrace[]): string {
  const places = new Map<string, string[]>();
  for (const { what, path } of traces) {
    places.set(what, [...(places.get(what) ?? []), path.reduce<string>(joinPath, '')]);
  }
  return [...places].map(([what, paths]) => `${what} at ${paths.join(', ')}`).join('; ');
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
    path.forEach((one, index) => checkOnePath(one ?? null, problems.at(index)));
    return;
  }
  checkOnePath(path, problems);
}

function checkOnePath(path: unknown, problems: ProblemList): void {
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
  kind = objectKind(object),
): readonly PodPlace[] {
  const places = podPlaces(object, given, kind.row);
  if (places.length === 0 && (given !== undefined || kind.row?.withoutPods === undefined)) {
    addNoTemplate(object, kind, given, problems);
  }
  return places;
}

/** The paths of the Pod templates in an object; none is a problem. */
export function requirePodTemplates(
  object: PlainMap,
  given: PodTemplatePath | undefined,
  problems: ProblemList,
): readonly ObjectPath[] {
  const kind = objectKind(object);
  const places = podPlaces(object, given, kind.row);
  const templates = places.filter(({ isTemplate }) => isTemplate).map(({ path }) => path);
  if (templates.length === 0 && places.length > 0) {
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `${nameOf(object)} has a node affinity, but no Pod template: its controller makes the Pods`,
      'give a workload with a Pod template, for example a Deployment or a DaemonSet',
    );
  } else if (templates.length === 0) {
    addNoTemplate(object, kind, given, problems);
  }
  return templates;
}

function addNoTemplate(
  object: PlainMap,
  kind: ObjectKind,
  given: PodTemplatePath | undefined,
  problems: ProblemList,
): void {
  const { row } = kind;
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
  } else if (!addMisspeltKind(object, problems, kind)) {
    const known = kindsOfName(object).map(({ kind: name, versions = [] }) => [name, ...versions].join(' '));
    problems.add(
      'EDGE_NO_POD_TEMPLATE',
      `the Pod template of the kind ${String(object.apiVersion)} ${String(object.kind)} is not known`,
      traceHint(
        podTracesIn(object, kind),
        (paths) =>
          `write podTemplatePath: ${asValue(paths)}${known.length === 0 ? '' : ` (known: ${known.join(', ')})`}`,
      ),
    );
  }
}
