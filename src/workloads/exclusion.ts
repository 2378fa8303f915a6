import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedWarning } from '../cluster/plan.js';
import { hasYurtAppDaemonController } from '../cluster/openyurt-capabilities.js';
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
import { EXCLUDE_ANNOTATION, HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import {
  excludedTerms,
  findContradictions,
  matchesNoNode,
  podSpecExcludes,
  readsOfTerms,
  REQUIRED_PATH,
  requiredTerms,
  withRequiredTerms,
} from '../kubernetes/node-affinity.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { checkShapes } from '../kubernetes/pod-spec.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import { requirePodTemplates, templatePlaces } from '../kubernetes/pod-template.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';
import { checkYurtApp, findPoolContradictions } from './pool-conflicts.js';
import { shapeWarnings } from './workload-shape.js';
import type { HostNetworkPools } from './yurt-app.js';

/** How to exclude a workload. */
export interface ExclusionOptions extends HostNetworkPools {
  /** Path of the Pod template, for unknown kinds. */
  readonly podTemplatePath?: string;
}

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
  /** Whether OpenYurt's Pod webhook reads the annotation too (OpenYurt 1.5+). On 1.4 and without OpenYurt only the affinity has an effect. */
  readonly annotationIsRead: boolean;
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
  const blocked = fieldsBeforeUnknownTemplates(workload, options.podTemplatePath);
  if (blocked.length > 0) {
    return excludedLater(cluster, workload, options, blocked);
  }
  const found = problems.problems.length;
  const paths = requirePodTemplates(workload, options.podTemplatePath, problems);
  const warnings: EdgeWarning[] = [];
  const changed: string[][] = [];
  let manifest = workload;
  for (const path of paths) {
    const template = valueAt(workload, path) as PlainMap;
    checkTemplate(cluster, template, options.isHostNetworkPool ?? (() => false), problems.at(...path));
    if (problems.problems.length > found) {
      continue;
    }
    manifest = withChangeAt(manifest, path, excludedTemplate);
    changed.push(changedPaths(template, path));
    warnings.push(...emptyTermWarnings(template, path));
  }
  if (problems.problems.length === found) {
    checkYurtApp(cluster, manifest, paths, options, problems);
  }
  if (problems.problems.length > found) {
    return undefined;
  }
  const allChanged = compute(changed, (lists) => lists.flat());
  warnings.push(...shapeWarnings(workload, paths), ...droppedAffinityWarnings(cluster, workload));
  warnings.push(...immutableWarnings(workload, !isUnknown(allChanged) && allChanged.length > 0));
  return {
    manifest,
    report: {
      workload: textOfName(workload),
      changed: allChanged,
      affinity: true,
      annotationIsRead: cluster.hasPodWebhook(),
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

function checkTemplate(
  cluster: EdgeCluster,
  template: PlainMap,
  isHostNetworkPool: (poolName: string) => boolean,
  problems: ProblemList,
): void {
  const spec = mapAt(template, 'spec');
  const at = problems.at('spec');
  const found = problems.problems.length;
  checkTemplateMetadata(template, problems.at('metadata'));
  checkShapes(spec, ['nodeSelector'], [], at);
  checkSchedulingFields(spec, at);
  if (problems.problems.length > found) {
    return;
  }
  findContradictions(spec, at);
  findPoolContradictions(cluster.nodePoolLabel, isHostNetworkPool, spec, at);
}

export function checkTemplateMetadata(template: PlainMap, problems: ProblemList): void {
  const { metadata } = template;
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', 'write metadata: { labels: {…} }');
    return;
  }
  const { labels, annotations = {} } = mapAt(template, 'metadata');
  const at = problems.at('annotations');
  checkLabels(labels ?? undefined, problems.at('labels'));
  if (!isMap(annotations ?? {})) {
    at.add('EDGE_TYPE', 'annotations must be a map of text to text', "write { owner: 'team-edge' }");
    return;
  }
  const { [EXCLUDE_ANNOTATION]: value, ...others } = mapAt(mapAt(template, 'metadata'), 'annotations');
  checkAnnotations(others, at);
  if (value !== undefined && value !== TRUE) {
    at.at(EXCLUDE_ANNOTATION).add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the annotation is ${JSON.stringify(value)}, and OpenYurt reads only the text "true"`,
      'remove the annotation (it is added here), or do not exclude this workload',
    );
  }
}

/** The template with the annotation and the affinity. */
function excludedTemplate(template: PlainMap): PlainMap {
  const { metadata } = template;
  const annotations = isMap(metadata) ? metadata.annotations : undefined;
  const annotate = (known: unknown): unknown =>
    withChangeAt({ metadata: known }, ['metadata', 'annotations'], (own) => withField(own, EXCLUDE_ANNOTATION, TRUE))
      .metadata;
  const result =
    isMap(annotations) && annotations[EXCLUDE_ANNOTATION] === TRUE
      ? template
      : withField(template, 'metadata', compute(metadata, annotate, [metadata, annotations].filter(isUnknown)));
  const spec = mapAt(template, 'spec');
  const reads = readsOfTerms(spec, HOST_NETWORK_LABEL);
  if (holdsUnknown(reads)) {
    const affinity = compute({ affinity: spec.affinity }, (known) => withExclusion(known).affinity);
    return withField(result, 'spec', withField(spec, 'affinity', affinity));
  }
  return podSpecExcludes(spec) ? result : withField(result, 'spec', withExclusion(spec));
}

function withExclusion(podSpec: PlainMap): PlainMap {
  return podSpecExcludes(podSpec) ? podSpec : withRequiredTerms(podSpec, excludedTerms(requiredTerms(podSpec)));
}

/** The paths that the exclusion adds. */
function changedPaths(template: PlainMap, path: ObjectPath): string[] {
  const base = path.reduce<string>(joinPath, '');
  const { metadata } = template;
  const annotations = isMap(metadata) ? metadata.annotations : metadata;
  const spec = mapAt(template, 'spec');
  return compute(
    { metadata, affinity: spec.affinity },
    (known) => [
      ...(mapAt(mapAt(known, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === TRUE
        ? []
        : [['metadata', 'annotations', EXCLUDE_ANNOTATION].reduce(joinPath, base)]),
      ...(podSpecExcludes(known) ? [] : [['spec', ...REQUIRED_PATH, 'nodeSelectorTerms'].reduce(joinPath, base)]),
    ],
    [
      isMap(annotations) ? annotations[EXCLUDE_ANNOTATION] : isUnknown(annotations) && annotations,
      readsOfTerms(spec, HOST_NETWORK_LABEL),
    ],
  );
}

/** Name of an object in messages, `Deployment default/web`; parts of it may be unknown. */
export function textOfName({ kind, metadata }: PlainMap): string {
  const named = isMap(metadata) ? { name: metadata.name, namespace: metadata.namespace } : metadata;
  return compute({ kind, metadata: named }, nameOf);
}

/** Top-level fields of a workload in which the path to a Pod template is unknown. */
export function fieldsBeforeUnknownTemplates(workload: PlainMap, podTemplatePath: string | undefined): string[] {
  return [
    ...new Set(
      templatePlaces(workload, podTemplatePath).flatMap((path) => {
        const steps = [...path, 'spec'];
        const isBlocked = steps.some((_, length) => isUnknown(valueAt(workload, steps.slice(0, length + 1))));
        return isBlocked ? (path.length === 0 ? ['metadata', 'spec'] : [String(path[0])]) : [];
      }),
    ),
  ];
}

export function emptyTermWarnings(template: PlainMap, path: ObjectPath): EdgeWarning[] {
  const terms = requiredTerms(mapAt(template, 'spec'));
  if (
    terms === undefined ||
    terms.length === 0 ||
    holdsUnknown(mapAt(template, 'spec').affinity) ||
    !terms.every(matchesNoNode)
  ) {
    return [];
  }
  return [
    {
      code: 'EDGE_MATCHES_NOTHING',
      path: [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'].reduce<string>(joinPath, ''),
      message:
        'every term is empty, or compares (Gt, Lt) with something that is not a number: such a term matches no node, so this workload cannot run anywhere',
      hint: 'remove these terms, or correct their requirements',
    },
  ];
}

/**
 * The controller of YurtAppDaemon sets required node affinity to nil and replaces the nodeSelector (OpenYurt 1.4 to 1.6,
 * yurtappdaemon/workloadcontroller/deployment_controller.go); 1.7 has no controller for the kind at all (#2309).
 */
function droppedAffinityWarnings(cluster: EdgeCluster, workload: PlainMap): EdgeWarning[] {
  if (workload.kind !== 'YurtAppDaemon') {
    return [];
  }
  const consequence = !hasYurtAppDaemonController(cluster)
    ? 'no controller acts on it in this cluster'
    : cluster.hasPodWebhook()
      ? "its controller drops the affinity, so only the annotation and OpenYurt's webhook exclude the Pods, and only while yurt-manager runs"
      : 'its controller drops the affinity and no webhook reads the annotation: the exclusion has no effect on the Pods';
  return [
    {
      code: 'EDGE_AFFINITY_DROPPED',
      path: 'kind',
      message: `a YurtAppDaemon cannot be excluded reliably: ${consequence}`,
      hint: 'use a DaemonSet, or a YurtAppSet that names regular pools',
    },
  ];
}

/** Warns of kinds with an immutable Pod spec. */
export function immutableWarnings(object: PlainMap, isChanged: boolean): EdgeWarning[] {
  if (!isChanged || !['Job', 'Pod'].includes(String(object.kind))) {
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
