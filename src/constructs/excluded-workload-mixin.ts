import { ApiObject, Include } from 'cdk8s';
import { Construct, type IConstruct, type IMixin } from 'constructs';
import { EdgeError, type EdgeWarning, ProblemList, joinPath } from '../base/errors.js';
import { type EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import { whatIs } from '../base/properties.js';
import { checkProperties } from '../base/property-table.js';
import { type PlainMap, isMap } from '../base/plain-data.js';
import {
  type ExclusionFilter,
  FILTER_ADVICE,
  FILTER_PROPERTIES,
  FilteredObjects,
  checkKinds,
} from '../workloads/exclusion-filter.js';
import { printableObjects } from '../workloads/exclusion.js';
import type { PrintableReport } from '../base/table.js';
import { changeAtSynth } from './object-at-synth.js';
import { mixinApplied, remindOfMixin } from './synth-reminder.js';
import { isConstruct } from './tree.js';
import { SKIPS_EXCLUSION, scopeOf } from './render.js';
import { constructsIn, oncePerSynth } from './synth-run.js';
import { addClusterWarnings, addLateWarnings, expectSynth } from './warnings.js';
import { groupKindOf } from '../kubernetes/group-kind.js';

const HOW_TO_APPLY = 'chart.with(ExcludedWorkload.mixin({ cluster }))';

/** Gives a class and its function the method that `with` of a construct calls first, which would fail with a TypeError: it says what to write. */
export function asNoMixin(type: object, make: string): void {
  for (const value of [type, (type as Record<string, unknown>)[make]]) {
    Object.defineProperty(value, 'supports', { value: refuseAsMixin });
  }
}

function refuseAsMixin(): never {
  const hint = `write ${HOW_TO_APPLY}`;
  throw new EdgeError('ExcludedWorkload', [
    { code: 'EDGE_TYPE', path: 'with', message: 'this makes a mixin for a chart, and is none', hint },
  ]);
}

/**
 * Properties of {@link ExcludedWorkload.mixin}.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExcludedWorkloadMixinProps extends ExclusionFilter {
  /** The cluster in which the workloads run. */
  readonly cluster: EdgeCluster;
}

/**
 * One object that the mixin has processed.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface MixinEntry {
  /** Construct path. */
  readonly construct: string;
  /** The object, `DaemonSet monitoring/node-exporter`. */
  readonly workload: string;
  /** Paths that were added or changed; empty for a skipped object. */
  readonly changed: readonly string[];
  /** Why it was skipped.
   * @default - it was changed */
  readonly reason?: string;
}

/**
 * The result of the mixin, for the tree as it is when the report is read. Read it after the synth for the result of the synth.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface MixinReport {
  /** Objects that were changed. */
  readonly touched: readonly MixinEntry[];
  /** Workloads that were skipped, and why. */
  readonly skipped: readonly MixinEntry[];
}

