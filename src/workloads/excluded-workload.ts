import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { podPlaces, podSpecAt, problemsAt, checkTemplatePath } from '../kubernetes/pod-places.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, same, valueAt, withoutValueAt } from '../base/plain-data.js';
import { type Check, checkedElsewhere, checkProperties, plain, type PropertyTable } from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import { checkDeclaredWorkload, checkShape, type WorkloadShape } from './workload-shape.js';
import {
  type Exclusion,
  type ExclusionOptions,
  excludeKnownWorkload,
  excludeWorkload,
  readsWorkload,
  type ExclusionReport,
  checkYurtApp,
} from './exclusion.js';
import { findPoolContradictions } from './exclusion-affinity.js';

/**
 * Properties of an {@link ExcludedWorkload}.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExcludedWorkloadProps {
  /** The cluster in which the workload runs. */
  readonly cluster: EdgeCluster;
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadInput;
  /** Path of the Pod template, or paths, for kinds that this library does not know, for example `spec.template`.
   * @default - known for the kinds of Kubernetes and OpenYurt, and for those of well-known operators (docs/workload-kinds.md) */
  readonly podTemplatePath?: string | readonly string[];
}

/** Attributes of an excluded workload. */
export interface ExcludedWorkloadAttributes {
  readonly manifest: KubernetesObject;
  readonly report: ExclusionReport;
}

const PROPERTIES: PropertyTable<ExcludedWorkloadProps> = {
  cluster: plain(checkCluster),
  workload: checkedElsewhere,
  podTemplatePath: plain(checkTemplatePath),
};

const NO_POOL =
  'an excluded workload runs on no host-network pool: write cluster; to run it on the pool use HostNetworkWorkload';
const IN_METADATA = 'write it in metadata of the workload';
const ADVICE: Readonly<Record<string, string>> = {
  pool: NO_POOL,
  name: IN_METADATA,
  namespace: IN_METADATA,
  pools: NO_POOL,
  ...Object.fromEntries(
    ['apiVersion', 'kind', 'metadata', 'spec'].map((field) => [
      field,
      'write the object as workload: { cluster, workload }',
    ]),
  ),
};

/**
 * Plans a workload that is excluded from host-network nodes.
 *
 * @param own checks of properties that only the component has
 * @throws {@link EdgeError} with all problems at once
 */
export function planExcludedWorkload(
  props: ExcludedWorkloadProps,
  scope: Scope,
  own: Readonly<Record<string, Check>> = {},
): Plan<ExcludedWorkloadAttributes> {
  const problems = problemsOf(scope);
  const given = props ?? {};
  checkProperties(given, { ...PROPERTIES, ...own }, problems, ADVICE);
  const { cluster, podTemplatePath } = given;
  const isUsable = problems.problems.length === 0;
  const options = {
    podTemplatePath,
    ...(isUsable ? declaredHostNetworkPools(scope, cluster) : {}),
  };
  const at = problems.at('workload');
  const workload = isUnknown(given.workload) ? given.workload : readWorkload(given.workload, at);
  let shape: WorkloadShape | undefined;
  if (workload !== undefined && !isUnknown(workload)) {
    if (isUsable) {
      checkDeclaredWorkload(cluster, workload, at);
    }
    const templates = podPlaces(workload, isUsable ? podTemplatePath : undefined);
    shape = checkShape(
      workload,
      templates.flatMap(({ path, isTemplate }) => (isTemplate ? [path] : [])),
      at,
    );
  }
  let exclusion: Exclusion | undefined;
  if (isUsable && workload !== undefined) {
    exclusion = isUnknown(workload)
      ? {
          manifest: compute(
            workload as unknown as WorkloadInput,
            (known) => excludeKnownWorkload(cluster, known, options).manifest,
          ),
          report: compute(
            workload as unknown as WorkloadInput,
            (known) => excludeKnownWorkload(cluster, known, options).report,
          ),
          added: [],
          warnings: [],
        }
      : excludeWorkload(cluster, workload, options, at, shape);
  }
  const subject = `ExcludedWorkload ${scope.path}`;
  problems.throwIfAny(subject);
  const { manifest, report, warnings } = exclusion as Exclusion;
  const object = manifest as KubernetesObject;
  return {
    subject,
    objects: [
      {
        object,
        apply: 'create',
        check: (written, list) =>
          checkStillExcluded(
            cluster,
            written,
            warnings,
            list.at('workload'),
            options,
            isUnknown(object) ? undefined : object,
          ),
      },
    ],
    cluster,
    attributes: { manifest: object, report },
    warnings: warnings.map(readsWorkload),
    artifacts: [],
    atEnd: (list) => {
      checkPoolsDeclaredLater(manifest, given, scope, list);
      return [];
    },
  };
}

