import { Construct } from 'constructs';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type ExcludedWorkloadProps, planExcludedWorkload } from '../workloads/excluded-workload.js';
import type { ExclusionReport } from '../workloads/exclusion.js';
import { ExcludedWorkloadMixin, type ExcludedWorkloadMixinProps } from './excluded-workload-mixin.js';
import { render, scopeOf } from './render.js';

/**
 * A workload that is excluded from host-network nodes: the same object with the annotation `apps.openyurt.io/exclude-host-network-pool` and a
 * required node affinity in its Pod template. The affinity is what the scheduler, the DaemonSet controller and the kubelet obey, with or
 * without OpenYurt's webhook; the annotation lets OpenYurt 1.5+ see the intent.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkload extends Construct {
  /**
   * Does the same to every workload that is already in a tree: `chart.with(ExcludedWorkload.mixin({ cluster }))`. Works on what `Include`
   * and `Helm` load, on cdk8s-plus workloads and on imported constructs.
   *
   * @param props the cluster, and which workloads to touch
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  public static mixin(props: ExcludedWorkloadMixinProps): ExcludedWorkloadMixin {
    return new ExcludedWorkloadMixin(props);
  }

  /** The object as it is applied, as plain data. */
  public readonly manifest: KubernetesObject;
  /** What was changed, and what the exclusion rests on. */
  public readonly report: ExclusionReport;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the workload
   * @throws {@link EdgeError} with all problems at once: EDGE_YAML, EDGE_NOT_AN_OBJECT, EDGE_NO_POD_TEMPLATE, EDGE_AFFINITY,
   * EDGE_CONTRADICTION, EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ExcludedWorkloadProps) {
    super(scope, id);
    const { manifest, report } = render(this, planExcludedWorkload(props, scopeOf(this))).answers;
    this.manifest = manifest;
    this.report = report;
  }
}
