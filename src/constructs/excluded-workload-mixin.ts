import { ApiObject } from 'cdk8s';
import type { IConstruct, IMixin } from 'constructs';
import { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { checkProperties } from '../validation/property-table.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import {
  excludeFiltered,
  type ExclusionFilter,
  FILTER_PROPERTIES,
  mayBeWorkload,
} from '../workloads/exclusion-filter.js';
import { excludeAtSynth } from './exclusion-at-synth.js';
import { scopeOf, SKIPS_EXCLUSION } from './render.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

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
 * The result of the mixin.
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
 * Excludes every matching workload of a tree from host-network nodes. It processes the objects that exist when it is applied. Later changes of these
 * objects (by their construct or by patches) are kept: the exclusion is added when they are synthesized.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkloadMixin implements IMixin {
  private readonly props: ExcludedWorkloadMixinProps;
  private readonly touched: MixinEntry[] = [];
  private readonly skipped: MixinEntry[] = [];

  /**
   * Use {@link ExcludedWorkload.mixin}.
   * @param props the cluster, and filters for the workloads
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  constructor(props: ExcludedWorkloadMixinProps) {
    props ??= {} as ExcludedWorkloadMixinProps;
    const problems = new ProblemList();
    checkProperties(props, { cluster: checkCluster, ...FILTER_PROPERTIES }, problems);
    problems.throwIfAny('ExcludedWorkload.mixin');
    this.props = props;
  }

  /** Objects that were changed or skipped so far. */
  public get report(): MixinReport {
    return { touched: [...this.touched], skipped: [...this.skipped] };
  }

  /**
   * Whether a construct is a Kubernetes object.
   * @param construct any construct of the tree
   */
  public supports(construct: IConstruct): boolean {
    return ApiObject.isApiObject(construct);
  }

  /**
   * Excludes one object, or the items of a List.
   * @param construct a Kubernetes object
   * @throws {@link EdgeError} with EDGE_CONTRADICTION or EDGE_AFFINITY, unless `onContradiction` is `skip`
   */
  public applyTo(construct: IConstruct): void {
    const apiObject = construct as ApiObject;
    const before = this.touched.length;
    this.excluded(apiObject, apiObject.toJson() as PlainMap, true);
    if (this.touched.length > before) {
      excludeAtSynth(apiObject, (object) => this.excluded(apiObject, object, false));
      addClusterWarnings(apiObject, this.props.cluster);
    }
  }

  /** The object with the exclusion, for a List in its items; the same object if there is nothing to do. */
  private excluded(apiObject: ApiObject, object: PlainMap, isReported: boolean): PlainMap {
    if (String(object.kind).endsWith('List') && Array.isArray(object.items)) {
      const items = (object.items as unknown[]).map((item) =>
        isMap(item) ? this.excluded(apiObject, item, isReported) : item,
      );
      return items.some((item, index) => item !== (object.items as unknown[])[index]) ? { ...object, items } : object;
    }
    if (!mayBeWorkload(this.props, object)) {
      return object;
    }
    const subject = `ExcludedWorkload.mixin on ${apiObject.node.path}`;
    const mark = markOf(apiObject);
    const { cluster } = this.props;
    const { excluded, reason } = excludeFiltered(cluster, this.props, object, mark, scopeOf(apiObject), subject);
    if (isReported) {
      const entry = { construct: apiObject.node.path, workload: nameOf(object) };
      if (excluded === undefined) {
        this.skipped.push({ ...entry, changed: [], reason });
      } else {
        this.touched.push({ ...entry, changed: excluded.report.changed });
        EdgeWarnings.add(apiObject, excluded.warnings);
      }
    }
    return excluded?.manifest ?? object;
  }
}

/** Why the construct that created an object skips the exclusion. */
function markOf(apiObject: ApiObject): string | undefined {
  const mark = [apiObject, apiObject.node.scope]
    .flatMap((construct) => construct?.node.metadata ?? [])
    .find(({ type }) => type === SKIPS_EXCLUSION);
  return mark === undefined ? undefined : String(mark.data);
}
