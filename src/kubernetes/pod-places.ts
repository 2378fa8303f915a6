import { ProblemList } from '../errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { holdsUnknown, isUnknown } from '../validation/unknown.js';
import { workloadKindOf } from './group-kind.js';
import { EXCLUDE_ANNOTATION, EXCLUDED_LABEL } from './labels.js';
import { AFFINITIES, POD_FIELDS } from './pod-parts.js';
import { REQUIRED_PATH } from './node-affinity.js';
import type { NodeAffinityPath, WorkloadKind } from './workload-kinds.js';

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
