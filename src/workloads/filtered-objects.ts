import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Scope } from '../cluster/scope.js';
import { EdgeError, type EdgeWarning } from '../errors.js';
import { identityOf, nameOf } from '../kubernetes/object.js';
import { declaredHostNetworkPools, type HostNetworkPools } from '../pools/declared-pools.js';
import { copyOf, isMap, type PlainMap, same } from '../validation/plain-data.js';
import {
  ALREADY_EXCLUDED,
  excludeFiltered,
  type ExclusionFilter,
  type FilteredExclusion,
  mayBeWorkload,
  NOT_SELECTED,
  reasonToSkip,
} from './exclusion-filter.js';
import { type FilteredWorkload, filteredWorkload, unmatchedWarnings } from './unmatched-filter.js';

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
export interface ObjectSource {
  /** Name of the declaration in reports. */
  readonly path: string;
  readonly scope: Scope;
  /** Reason to skip it, given by its declaration. */
  readonly mark: string | undefined;
  /** What to name in errors. */
  readonly subject: string;
}

/** One object that a filter has processed. */
export interface ProcessedObject {
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
