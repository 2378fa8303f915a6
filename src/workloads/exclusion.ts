import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedWarning } from '../cluster/plan.js';
import { isKind } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  valueAt,
  withChangeAt,
  withField,
} from '../validation/plain-data.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import {
  excludedTerms,
  findContradictions,
  matchesNoNode,
  podSpecExcludes,
  readsOfTerms,
  requiredTerms,
  withRequiredTerms,
} from '../kubernetes/node-affinity.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { checkShapes } from '../kubernetes/pod-spec.js';
import { readTexts } from '../kubernetes/field-values.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import {
  exclusionPaths,
  isPlaceUnknown,
  type PodPlace,
  podSpecAt,
  type PodTemplatePath,
  possiblePlaces,
  problemsAt,
} from '../kubernetes/pod-places.js';
import { requirePodPlaces } from '../kubernetes/pod-template.js';
import { compute, holdsUnknown, isUnknown, Unknown } from '../validation/unknown.js';
import type { ExclusionReport } from './exclusion-report.js';
import { checkYurtApp, findPoolContradictions } from './pool-conflicts.js';
import { explainByFields, shapeWarnings } from './workload-shape.js';
import type { HostNetworkPools } from './yurt-app.js';
import { controllerWarnings } from './controller-warnings.js';

/** How to exclude a workload. */
export interface ExclusionOptions extends HostNetworkPools {
  /** Path of the Pod template, for unknown kinds. */
  readonly podTemplatePath?: PodTemplatePath;
}