/** Reports conflicts with pools that were declared after the workload. */
function checkPoolsDeclaredLater(
  manifest: PlainMap,
  { cluster, podTemplatePath }: ExcludedWorkloadProps,
  scope: Scope,
  problems: ProblemList,
): void {
  if (isUnknown(manifest)) {
    return;
  }
  const at = problems.at('workload');
  const pools = declaredHostNetworkPools(scope, cluster);
  const places = podPlaces(manifest, podTemplatePath);
  for (const place of places) {
    const podSpec = podSpecAt(manifest, place);
    findPoolContradictions(cluster.nodePoolLabel, pools.isHostNetworkPool, podSpec, problemsAt(at, place));
  }
  checkYurtApp(
    cluster,
    manifest,
    places.map(({ path }) => path),
    pools,
    at,
  );
}

/**
 * Reports what frees a workload that was excluded, or leaves it no node: a requirement or the annotation that is gone, or something that bypasses the
 * exclusion.
 *
 * @param accepted warnings of the declaration
 * @param declared the workload of the declaration, of which the annotation can be removed by itself: the requirement excludes also without it
 */
export function checkStillExcluded(
  cluster: EdgeCluster,
  written: PlainMap,
  accepted: readonly EdgeWarning[],
  problems: ProblemList,
  options: ExclusionOptions = {},
  declared?: PlainMap,
): void {
  const { report, warnings = [] } = excludeWorkload(cluster, written, options, problems) ?? {};
  const emptied = warnings.filter(
    ({ code, path }) => code === 'EDGE_MATCHES_NOTHING' && !accepted.some((warning) => warning.path === path),
  );
  const isMark = (path: string): boolean => path.endsWith(`[${JSON.stringify(EXCLUDE_ANNOTATION)}]`);
  const isUnmarked = declared !== undefined && removesOnlyAnnotation(declared, written);
  const removed = (report?.changed ?? []).filter((path) => !(isUnmarked && isMark(path)));
  for (const path of [...removed, ...emptied.map((warning) => warning.path)]) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: a later change (a JSON patch) removes the exclusion at ${path}`,
      "make the change in the given workload; or patch other fields: JsonPatch.add('…/matchExpressions/-', …), JsonPatch.add('…/annotations/owner', …)",
    );
  }
}

/** Whether all other annotations of the Pod templates are those of the declaration: somebody has removed this one, and has not replaced them. */
function removesOnlyAnnotation(declared: PlainMap, written: PlainMap): boolean {
  const annotationsIn = (object: PlainMap, path: ObjectPath): PlainMap => {
    const template = valueAt(object, path);
    return mapAt(mapAt(isMap(template) ? template : {}, 'metadata'), 'annotations');
  };
  return podPlaces(declared)
    .filter(({ isTemplate }) => isTemplate)
    .every(({ path }) => {
      const others = withoutValueAt(annotationsIn(declared, path), [EXCLUDE_ANNOTATION]);
      return same(annotationsIn(written, path), others);
    });
}
