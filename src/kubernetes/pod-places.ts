import { ProblemList, joinPath } from '../base/errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt, same } from '../base/plain-data.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import {
  workloadKindOf,
  explainKind,
  checkKindName,
  isKind,
  kindsOfName,
  objectKind,
  type ObjectKind,
} from './group-kind.js';
import { EXCLUDE_ANNOTATION, EXCLUDED_LABEL, FLUX_APPLY_ANNOTATION } from './labels.js';
import { AFFINITIES, POD_FIELDS, type PodTrace, podTracesIn } from './pod-traces.js';
import { REQUIRED_PATH } from './node-affinity.js';
import { type NodeAffinityPath, type WorkloadKind, WORKLOADS } from './workload-kinds.js';
import { mapWith } from '../base/property-table.js';
import { showValue } from '../base/properties.js';
import { nameOf } from './object.js';

/** A path of a Pod template in objects of a kind, or all of them. */
export type PodTemplatePath = string | readonly string[];

/** Where an object says how Pods are made. */
export interface PodPlace {
  /** Path of a Pod template, the map with metadata and spec; or of a node affinity without a template. */
  readonly path: ObjectPath;
  readonly isTemplate: boolean;
}

/**
 * The places in an object: Pod templates that are there, and node affinities that are there or can be added.
 *
 * @param given path of the Pod template, or of a Pod spec, instead of those that are known for the kind
 * @param row what is known of the kind
 */
export function podPlaces(
  object: PlainMap,
  given?: PodTemplatePath,
  row = workloadKindOf(object),
): readonly PodPlace[] {
  return possiblePlaces(object, given, row).filter(
    ({ path, isTemplate }) => !isTemplate || isMap(valueAt(object, [...path, 'spec'])),
  );
}

/** The same, with Pod templates that are absent, or that begin in an unknown value: the path of one ends there. */
export function possiblePlaces(
  object: PlainMap,
  given?: PodTemplatePath,
  row = workloadKindOf(object),
): readonly PodPlace[] {
  const templates = given === undefined ? Object.keys(row?.templates ?? {}) : [given].flat();
  return [
    ...templates
      .flatMap((path) => expanded(object, stepsOf(path)))
      // what a known kind has in place of its template is a mistake
      .map((path) => (given === undefined ? { path, isTemplate: true } : templateOrSpec(object, path))),
    ...(given !== undefined || row === undefined ? [] : nodeAffinities(object, row)),
  ];
}

/** The place at a path; if that has no template but a Pod spec or some of its fields, the affinity there. */
function templateOrSpec(object: PlainMap, path: ObjectPath): PodPlace {
  const value = valueAt(object, path);
  if (!isMap(value) || value.spec !== undefined || !SPEC_FIELDS.some((field) => value[field] !== undefined)) {
    return { path, isTemplate: true };
  }
  const isAffinity = path.at(-1) === 'affinity' || AFFINITIES.some((field) => value[field] !== undefined);
  return { path: [...path, ...(isAffinity ? [] : ['affinity']), 'nodeAffinity'], isTemplate: false };
}

/** Any of them tells a Pod spec, or an affinity, from a Pod template. */
const SPEC_FIELDS = [
  ...['containers', 'initContainers', 'affinity', ...AFFINITIES],
  ...['tolerations', 'topologySpreadConstraints'],
  ...POD_FIELDS,
];

function nodeAffinities(object: PlainMap, { nodeAffinities = [] }: WorkloadKind): PodPlace[] {
  const isSet = (path: string): boolean => ![undefined, null, false].includes(valueAt(object, stepsOf(path)) as never);
  const found = nodeAffinities
    .map((each): NodeAffinityPath => (typeof each === 'string' ? { path: each } : each))
    .filter(({ when }) => when === undefined || isSet(when))
    .flatMap(({ path, unless }) => {
      const paths = expanded(object, stepsOf(path));
      return unless !== undefined && isSet(unless) ? paths.filter((one) => isThere(object, one.slice(0, -1))) : paths;
    })
    // an object without spec is a part of one
    .filter(([first]) => first !== undefined && isThere(object, [first]));
  return [...new Map(found.map((path) => [path.join('\0'), { path, isTemplate: false }])).values()];
}

function isThere(object: PlainMap, path: ObjectPath): boolean {
  return (valueAt(object, path) ?? undefined) !== undefined;
}

const STEPS = new Map<string, ObjectPath>();

/** `spec.jobs[*].template`, `spec.jobs[0].template`: steps, with `*` for every item or value. */
function stepsOf(path: string): ObjectPath {
  // the same few paths for every object
  const known = STEPS.get(path);
  if (known !== undefined) {
    return known;
  }
  const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  STEPS.set(path, steps);
  return steps;
}

/** All paths of an object that match a path with `*` and `?`. A path ends where a value is unknown. */
function expanded(value: unknown, steps: ObjectPath, done: ObjectPath = []): ObjectPath[] {
  const step = steps[done.length];
  if (step === undefined || isUnknown(value)) {
    return [done];
  }
  if (step === '*') {
    const entries = Array.isArray(value) || isMap(value) ? Object.entries(value) : [];
    return entries.flatMap(([key, item]) => expanded(item, steps, [...done, Array.isArray(value) ? Number(key) : key]));
  }
  const isOptional = typeof step === 'string' && step.endsWith('?');
  const name = isOptional ? step.slice(0, -1) : step;
  const next = valueAt(value, [name]);
  return isOptional && (next ?? undefined) === undefined ? [] : expanded(next, steps, [...done, name]);
}