/**
 * Excludes every matching workload of a tree from host-network nodes, with the tree as it is at synth: objects that are added after the mixin, and later
 * changes of objects, by their construct or by JSON patches, are seen.
 *
 * What is excluded stays excluded: a later change of the labels or the namespace, which the filters read, does not free a workload. A change that cannot
 * be combined with the exclusion fails the synth.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkloadMixin implements IMixin {
  private readonly props: ExcludedWorkloadMixinProps;
  private readonly objects: FilteredObjects;
  /** The constructs to which the mixin was applied, without their descendants. */
  private readonly trees = new Set<IConstruct>();
  private readonly known = new Set<ApiObject>();
  private readonly losses = new Map<ApiObject, readonly EdgeWarning[]>();

  /**
   * Use {@link ExcludedWorkload.mixin}.
   * @param props the cluster, and filters for the workloads
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE, EDGE_MATCHES_NOTHING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(props: ExcludedWorkloadMixinProps) {
    props ??= {} as ExcludedWorkloadMixinProps;
    const problems = new ProblemList();
    const given: unknown = props;
    if (isConstruct(given)) {
      problems.add('EDGE_TYPE', `the properties are ${whatIs(given)}, not a map`, `write ${HOW_TO_APPLY}`);
      problems.throwIfAny('ExcludedWorkload.mixin');
    }
    checkProperties(props, { cluster: checkCluster, ...FILTER_PROPERTIES }, problems, FILTER_ADVICE);
    checkKinds(props, problems);
    problems.throwIfAny('ExcludedWorkload.mixin');
    this.props = props;
    this.objects = new FilteredObjects(props.cluster, props);
    remindOfMixin(this);
  }

  /**
   * Objects that are changed or skipped, in the tree as it is now; `String(report)` is a table.
   * @throws {@link EdgeError} with EDGE_CONTRADICTION or EDGE_AFFINITY, as {@link ExcludedWorkloadMixin.applyTo}
   */
  public get report(): PrintableReport<MixinReport> {
    this.trees.forEach((tree) => this.look(tree));
    return printableObjects({ touched: this.objects.touched, skipped: this.objects.skipped });
  }

  /**
   * True for every construct: Kubernetes objects may be added to it later.
   * @param construct any construct of the tree
   */
  public supports(construct: IConstruct): boolean {
    return Construct.isConstruct(construct);
  }

  /**
   * Excludes an object, or the items of a List, and the objects that are added below it.
   * @param construct a construct of the tree
   * @throws {@link EdgeError} with EDGE_CONTRADICTION or EDGE_AFFINITY, unless `onContradiction` is `skip`
   */
  public applyTo(construct: IConstruct): void {
    mixinApplied(this);
    if (!construct.node.scopes.some((scope) => this.trees.has(scope))) {
      this.addTree(construct);
    }
    if (ApiObject.isApiObject(construct)) {
      this.add(construct);
    }
  }

  private addTree(tree: IConstruct): void {
    if (this.trees.size === 0) {
      addLateWarnings(tree, () => {
        this.trees.forEach((each) => this.look(each));
        return this.warningsNow();
      });
    }
    this.trees.add(tree);
    addClusterWarnings(tree, this.props.cluster);
    const isSynthesized = expectSynth(tree, {
      code: 'EDGE_UNUSED',
      path: '',
      message: 'the tree was not synthesized after the mixin was applied: nothing that was written before is excluded',
      hint: 'call with(ExcludedWorkload.mixin(…)) before app.synth()',
    });
    tree.node.addValidation(
      // before anything is written, so that a conflict that was added later has its own error
      oncePerSynth(tree, () => {
        isSynthesized();
        const added = new Set(this.look(tree));
        const before = apiObjectsIn(tree).filter((object) => !added.has(object) && this.objects.holds(object));
        before.forEach((object) => object.toJson() as unknown);
      }),
    );
  }

  /** The warnings of the objects as they are now. */
  private warningsNow(): EdgeWarning[] {
    const warned = new Set(this.objects.warned);
    [...this.known].filter((object) => warned.has(object)).forEach((object) => object.toJson() as unknown);
    const losses = [...this.losses].flatMap(([{ node }, each]) =>
      each.map((warning) => ({ ...warning, construct: node.path })),
    );
    return [...losses, ...this.objects.warnings];
  }

  /** Adds the objects that are new in a tree, and returns them. */
  private look(tree: IConstruct): ApiObject[] {
    return apiObjectsIn(tree).filter((object) => this.add(object));
  }

  /** Adds an object; returns whether it is new. */
  private add(apiObject: ApiObject): boolean {
    if (this.known.has(apiObject)) {
      return false;
    }
    const exclude = (object: PlainMap): PlainMap => {
      this.losses.set(apiObject, includeLosses(apiObject, object));
      return this.objects.excluded(apiObject, object, {
        path: apiObject.node.path,
        scope: scopeOf(apiObject),
        mark: markOf(apiObject),
        subject: `ExcludedWorkload.mixin on ${apiObject.node.path}`,
      });
    };
    exclude(apiObject.toJson() as PlainMap);
    this.known.add(apiObject);
    changeAtSynth(apiObject, exclude);
    return true;
  }
}