/** An excluded workload. */
export interface Exclusion {
  readonly manifest: PlainMap;
  readonly report: ExclusionReport;
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Adds the annotation and the affinity to each Pod template of a workload; everything else is unchanged. Idempotent.
 *
 * @param workload a copy of the given object; it is not modified
 */
export function excludeWorkload(
  cluster: EdgeCluster,
  workload: PlainMap,
  options: ExclusionOptions,
  problems: ProblemList,
): Exclusion | undefined {
  const label = cluster.hostNetworkLabel;
  const blocked = fieldsBeforeUnknownTemplates(workload, options.podTemplatePath, (place) =>
    readsAt(workload, place, label),
  );
  if (blocked.length > 0) {
    return excludedLater(cluster, workload, options, blocked);
  }
  const found = problems.problems.length;
  const places = requirePodPlaces(workload, options.podTemplatePath, problems);
  const warnings: EdgeWarning[] = [];
  const changed: string[] = [];
  let manifest = workload;
  for (const place of places) {
    const podSpec = podSpecAt(workload, place);
    if (place.isTemplate) {
      checkTemplateMetadata(valueAt(workload, place.path) as PlainMap, problems.at(...place.path, 'metadata'));
    }
    checkPodSpec(cluster, podSpec, options.isHostNetworkPool ?? (() => false), problemsAt(problems, place));
    if (problems.problems.length > found) {
      continue;
    }
    manifest = withExclusionAt(manifest, place, podSpec, label);
    changed.push(...changedPaths(workload, place, podSpec, label));
    warnings.push(...emptyTermWarnings(podSpec, exclusionPaths(place).terms));
  }
  if (problems.problems.length === found) {
    checkYurtApp(
      cluster,
      manifest,
      places.map(({ path }) => path),
      options,
      problems,
    );
  }
  const paths = places.filter(({ isTemplate }) => isTemplate).map(({ path }) => path);
  if (problems.problems.length > found) {
    explainByFields(workload, paths, problems);
    return undefined;
  }
  const isChanged = changed.length > 0;
  warnings.push(
    ...shapeWarnings(workload, paths),
    ...controllerWarnings(cluster, workload, places, isChanged),
    ...immutableWarnings(workload, isChanged),
  );
  return {
    manifest,
    report: {
      workload: textOfName(workload),
      changed,
      affinity: true,
      annotationIsRead: cluster.hasPodWebhook() && places.some(({ isTemplate }) => isTemplate),
    },
    warnings,
  };
}

/** The same for a workload that was unknown as a whole, as an object or as text. */
export function excludeKnownWorkload(cluster: EdgeCluster, input: WorkloadInput, options: ExclusionOptions): Exclusion {
  const problems = new ProblemList();
  const workload = readWorkload(input, problems);
  const exclusion = workload === undefined ? undefined : excludeWorkload(cluster, workload, options, problems);
  problems.throwIfAny('the workload');
  return exclusion as Exclusion;
}

/** The same for a workload whose Pod templates are unknown: the top-level fields that contain them are computed later. */
function excludedLater(
  cluster: EdgeCluster,
  workload: PlainMap,
  options: ExclusionOptions,
  fields: readonly string[],
): Exclusion {
  const exclude = (known: PlainMap): Exclusion | undefined =>
    excludeWorkload(cluster, known, options, new ProblemList());
  const changes = fields.map((field): [string, unknown] => [
    field,
    compute(workload, (known) => (exclude(known)?.manifest ?? known)[field]),
  ]);
  return {
    manifest: { ...workload, ...Object.fromEntries(changes) },
    report: {
      workload: textOfName(workload),
      changed: compute(workload, (known) => exclude(known)?.report.changed ?? []),
      affinity: true,
      annotationIsRead: cluster.hasPodWebhook(),
    },
    warnings: [],
  };
}

function checkPodSpec(
  cluster: EdgeCluster,
  podSpec: PlainMap,
  isHostNetworkPool: (poolName: string) => boolean,
  problems: ProblemList,
): void {
  const found = problems.problems.length;
  checkShapes(podSpec, ['nodeSelector'], [], problems);
  checkSchedulingFields(podSpec, problems);
  if (problems.problems.length > found) {
    return;
  }
  findContradictions(podSpec, cluster.hostNetworkLabel, problems);
  findPoolContradictions(cluster.nodePoolLabel, isHostNetworkPool, podSpec, problems);
}

/** Whether the annotation of a template is something else than "true". Empty text, which null is to the API server, is the value of a chart that is not set. */
export function isOptOut(annotation: unknown): boolean {
  return ![undefined, null, '', TRUE].includes(annotation as never);
}

export function checkTemplateMetadata(template: PlainMap, problems: ProblemList): void {
  const { metadata } = template;
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', 'write metadata: { labels: {…} }');
    return;
  }
  const { labels, annotations = {} } = mapAt(template, 'metadata');
  const at = problems.at('annotations');
  checkLabels(readTexts(labels) ?? undefined, problems.at('labels'));
  if (!isMap(annotations ?? {})) {
    at.add('EDGE_TYPE', 'annotations must be a map of text to text', "write { owner: 'team-edge' }");
    return;
  }
  const { [EXCLUDE_ANNOTATION]: value, ...others } = mapAt(mapAt(template, 'metadata'), 'annotations');
  checkAnnotations(readTexts(others), at);
  if (isOptOut(value)) {
    at.at(EXCLUDE_ANNOTATION).add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the annotation is ${JSON.stringify(value)}, and OpenYurt reads only the text "true"`,
      'remove the annotation (it is added here), or do not exclude this workload',
    );
  }
}

function withExclusionAt(manifest: PlainMap, place: PodPlace, podSpec: PlainMap, label: HostNetworkLabel): PlainMap {
  if (place.isTemplate) {
    return withChangeAt(manifest, place.path, (template) => excludedTemplate(template, label));
  }
  const terms = excludedTerms(requiredTerms(podSpec), label);
  return podSpecExcludes(podSpec, label)
    ? manifest
    : withChangeAt(manifest, exclusionPaths(place).terms.slice(0, -1), (required) =>
        withField(required, 'nodeSelectorTerms', terms),
      );
}

/** The template with the annotation and the affinity. */
function excludedTemplate(template: PlainMap, label: HostNetworkLabel): PlainMap {
  const annotated = isAnnotated(template)
    ? template
    : withChangeAt(template, ['metadata', 'annotations'], (own) => withField(own, EXCLUDE_ANNOTATION, TRUE));
  const spec = mapAt(template, 'spec');
  return podSpecExcludes(spec, label) ? annotated : withField(annotated, 'spec', withExclusion(spec, label));
}

function isAnnotated(template: PlainMap): boolean {
  return mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === TRUE;
}

/** What the exclusion reads of a Pod template or of a part of one. */
function readsAt(workload: PlainMap, place: PodPlace, label: HostNetworkLabel): unknown {
  const template = place.isTemplate ? valueAt(workload, place.path) : {};
  if (!isMap(template)) {
    return undefined;
  }
  const { metadata } = template;
  const annotations = isMap(metadata) ? metadata.annotations : metadata;
  return [
    isMap(annotations) ? annotations[EXCLUDE_ANNOTATION] : isUnknown(annotations) && annotations,
    readsOfTerms(podSpecAt(workload, place), label.key),
  ];
}

function withExclusion(podSpec: PlainMap, label: HostNetworkLabel): PlainMap {
  return podSpecExcludes(podSpec, label)
    ? podSpec
    : withRequiredTerms(podSpec, excludedTerms(requiredTerms(podSpec), label));
}

/** The paths that the exclusion adds. */
function changedPaths(workload: PlainMap, place: PodPlace, podSpec: PlainMap, label: HostNetworkLabel): string[] {
  const { annotation, terms } = exclusionPaths(place);
  return [
    ...(annotation === undefined || isAnnotated(valueAt(workload, place.path) as PlainMap) ? [] : [annotation]),
    ...(podSpecExcludes(podSpec, label) ? [] : [terms]),
  ].map((path) => path.reduce<string>(joinPath, ''));
}

/** Name of an object in messages, `Deployment default/web`; parts of it may be unknown. */
export function textOfName({ kind, metadata }: PlainMap): string {
  const named = isMap(metadata) ? { name: metadata.name, namespace: metadata.namespace } : metadata;
  return compute({ kind, metadata: named }, nameOf);
}

/**
 * Top-level fields of a workload in which it is unknown what to do. Each is computed as a whole when it is known, so that no rule has to read it step by
 * step; a preview then shows the field without what is known in it. What a rule passes on only, an image for example, stays as it is.
 *
 * @param readsOf what a rule reads at a place, besides where its Pods are
 */
export function fieldsBeforeUnknownTemplates(
  workload: PlainMap,
  podTemplatePath: PodTemplatePath | undefined,
  readsOf: (place: PodPlace) => unknown = () => undefined,
): string[] {
  if (!Unknown.exists) {
    return [];
  }
  const blocked = possiblePlaces(workload, podTemplatePath).filter(
    (place) => isPlaceUnknown(workload, place) || holdsUnknown(readsOf(place)),
  );
  return [...new Set(blocked.flatMap(({ path }) => (path.length === 0 ? ['metadata', 'spec'] : [String(path[0])])))];
}

/** @param path path of the terms */
export function emptyTermWarnings(podSpec: PlainMap, path: ObjectPath): EdgeWarning[] {
  const terms = requiredTerms(podSpec);
  if (terms === undefined || terms.length === 0 || holdsUnknown(podSpec.affinity) || !terms.every(matchesNoNode)) {
    return [];
  }
  return [
    {
      code: 'EDGE_MATCHES_NOTHING',
      path: path.reduce<string>(joinPath, ''),
      message:
        'every term is empty, or compares (Gt, Lt) with something that is not a number: such a term matches no node, so this workload cannot run anywhere',
      hint: 'remove these terms, or correct their requirements',
    },
  ];
}

/** Warns of kinds with an immutable Pod spec. */
export function immutableWarnings(object: PlainMap, isChanged: boolean): EdgeWarning[] {
  if (!isChanged || !['Job', 'Pod'].some((name) => isKind(object, name))) {
    return [];
  }
  return [
    {
      code: 'EDGE_IMMUTABLE',
      path: object.kind === 'Job' ? 'spec.template' : 'spec',
      message: `the Pod spec of an existing ${String(object.kind)} is immutable, and it is changed here`,
      hint: `if this ${String(object.kind)} is already in the cluster, delete it before you apply`,
    },
  ];
}

/** A warning about a place in a workload, with that place as the property that it depends on. */
export function readsWorkload(warning: EdgeWarning): PlannedWarning {
  return { ...warning, reads: [`workload.${warning.path}`] };
}
