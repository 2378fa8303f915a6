import { type PrintableReport, printable, textTable } from '../base/table.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { ProblemList, type EdgeWarning, joinPath } from '../base/errors.js';
import { type ObjectPath, type PlainMap, isMap, mapAt, valueAt, withValueAt } from '../base/plain-data.js';
import {
  excludedTerms,
  findContradictions,
  findPoolContradictions,
  otherValueWarnings,
  termsExclude,
} from './exclusion-affinity.js';
import { checkExcludedYurtApp, type HostNetworkPools, checkYurtAppPatches, exclusionGuard } from './yurt-app.js';
import type { PlannedWarning } from '../cluster/plan.js';
import { nameOf } from '../kubernetes/object.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION, EXCLUDED_LABEL, TRUE } from '../kubernetes/labels.js';
import { matchesNoNode, readsOfTerms, requiredTerms } from '../kubernetes/node-affinity.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { checkShapes, readTexts } from '../kubernetes/field-values.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import {
  exclusionPaths,
  isPlaceUnknown,
  type PodPlace,
  podSpecAt,
  type PodTemplatePath,
  possiblePlaces,
  problemsAt,
  requirePodPlaces,
} from '../kubernetes/pod-places.js';
import { compute, holdsUnknown, isUnknown, Unknown } from '../base/unknown.js';
import { addMisspelt, checkShape, type WorkloadShape } from './workload-shape.js';
import { controllerWarnings, immutableWarnings } from './controller-warnings.js';

/**
 * The result of excluding one workload: what was changed, and which mechanisms enforce it.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExclusionReport {
  /** The workload, `Deployment default/web`. */
  readonly workload: string;
  /** Paths that were added or changed; empty if the workload was already excluded. */
  readonly changed: readonly string[];
  /** Always true: the scheduler, the DaemonSet controller and kubelet enforce the node affinity, with or without OpenYurt. */
  readonly affinity: true;
  /** Whether OpenYurt's Pod webhook reads the annotation too (OpenYurt 1.5+). On 1.4 and without OpenYurt only the affinity has an effect, and for kinds
   * without a Pod template, such as Prometheus. */
  readonly annotationIsRead: boolean;
}

/** What was done to the objects of a tree, as in the report of the mixin. */
interface ObjectsReport {
  readonly touched: readonly { readonly workload: string; readonly changed: readonly string[] }[];
  readonly skipped: readonly { readonly workload: string; readonly reason?: string }[];
}

const NO_CHANGE = 'nothing: it was excluded already';

/** The report of one workload, with its table. */
export function printableExclusion(report: ExclusionReport): PrintableReport<ExclusionReport> {
  return printable(report, ({ workload, changed, annotationIsRead }) =>
    [
      textTable(['WORKLOAD', 'CHANGED'], [[workload, changed.join('\n') || NO_CHANGE]]),
      `\nenforced by: the node affinity${annotationIsRead ? ", and OpenYurt's Pod webhook, which reads the annotation" : ''}`,
    ].join('\n'),
  );
}

/** The report of a tree, with its table. */
export function printableObjects<Report extends ObjectsReport>(report: Report): PrintableReport<Report> {
  return printable(report, ({ touched, skipped }) =>
    textTable(
      ['WORKLOAD', 'CHANGED'],
      [
        ...touched.map(({ workload, changed }) => [workload, changed.join('\n') || NO_CHANGE]),
        ...skipped.map(({ workload, reason = 'not a workload' }) => [workload, `skipped: ${reason}`]),
      ],
    ),
  );
}

/** Reports what OpenYurt makes of an excluded YurtAppSet or YurtAppDaemon that is not excluded. */
export function checkYurtApp(
  cluster: EdgeCluster,
  manifest: PlainMap,
  templates: readonly ObjectPath[],
  pools: HostNetworkPools,
  problems: ProblemList,
): void {
  checkExcludedYurtApp(manifest, cluster.nodePoolLabel, pools, problems);
  const find = (podSpec: PlainMap, list: ProblemList): void => {
    findContradictions(podSpec, cluster.hostNetworkLabel, list);
    findPoolContradictions(cluster.nodePoolLabel, pools.isHostNetworkPool ?? (() => false), podSpec, list);
  };
  checkYurtAppPatches(manifest, templates, exclusionGuard(cluster.hostNetworkLabel, find), problems);
}

/** How to exclude a workload. */
export interface ExclusionOptions extends HostNetworkPools {
  /** Path of the Pod template, for unknown kinds. */
  readonly podTemplatePath?: PodTemplatePath;
}

/** A field that the exclusion adds or changes. */
interface AddedField {
  readonly path: ObjectPath;
  readonly value: unknown;
}