function apiObjectsIn(tree: IConstruct): ApiObject[] {
  return constructsIn(tree).filter((construct) => ApiObject.isApiObject(construct));
}

/** Why the construct that created an object skips the exclusion. */
function markOf(apiObject: ApiObject): string | undefined {
  const mark = [apiObject, apiObject.node.scope]
    .flatMap((construct) => construct?.node.metadata ?? [])
    .find(({ type }) => type === SKIPS_EXCLUSION);
  return mark === undefined ? undefined : String(mark.data);
}

/** Maps and lists of text, in which Kubernetes accepts no number. */
const TEXTS =
  /(?:^|\.)(?:metadata\.(?:annotations|labels)|matchLabels|nodeSelector|args|command)$|^(?:data|stringData)$|\.env\[\d+\]$/;

const HINT =
  'write the text in quotes in the file; one that is not yours: npx edge-nodepools post-render < FILE, and apply its output beside this app';

/**
 * Warns of values of a file that `Include` (and `Helm`) of cdk8s reads differently from Kubernetes: with the schema of YAML 1.1 of the package `yaml`
 * (cdk8s/lib/yaml.js, Yaml.load), where kubectl and Helm use sigs.k8s.io/yaml. Which file it was is not known afterwards, so this finds what that reader
 * makes of such values.
 */
function includeLosses(apiObject: ApiObject, object: PlainMap): EdgeWarning[] {
  const search = new Search(groupKindOf(object) === 'CustomResourceDefinition.apiextensions.k8s.io');
  if (apiObject.node.scope instanceof Include) {
    search.visit(object, '', false);
  }
  return search.losses;
}

class Search {
  public readonly losses: EdgeWarning[] = [];

  /** @param isSchema whether numbers are those of a schema: of a field that is called args, or a bound */
  constructor(private readonly isSchema: boolean) {}

  /** @param isText whether Kubernetes accepts only text here */
  public visit(value: unknown, path: string, isText: boolean): void {
    const read =
      typeof value === 'number'
        ? this.number(value, isText)
        : typeof value === 'string'
          ? time(value, path)
          : undefined;
    if (read !== undefined) {
      this.add(path, read);
    } else if (Array.isArray(value)) {
      const holdsText = TEXTS.test(path);
      value.forEach((item, index) => this.visit(item, joinPath(path, index), holdsText));
    } else if (isMap(value) && value.type === 'Buffer' && Array.isArray(value.data)) {
      this.add(path, 'a list of bytes in place of the text of !!binary');
    } else if (isMap(value)) {
      const holdsText = TEXTS.test(path);
      for (const [key, item] of Object.entries(value)) {
        const at = joinPath(path, key);
        if (key === 'NaN') {
          this.add(at, 'the key NaN in place of a text such as e2');
        }
        this.visit(item, at, holdsText);
      }
    }
  }

  private number(value: number, isText: boolean): string | undefined {
    if (!Number.isFinite(value)) {
      return `${value} in place of a text such as . or e2`;
    }
    if (this.isSchema) {
      return undefined;
    }
    return isText
      ? `the number ${value} in place of a text such as ._8 or 22:22`
      : Number.isInteger(value) && !Number.isSafeInteger(value)
        ? `${value} in place of an integer that JavaScript cannot represent`
        : undefined;
  }

  private add(path: string, read: string): void {
    this.losses.push({
      code: 'EDGE_YAML',
      path,
      message: `cdk8s reads the file differently from Kubernetes: ${read}`,
      hint: HINT,
    });
  }
}

/** A Date, as it is printed. Fields of Kubernetes with a time also take that. */
function time(text: string, path: string): string | undefined {
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !/Time(?:stamp)?$/.test(path);
  return isDate ? `the time ${text} in place of a text such as ${text.slice(0, 10)}` : undefined;
}