/** For each Pod template of an object, the paths of the numbers whose product is the number of its Pods. */
export function podCounts(
  object: PlainMap,
  row = workloadKindOf(object),
): readonly (readonly ObjectPath[] | 'every node')[] {
  return Object.entries(row?.templates ?? {}).flatMap(([template, counts]) =>
    expanded(object, stepsOf(template))
      .filter((path) => isMap(valueAt(object, [...path, 'spec'])))
      .map((path) => (counts === 'every node' ? counts : counts.map((count) => besides(stepsOf(count), path)))),
  );
}

/** The path of a number beside a template: in the same items of the same lists. */
function besides(steps: ObjectPath, template: ObjectPath): ObjectPath {
  return steps.map((step, index) => (step === '*' ? (template[index] ?? step) : step));
}

/** Whether it is unknown what an object has at a place. In a known template only the affinity may be unknown. */
export function isPlaceUnknown(object: PlainMap, { path, isTemplate }: PodPlace): boolean {
  const steps = isTemplate ? [...path, 'spec'] : path;
  const isBlocked = steps.some((_, length) => isUnknown(valueAt(object, steps.slice(0, length + 1))));
  return isBlocked || (!isTemplate && holdsUnknown(valueAt(object, path)));
}

/** The part of a Pod spec that a place has: the whole of a template, else what decides on which nodes the Pods run. */
export function podSpecAt(object: PlainMap, { path, isTemplate }: PodPlace): PlainMap {
  if (isTemplate) {
    return mapAt(valueAt(object, path) as PlainMap, 'spec');
  }
  const holder = valueAt(object, path.slice(0, -1));
  const isAffinity = path.at(-2) === 'affinity';
  const around = isAffinity ? valueAt(object, path.slice(0, -2)) : {};
  return {
    ...placingFields(around),
    ...placingFields(holder),
    affinity: isAffinity ? holder : { nodeAffinity: valueAt(object, path) },
  };
}

function placingFields(map: unknown): PlainMap {
  const { nodeSelector, tolerations, nodeName } = isMap(map) ? map : {};
  const fields = { nodeSelector, tolerations, nodeName };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The list of the problems of the Pod spec at a place. */
export function problemsAt(problems: ProblemList, { path, isTemplate }: PodPlace): ProblemList {
  if (isTemplate) {
    return problems.at(...path, 'spec');
  }
  return path.at(-2) === 'affinity'
    ? problems.at(...path.slice(0, -2))
    : new WithoutAffinity(problems.at(...path.slice(0, -1)));
}

/** Problems of a map that has nodeAffinity where a Pod spec has affinity.nodeAffinity. */
class WithoutAffinity extends ProblemList {
  constructor(private readonly holder: ProblemList) {
    super('', holder.problems);
  }

  public override at(...[first, ...rest]: readonly (string | number)[]): ProblemList {
    return first === undefined || first === 'affinity' ? this.holder.at(...rest) : this.holder.at(first, ...rest);
  }

  public override add(...problem: Parameters<ProblemList['add']>): void {
    this.holder.add(...problem);
  }
}

/**
 * Paths of the fields that exclude the Pods of a place.
 *
 * @param labels whether excluded Pods get a label, too
 */
export function exclusionPaths(
  { path, isTemplate }: PodPlace,
  labels: boolean,
): {
  readonly annotation?: ObjectPath;
  readonly label?: ObjectPath;
  readonly terms: ObjectPath;
} {
  return isTemplate
    ? {
        annotation: [...path, 'metadata', 'annotations', EXCLUDE_ANNOTATION],
        ...(labels ? { label: [...path, 'metadata', 'labels', EXCLUDED_LABEL] } : {}),
        terms: [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'],
      }
    : { terms: [...path, ...REQUIRED_PATH.slice(2), 'nodeSelectorTerms'] };
}

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

/** The paths of the Pod templates of a workload. */
export function templatesOf(object: PlainMap): readonly ObjectPath[] {
  return podPlaces(object).flatMap(({ path, isTemplate }) => (isTemplate ? [path] : []));
}

/**
 * Whether an object is only a part of a workload, for server-side apply: fields of placing or of containers, without what
 * the API server requires. A part for Flux, which merges it, has the selector.
 */
export function isPart(object: PlainMap, templates = templatesOf(object)): boolean {
  const hasNoImage = (path: ObjectPath): boolean => {
    const containers = valueAt(object, [...path, 'spec', 'containers']) ?? [];
    return Array.isArray(containers) && containers.every((each) => isMap(each) && !('image' in each));
  };
  const isWithout = (path: ObjectPath): boolean => (valueAt(object, path) ?? undefined) === undefined;
  return (
    object.kind !== 'Pod' &&
    (isWithout(['spec', 'selector']) ||
      valueAt(object, ['metadata', 'annotations', FLUX_APPLY_ANNOTATION]) === 'Merge') &&
    templates.every(hasNoImage)
  );
}
