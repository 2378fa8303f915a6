import { itemsOf } from '../kubernetes/field-values.js';
import { inProgram } from '../base/program-language.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeError, type EdgeWarning, ProblemList, joinPath } from '../base/errors.js';
import { type KubernetesObject, nameOf, identityOf } from '../kubernetes/object.js';
import { type HostNetworkPools, declaredHostNetworkPools } from '../pools/declared-pools.js';
import { isUnknown } from '../base/unknown.js';
import { isMap, mapAt, type PlainMap, valueAt, copyOf, same } from '../base/plain-data.js';
import { nearMiss, quoted, showValue, whatIs, nearest } from '../base/properties.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { groupKindOf, KIND_NAMES, workloadKindOf } from '../kubernetes/group-kind.js';
import {
  podPlaces,
  checkTemplatePaths,
  entryHint,
  givenTemplatePath,
  looksLikeWorkload,
  tracesText,
} from '../kubernetes/pod-places.js';
import { podTracesIn } from '../kubernetes/pod-traces.js';
import {
  defaultTemplateWarnings,
  misplacedWarnings,
  unknownKindWarnings,
  unsettledTraces,
} from './controller-warnings.js';
import { excludeWorkload, type Exclusion, fieldsBeforeUnknownTemplates, isOptOut } from './exclusion.js';
import { checkExcludedYurtApp, checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app.js';
import { type Check, oneOf, optional, type PropertyTable } from '../base/property-table.js';
import type { Scope } from '../cluster/scope.js';

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
  itemsOf(kinds).forEach((kind: unknown, index) => {
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
      const hint = `did you mean ${near}? A kind of your own also needs its path in podTemplatePaths`;
      problems.at('kinds', index).add('EDGE_MATCHES_NOTHING', `${String(kind)} is not a known kind of workload`, hint);
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
const NOT_SELECTED = 'not selected: ';

/** Reason for an object that needs no change. */
const ALREADY_EXCLUDED = 'already excluded';

/** What becomes of an object: the excluded workload and its changes, or why it is left as it is. */
export type FilteredExclusion =
  | { readonly excluded: Exclusion; readonly reason?: undefined; readonly warnings: readonly EdgeWarning[] }
  | { readonly excluded?: undefined; readonly reason: string; readonly warnings: readonly EdgeWarning[] };

/** Where an object comes from. */
interface ExclusionSource {
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
function reasonToSkip(
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
function namespaceOf(object: PlainMap): string {
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

/** What a filter reads of a workload, and whether it has selected it. */
interface FilteredWorkload {
  readonly kind: string;
  /** `Kind.group` */
  readonly groupKind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: PlainMap;
  readonly isSelected: boolean;
}

/** What a filter has read of a workload. */
function filteredWorkload(object: PlainMap, isSelected: boolean): FilteredWorkload {
  const { name, labels } = mapAt(object, 'metadata') as { readonly name?: unknown; readonly labels?: PlainMap };
  return {
    kind: String(object.kind),
    groupKind: groupKindOf(object),
    namespace: namespaceOf(object),
    name: String(name),
    labels: labels ?? {},
    isSelected,
  };
}

/** Warns of the parts of a filter that match no workload of a program: they are probably misspelt. */
function unmatchedWarnings(filter: ExclusionFilter, workloads: readonly FilteredWorkload[]): EdgeWarning[] {
  if (workloads.length === 0) {
    return [
      warning(
        '',
        'there is no workload to exclude',
        'apply the mixin to a construct that contains workloads, or remove it',
      ),
    ];
  }
  const lists: ['kinds' | 'namespaces' | 'names', 'kind' | 'namespace' | 'name'][] = [
    ['kinds', 'kind'],
    ['namespaces', 'namespace'],
    ['names', 'name'],
  ];
  const parts = [
    ...lists.flatMap(([field, what]) => {
      const existing = new Set(workloads.map((workload) => workload[what]));
      return (filter[field] ?? []).flatMap((item, index) =>
        existing.has(item) || (field === 'kinds' && workloads.some(({ groupKind }) => groupKind === item))
          ? []
          : [
              warning(
                joinPath(field, index),
                `no workload has the ${what} ${item}`,
                didYouMean(item, [...existing]) ?? `the workloads have: ${shown(existing)}`,
              ),
            ],
      );
    }),
    ...Object.entries(filter.labels ?? {}).flatMap(([key, value]) => unmatchedLabel(key, value, workloads)),
  ];
  return parts.length > 0 || workloads.some(({ isSelected }) => isSelected)
    ? parts
    : [
        warning(
          filter.match === undefined ? '' : 'match',
          `the filter selects none of the ${workloads.length} workloads`,
          `widen it; the report lists for each workload why it was skipped`,
        ),
      ];
}

function unmatchedLabel(key: string, value: string, workloads: readonly FilteredWorkload[]): EdgeWarning[] {
  const values = new Set(
    workloads.flatMap(({ labels }) =>
      Object.hasOwn(labels, key) ? [String((labels[key] as string | null) ?? '')] : [],
    ),
  );
  if (values.has(value)) {
    return [];
  }
  const keys = [...new Set(workloads.flatMap(({ labels }) => Object.keys(labels)))];
  const hint =
    values.size > 0
      ? (didYouMean(value, [...values]) ?? `its values are: ${shown(values)}`)
      : (didYouMean(key, keys) ?? `the workloads have: ${shown(new Set(keys))}`);
  return [warning(joinPath('labels', key), `no workload has the label ${key}=${value}`, hint)];
}

function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** The first few of a set, in order. */
function shown(words: ReadonlySet<string>): string {
  const sorted = [...words].sort();
  const more = sorted.length > 10 ? ` and ${sorted.length - 10} more` : '';
  return sorted.length === 0 ? 'none' : sorted.slice(0, 10).join(', ') + more;
}

function warning(path: string, message: string, hint: string): EdgeWarning {
  return { code: 'EDGE_MATCHES_NOTHING', path, message, hint };
}

/** A workload that a filter has seen, and what became of it when it was rendered last. */
interface Seen {
  /** Name of its declaration. */
  readonly path: string;
  readonly outcome: FilteredExclusion;
  readonly workload: FilteredWorkload;
  /** Group, kind, namespace and name; undefined if one of them is not known. */
  readonly identity: string | undefined;
  /** The object, `DaemonSet monitoring/node-exporter`. */
  readonly name: string;
  /** Whether an earlier rendering of it was excluded. */
  readonly wasExcluded: boolean;
  /** What was rendered, and by which answers: while both are the same, so is the outcome. */
  readonly given: PlainMap;
  readonly mark: string | undefined;
  readonly pools: AskedPools;
}

/** The pools of a program, and what was asked of them. */
class AskedPools implements HostNetworkPools {
  private readonly asked: (() => boolean)[] = [];

  constructor(private readonly pools: HostNetworkPools) {}

  public readonly isHostNetworkPool = (poolName: string): boolean =>
    this.answered(() => this.pools.isHostNetworkPool(poolName));

  public readonly selectedBy = (selector: unknown): readonly string[] =>
    this.answered(() => this.pools.selectedBy(selector));

  /** Whether every answer is still the same: pools may be declared in between. */
  public get isSame(): boolean {
    return this.asked.every((isSame) => isSame());
  }

  private answered<T>(question: () => T): T {
    const answer = question();
    this.asked.push(() => same(question(), answer));
    return answer;
  }
}

/** Where an object is declared. */
interface ObjectSource {
  /** Name of the declaration in reports. */
  readonly path: string;
  readonly scope: Scope;
  /** Reason to skip it, given by its declaration. */
  readonly mark: string | undefined;
  /** What to name in errors. */
  readonly subject: string;
}

/** One object that a filter has processed. */
interface ProcessedObject {
  readonly construct: string;
  readonly workload: string;
  readonly changed: readonly string[];
  readonly reason?: string;
}

/**
 * The objects that a filter selects from a program, and what became of each. An object may be rendered any number of times, and change in between: once it
 * was excluded it stays excluded, even if the filter would no longer select it.
 */
export class FilteredObjects {
  private readonly seen = new Map<object, ReadonlyMap<string, Seen>>();

  constructor(
    private readonly cluster: EdgeCluster,
    private readonly filter: ExclusionFilter,
  ) {}

  /** Objects that were excluded. */
  public get touched(): ProcessedObject[] {
    return this.all().flatMap(({ path, name, outcome }) =>
      outcome.excluded === undefined
        ? []
        : [{ construct: path, workload: name, changed: outcome.excluded.report.changed }],
    );
  }

  /** Workloads that were skipped. */
  public get skipped(): ProcessedObject[] {
    return this.all().flatMap(({ path, name, outcome: { reason } }) =>
      reason === undefined ? [] : [{ construct: path, workload: name, changed: [], reason }],
    );
  }

  /** Warnings about excluded objects, about those that are no longer excluded, and about a filter that selects nothing. */
  public get warnings(): EdgeWarning[] {
    const all = this.all();
    const found: EdgeWarning[] = [];
    for (const { path: construct, name, outcome, wasExcluded } of all) {
      const { reason, warnings } = outcome;
      warnings.forEach((warning) => found.push({ ...warning, construct }));
      if (wasExcluded && reason !== undefined && reason !== ALREADY_EXCLUDED) {
        found.push(noLongerExcluded(construct, name, reason));
      }
    }
    found.push(...duplicates(all));
    return [...found, ...this.unmatched()];
  }

  /**
   * The object with the exclusion, for a List in its items; the same object if there is nothing to do.
   *
   * @param owner identity of the declaration
   * @throws {@link EdgeError} if a workload cannot be excluded, or no longer
   */
  public excluded(owner: object, object: PlainMap, source: ObjectSource): PlainMap {
    const items = new Map<string, Seen>();
    const result = this.rendered(object, '', source, this.seen.get(owner), items);
    if (items.size > 0 || this.seen.has(owner)) {
      this.seen.set(owner, items);
    }
    return result;
  }

  /** The declarations about which there are warnings: a change after they were rendered last may have settled them. */
  public get warned(): object[] {
    const isUnmatched = this.unmatched().length > 0;
    const isWarned = ({ outcome: { reason, warnings } }: Seen): boolean =>
      warnings.length > 0 || (isUnmatched && reason?.startsWith(NOT_SELECTED) === true);
    return [...this.seen].flatMap(([owner, items]) => ([...items.values()].some(isWarned) ? [owner] : []));
  }

  /** Whether a declaration has a workload. */
  public holds(owner: object): boolean {
    return (this.seen.get(owner)?.size ?? 0) > 0;
  }

  private rendered(
    object: PlainMap,
    place: string,
    source: ObjectSource,
    before: ReadonlyMap<string, Seen> | undefined,
    items: Map<string, Seen>,
  ): PlainMap {
    if (String(object.kind).endsWith('List') && Array.isArray(object.items)) {
      const given = object.items as unknown[];
      const changed = given.map((item) =>
        // items are told apart by their names, because others may be added before them
        isMap(item) ? this.rendered(item, `${place}/${nameOf(item)}`, source, before, items) : item,
      );
      return changed.some((item, index) => item !== given[index]) ? { ...object, items: changed } : object;
    }
    const earlier = before?.get(place);
    // at a synth an object is rendered when it is validated and when it is written
    if (earlier?.outcome.excluded !== undefined && isUnchanged(earlier, object, source)) {
      items.set(items.has(place) ? `${place}#${items.size}` : place, { ...earlier, wasExcluded: true });
      return copyOf(earlier.outcome.excluded.manifest);
    }
    const wasExcluded = earlier?.outcome.excluded !== undefined || earlier?.wasExcluded === true;
    if (!wasExcluded && !mayBeWorkload(this.filter, object)) {
      return object;
    }
    const pools = new AskedPools(declaredHostNetworkPools(source.scope, this.cluster));
    const outcome = wasExcluded ? this.again(object, source, pools) : this.outcome(this.filter, object, source, pools);
    const workload = filteredWorkload(object, outcome.reason?.startsWith(NOT_SELECTED) !== true);
    items.set(items.has(place) ? `${place}#${items.size}` : place, {
      path: source.path,
      outcome,
      workload,
      identity: identityOf(object),
      name: nameOf(object),
      wasExcluded,
      given: object,
      mark: source.mark,
      pools,
    });
    // a copy: what is changed in it must not change what is kept
    return outcome.excluded === undefined ? object : copyOf(outcome.excluded.manifest);
  }

  private outcome(
    filter: ExclusionFilter,
    object: PlainMap,
    { mark, scope: { unknown }, subject }: ObjectSource,
    pools: HostNetworkPools,
  ): FilteredExclusion {
    const source = { mark, subject, pools, ...(unknown === undefined ? {} : { unknown }) };
    return excludeFiltered(this.cluster, filter, object, source);
  }

  /** The exclusion of an object that was excluded before. What it is no longer excluded for is an error, because the report has promised it. */
  private again(object: PlainMap, source: ObjectSource, pools: HostNetworkPools): FilteredExclusion {
    const { podTemplatePaths, onContradiction } = this.filter;
    const filter = { podTemplatePaths, onContradiction };
    const lost = mayBeWorkload(filter, object)
      ? reasonToSkip(this.cluster, filter, object, source.mark)?.reason
      : 'is not a workload';
    if (lost !== undefined) {
      throw new EdgeError(`${source.subject} (${nameOf(object)})`, [
        {
          code: 'EDGE_CONTRADICTION',
          path: '',
          message: `conflicting settings: it was excluded, and was changed afterwards so that it cannot be: ${lost}`,
          hint: 'undo the change (a JSON patch or a setter), or make it before the mixin is applied',
        },
      ]);
    }
    return this.outcome(filter, object, source, pools);
  }

  private unmatched(): EdgeWarning[] {
    return unmatchedWarnings(
      this.filter,
      this.all().map(({ workload }) => workload),
    );
  }

  private all(): Seen[] {
    return [...this.seen.values()].flatMap((items) => [...items.values()]);
  }
}

function isUnchanged({ given, mark, pools }: Seen, object: PlainMap, source: ObjectSource): boolean {
  return mark === source.mark && same(given, object) && pools.isSame;
}

/** Warns of excluded objects that another construct makes too. */
function duplicates(all: readonly Seen[]): EdgeWarning[] {
  const first = new Map<string, Seen>();
  return all.flatMap((seen): EdgeWarning[] => {
    const { identity, name, path: construct, outcome } = seen;
    if (identity === undefined || (outcome.reason !== undefined && outcome.reason !== ALREADY_EXCLUDED)) {
      return [];
    }
    const earlier = first.get(identity);
    first.set(identity, earlier ?? seen);
    return earlier === undefined
      ? []
      : [
          {
            construct,
            code: 'EDGE_DUPLICATE',
            path: '',
            message: `${earlier.path} already creates ${name}: the one that is applied last replaces the other`,
            hint: 'give one of them another name or namespace, unless they are applied to two clusters',
          },
        ];
  });
}

function noLongerExcluded(construct: string, name: string, reason: string): EdgeWarning {
  return {
    construct,
    code: 'EDGE_CONTRADICTION',
    path: '',
    message: `${name} was excluded, and is now skipped (onContradiction: 'skip'): ${reason}`,
    hint: "undo the change that conflicts with the exclusion, or write onContradiction: 'error'",
  };
}