/** An excluded workload. */
export interface Exclusion {
  readonly manifest: PlainMap;
  /** The fields that were added; none if they are computed later. */
  readonly added: readonly AddedField[];
  readonly report: ExclusionReport;
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Adds the annotation and the affinity to each Pod template of a workload, and the label if the cluster has it; everything else is unchanged. Idempotent.
 *
 * @param workload a copy of the given object; it is not modified
 * @param given its shape, if what the API server refuses of it is in the problems already; otherwise that is among the warnings
 */
export function excludeWorkload(
  cluster: EdgeCluster,
  workload: PlainMap,
  options: ExclusionOptions,
  problems: ProblemList,
  given?: WorkloadShape,
): Exclusion | undefined {
  const blocked = fieldsBeforeUnknownTemplates(workload, options.podTemplatePath, (place) =>
    readsAt(workload, place, cluster),
  );
  if (blocked.length > 0) {
    return excludedLater(cluster, workload, options, blocked);
  }
  const found = problems.problems.length;
  const kind = objectKind(workload);
  const places = requirePodPlaces(workload, options.podTemplatePath, problems, kind);
  const warnings: EdgeWarning[] = [];
  const added: AddedField[] = [];
  for (const place of places) {
    const podSpec = podSpecAt(workload, place);
    if (place.isTemplate) {
      const template = valueAt(workload, place.path) as PlainMap;
      const metadata = problems.at(...place.path, 'metadata');
      checkTemplateMetadata(template, metadata);
      checkExcludedLabel(cluster, template, metadata);
    }
    checkPodSpec(cluster, podSpec, options.isHostNetworkPool ?? (() => false), problemsAt(problems, place));
    if (problems.problems.length > found) {
      continue;
    }
    added.push(...addedAt(workload, place, requiredTerms(podSpec), cluster));
    const { terms } = exclusionPaths(place, false);
    warnings.push(...emptyTermWarnings(podSpec, terms));
    warnings.push(...otherValueWarnings(podSpec, cluster.hostNetworkLabel, terms));
  }
  const manifest = added.reduce((object, { path, value }) => withValueAt(object, path, value) as PlainMap, workload);
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
  const refused = new ProblemList();
  const shape = given ?? checkShape(workload, paths, refused, false, kind);
  if (problems.problems.length > found) {
    // a misspelt field may be the reason
    addMisspelt(shape.unknown, problems);
    return undefined;
  }
  const isChanged = added.length > 0;
  warnings.push(
    ...refused.problems,
    ...shape.warnings,
    ...controllerWarnings(cluster, workload, places, isChanged, kind),
    ...immutableWarnings(workload, isChanged),
  );
  return {
    manifest,
    added,
    report: {
      workload: textOfName(workload),
      changed: added.map(({ path }) => path.reduce<string>(joinPath, '')),
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
    added: [],
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

/** Refuses another value of the label of excluded Pods: admission would not judge them. */
function checkExcludedLabel(cluster: EdgeCluster, template: PlainMap, metadata: ProblemList): void {
  const { [EXCLUDED_LABEL]: value } = mapAt(mapAt(template, 'metadata'), 'labels');
  if (cluster.labelsExcludedPods && value !== undefined && value !== TRUE) {
    const message = `conflicting settings: the label is ${JSON.stringify(value)}, and excluded Pods have "true"`;
    const hint = 'remove the label (it is added here), or do not exclude this workload';
    metadata.at('labels', EXCLUDED_LABEL).add('EDGE_CONTRADICTION', message, hint);
  }
}

/** The fields that the exclusion adds at a place, as far as they are not there. */
function addedAt(
  workload: PlainMap,
  place: PodPlace,
  terms: readonly PlainMap[] | undefined,
  { hostNetworkLabel, labelsExcludedPods }: EdgeCluster,
): readonly AddedField[] {
  const paths = exclusionPaths(place, labelsExcludedPods);
  const marks = [paths.annotation, paths.label].filter((path) => path !== undefined);
  return [
    ...marks.filter((path) => valueAt(workload, path) !== TRUE).map((path) => ({ path, value: TRUE })),
    ...(termsExclude(terms, hostNetworkLabel)
      ? []
      : [{ path: paths.terms, value: excludedTerms(terms, hostNetworkLabel) }]),
  ];
}

/** What the exclusion reads of a Pod template or of a part of one. */
function readsAt(workload: PlainMap, place: PodPlace, cluster: EdgeCluster): unknown {
  const template = place.isTemplate ? valueAt(workload, place.path) : {};
  if (!isMap(template)) {
    return undefined;
  }
  const { metadata } = template;
  const marks = [
    ['annotations', EXCLUDE_ANNOTATION] as const,
    ...(cluster.labelsExcludedPods ? [['labels', EXCLUDED_LABEL] as const] : []),
  ];
  return [
    ...marks.map(([field, key]) => {
      const map = isMap(metadata) ? metadata[field] : metadata;
      return isMap(map) ? map[key] : isUnknown(map) && map;
    }),
    readsOfTerms(podSpecAt(workload, place), cluster.hostNetworkLabel.key),
  ];
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

/** A warning about a place in a workload, with that place as the property that it depends on. */
export function readsWorkload(warning: EdgeWarning): PlannedWarning {
  return { ...warning, reads: [`workload.${warning.path}`] };
}
