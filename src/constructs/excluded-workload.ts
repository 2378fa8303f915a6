import { Construct } from 'constructs';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { PrintableReport } from '../base/table.js';
import { type ExcludedWorkloadProps, planExcludedWorkload } from '../workloads/excluded-workload.js';
import { type ExclusionReport, printableExclusion } from '../workloads/exclusion.js';
import { asNoMixin, ExcludedWorkloadMixin, type ExcludedWorkloadMixinProps } from './excluded-workload-mixin.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A workload that is excluded from host-network nodes: the same object with the annotation `apps.openyurt.io/exclude-host-network-pool` and a required node
 * affinity in its Pod template. The affinity holds with or without OpenYurt's webhook; OpenYurt 1.5+ reads the annotation.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkload extends Construct {
  static {
    // what beginners give to `with`
    asNoMixin(this, 'mixin');
  }

  /**
   * Excludes every workload that is already in a tree: `chart.with(ExcludedWorkload.mixin({ cluster }))`. Works with objects of `Include` and
   * `Helm` (hooks of a chart are ordinary objects there), with cdk8s-plus workloads and with imported constructs.
   *
   * @param props the cluster, and filters for the workloads
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  public static mixin(props: ExcludedWorkloadMixinProps): ExcludedWorkloadMixin {
    return new ExcludedWorkloadMixin(props);
  }

  /** The resulting object, as plain data. */
  public readonly manifest: KubernetesObject;
  /** What was changed, and which mechanisms enforce the exclusion; `String(report)` is a table. */
  public readonly report: PrintableReport<ExclusionReport>;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the workload
   * @throws {@link EdgeError} with all problems at once: EDGE_YAML, EDGE_NOT_AN_OBJECT, EDGE_NO_POD_TEMPLATE, EDGE_AFFINITY,
   * EDGE_TAINT, EDGE_VALUE, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TYPE, EDGE_MISSING or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ExcludedWorkloadProps) {
    super(parentOf(scope, id, 'ExcludedWorkload', props), id);
    const { manifest, report } = render(this, planExcludedWorkload(props, scopeOf(this))).attributes;
    this.manifest = manifest;
    this.report = printableExclusion(report);
  }
}
