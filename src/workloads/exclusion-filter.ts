import { inProgram } from '../validation/program-language.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeError, type EdgeWarning, ProblemList } from '../errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { HostNetworkPools } from '../pools/declared-pools.js';
import { isUnknown } from '../validation/unknown.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { nearMiss, quoted, showValue, whatIs } from '../validation/properties.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { groupKindOf, KIND_NAMES, workloadKindOf } from '../kubernetes/group-kind.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import {
  checkTemplatePaths,
  entryHint,
  givenTemplatePath,
  looksLikeWorkload,
  tracesText,
} from '../kubernetes/pod-template.js';
import { podTracesIn } from '../kubernetes/pod-traces.js';
import {
  defaultTemplateWarnings,
  misplacedWarnings,
  unknownKindWarnings,
  unsettledTraces,
} from './controller-warnings.js';
import { excludeWorkload, type Exclusion, fieldsBeforeUnknownTemplates, isOptOut } from './exclusion.js';
import { checkExcludedYurtApp } from './yurt-app-checks.js';
import { checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app-patches.js';
import { type Check, oneOf, optional, type PropertyTable } from '../validation/property-table.js';

/**
 * Selects the workloads to exclude.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExclusionFilter {
  /** Only objects of these kinds: `Kind` of any API group, or `Kind.group`, for example `['DaemonSet', 'Job.batch.volcano.sh']`.
   * @default - every kind whose Pod template is known */
  readonly kinds?: string[];
  /** Only objects in these namespaces; objects without one are in `default`.
   * @default - every namespace */
  readonly namespaces?: string[];
  /** Only objects of these names.
   * @default - every name */
  readonly names?: string[];
  /** Only objects that have all of these labels.
   * @default - any labels */
  readonly labels?: Record<string, string>;
  /** Only objects for which this function returns true; it gets the object as plain data.
   * @default - every object that the other filters select */
  readonly match?: (object: KubernetesObject) => boolean;
  /** Paths of Pod templates by `Kind.group`, for kinds that this library does not know: `{ 'Worker.example.com': 'spec.template' }`. A path may lead to a Pod
   * spec without a template too; several paths are a list.
   * @default - none */
  readonly podTemplatePaths?: Record<string, string | readonly string[]>;
  /** What to do with a workload that requires host-network nodes: fail, or skip it and report it.
   * @default error */
  readonly onContradiction?: 'error' | 'skip';
}

/** The properties of a filter. */
export const FILTER_PROPERTIES: PropertyTable<ExclusionFilter> = {
  kinds: checkList('kinds'),
  namespaces: checkList('namespaces'),
  names: checkList('names'),
  labels: checkLabels,
  match: optional((match, problems) => {
    if (typeof match !== 'function') {
      problems.add('EDGE_TYPE', 'match must be a function', "write match: (object) => object.metadata?.name !== 'web'");
    }
  }),
  podTemplatePaths: checkTemplatePaths,
  onContradiction: oneOf('error', 'skip'),
};

/** Refuses a misspelt kind: no object has it, so its workloads would be skipped silently. */
export function checkKinds({ kinds, podTemplatePaths }: ExclusionFilter, problems: ProblemList): void {
  const own = Object.keys(isMap(podTemplatePaths) ? podTemplatePaths : {});
  (Array.isArray(kinds) ? kinds : []).forEach((kind: unknown, index) => {
    const names = [...KIND_NAMES, ...own.flatMap((name) => [name, String(name.split('.')[0])])];
    const [, bare] = typeof kind === 'string' ? (/[:/]([A-Z]\w*)$/.exec(kind) ?? []) : [];
    if (bare !== undefined) {
      problems
        .at('kinds', index)
        .add('EDGE_MATCHES_NOTHING', `${String(kind)} is not the name of a kind`, `write ${bare}, or ${bare}.group`);
      return;
    }
    const near = typeof kind !== 'string' || names.includes(kind) ? undefined : nearMiss(kind, names);
    if (near !== undefined) {
      problems
        .at('kinds', index)
        .add(
          'EDGE_MATCHES_NOTHING',
          `${String(kind)} is not a known kind of workload`,
          `did you mean ${near}? A kind of your own also needs its path in podTemplatePaths`,
        );
    }
  });
}

function checkList(field: string): Check {
  return optional((list, problems) => {
    if (!Array.isArray(list)) {
      problems.add('EDGE_TYPE', `${field} must be a list`, `write ${field}: [${quoted(list)}]`);
      return;
    }
    list.forEach((item: unknown, index) => {
      if (typeof item !== 'string') {
        const isPattern = item instanceof RegExp || typeof item === 'function';
        problems
          .at(index)
          .add(
            'EDGE_TYPE',
            `must be text, this is ${isPattern ? whatIs(item) : showValue(item)}`,
            isPattern
              ? inProgram('write match: (workload) => … for other conditions', `write ${field}: ['…']`)
              : `write ${field}: ['…']`,
          );
      }
    });
  });
}

/** Whether an object may be a workload, or patches one: others, such as Secrets, are not read any further. */
export function mayBeWorkload(filter: ExclusionFilter, object: PlainMap): boolean {
  const isGiven = givenTemplatePath(filter.podTemplatePaths, object) !== undefined;
  return looksLikeWorkload(object) || isYurtAppOverrider(object) || isGiven;
}

/** Begins the reason for a workload that the filter does not select. */
export const NOT_SELECTED = 'not selected: ';

/** Reason for an object that needs no change. */
export const ALREADY_EXCLUDED = 'already excluded';

/** What becomes of an object: the excluded workload and its changes, or why it is left as it is. */
export type FilteredExclusion =
  | { readonly excluded: Exclusion; readonly reason?: undefined; readonly warnings: readonly EdgeWarning[] }
  | { readonly excluded?: undefined; readonly reason: string; readonly warnings: readonly EdgeWarning[] };

/** Where an object comes from. */
export interface ExclusionSource {
  /** Reason to skip it, given by its declaration. */
  readonly mark: string | undefined;
  /** What to name in errors. */
  readonly subject: string;
  readonly pools: HostNetworkPools;
  /** Paths of properties whose values are unknown.
   * @default - all are known */
  readonly unknown?: readonly string[];
}

/**
 * Excludes a workload from host-network nodes if the filter selects it.
 *
 * @param object an object that may be a workload
 * @throws {@link EdgeError} with EDGE_CONTRADICTION, EDGE_AFFINITY or another problem of the workload, unless `onContradiction` is `skip`
 */
export function excludeFiltered(
  cluster: EdgeCluster,
  filter: ExclusionFilter,
  object: PlainMap,
  { mark, subject, pools, unknown }: ExclusionSource,
): FilteredExclusion {
  const problems = new ProblemList('', [], unknown);
  if (isYurtAppOverrider(object)) {
    return { reason: reasonToKeep(filter, object, problems, `${subject} (${nameOf(object)})`), warnings: [] };
  }
  const skipped = reasonToSkip(cluster, filter, object, mark);
  if (skipped !== undefined) {
    if (skipped.reason === workloadKindOf(object)?.withoutPods) {
      // a PlatformAdmin has no Pod template, but names pools
      checkExcludedYurtApp(object, cluster.nodePoolLabel, pools, problems);
    }
    return problems.problems.length === 0
      ? { warnings: [], ...skipped }
      : notExcluded(filter, problems, `${subject} (${nameOf(object)})`);
  }
  const options = { podTemplatePath: givenTemplatePath(filter.podTemplatePaths, object), ...pools };
  const excluded = excludeWorkload(cluster, object, options, problems);
  if (excluded === undefined) {
    return notExcluded(filter, problems, `${subject} (${nameOf(object)})`);
  }
  const { warnings, report } = excluded;
  return isUnknown(report.changed) || report.changed.length > 0
    ? { excluded, warnings }
    : { reason: ALREADY_EXCLUDED, warnings: warnings.filter(({ code }) => code === 'EDGE_NOT_EXCLUDED') };
}

function notExcluded(
  { onContradiction }: ExclusionFilter,
  { problems }: ProblemList,
  subject: string,
): FilteredExclusion {
  if (onContradiction !== 'skip') {
    throw new EdgeError(subject, problems);
  }
  return { reason: problems.map(({ message }) => message).join('; '), warnings: [] };
}

/** Why a YurtAppOverrider is left as it is: it may not undo the exclusion of a workload that the filter may select. */
function reasonToKeep(
  { kinds, namespaces, names, onContradiction }: ExclusionFilter,
  object: PlainMap,
  problems: ProblemList,
  subject: string,
): string {
  if (filteredBy({ kinds, namespaces, names }, overriddenBy(object)) !== undefined) {
    return 'patches a workload that is not selected';
  }
  checkYurtAppOverrider(object, problems);
  if (onContradiction !== 'skip') {
    problems.throwIfAny(subject);
  }
  return problems.problems[0]?.message ?? 'its patches keep the exclusion';
}

/** Why a workload is skipped; undefined if it is excluded. */
export function reasonToSkip(
  { hostNetworkLabel }: EdgeCluster,
  props: ExclusionFilter,
  object: PlainMap,
  mark: string | undefined,
): { readonly reason: string; readonly warnings?: readonly EdgeWarning[] } | undefined {
  const templatePath = givenTemplatePath(props.podTemplatePaths, object);
  const filtered = filteredBy(props, object);
  if (filtered !== undefined) {
    return { reason: `${NOT_SELECTED}${filtered}` };
  }
  if (mark !== undefined) {
    return { reason: mark };
  }
  const row = workloadKindOf(object);
  if (row === undefined && templatePath === undefined) {
    if (podTracesIn(object).length === 0) {
      return { reason: 'has no Pod template' };
    }
    const traces = unsettledTraces(object, hostNetworkLabel);
    return {
      reason:
        traces.length === 0
          ? ALREADY_EXCLUDED
          : `unknown kind with ${tracesText(traces)}: ${entryHint(object, traces)}`,
      warnings: unknownKindWarnings(object, hostNetworkLabel),
    };
  }
  const places = podPlaces(object, templatePath);
  if (places.length === 0 && fieldsBeforeUnknownTemplates(object, templatePath).length === 0) {
    const warnings = [...defaultTemplateWarnings(object), ...misplacedWarnings(object, templatePath)];
    return { reason: row?.withoutPods ?? 'has no Pod template', warnings };
  }
  const paths = places.filter(({ isTemplate }) => isTemplate).map(({ path }) => path);
  const annotations = paths.map(
    (path) => mapAt(mapAt(valueAt(object, path) as PlainMap, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION],
  );
  const optOut = annotations.find(isOptOut);
  return optOut === undefined
    ? undefined
    : {
        reason: `opts out: ${EXCLUDE_ANNOTATION} is ${quoted(optOut)}, and only the text "true" (in quotes) requests exclusion`,
      };
}

/** The namespace of an object, as a filter reads it. */
export function namespaceOf(object: PlainMap): string {
  const { namespace } = mapAt(object, 'metadata');
  return typeof namespace === 'string' ? namespace : 'default';
}

/** The criterion by which an object is not selected; undefined if it is selected. */
export function filteredBy(
  { kinds, namespaces, names, labels, match }: ExclusionFilter,
  object: PlainMap,
): string | undefined {
  const metadata = mapAt(object, 'metadata');
  if (kinds !== undefined && !kinds.some((kind) => kind === object.kind || kind === groupKindOf(object))) {
    return 'kind';
  }
  if (namespaces !== undefined && !namespaces.includes(namespaceOf(object))) {
    return 'namespace';
  }
  if (names !== undefined && !names.includes(String(metadata.name))) {
    return 'name';
  }
  const own = mapAt(metadata, 'labels');
  if (!Object.entries(labels ?? {}).every(([key, value]) => Object.hasOwn(own, key) && (own[key] ?? '') === value)) {
    return 'labels';
  }
  const answer: unknown = match === undefined || match(object as KubernetesObject);
  if (typeof answer !== 'boolean') {
    const problems = new ProblemList();
    problems
      .at('match')
      .add('EDGE_TYPE', `match has returned ${whatIs(answer)}`, 'return true or false: === compares, = sets');
    problems.throwIfAny('ExcludedWorkload.mixin');
  }
  return answer === true ? undefined : 'match';
}

/** What other filters are called elsewhere. */
export const FILTER_ADVICE: Readonly<Record<string, string>> = Object.fromEntries(
  ['exclude', 'skip', 'except', 'only', 'include', 'filter', 'where'].map((name) => [
    name,
    'the workloads that are excluded are named by kinds, namespaces, names, labels or match',
  ]),
);
