import { type PrintableReport, printable, textTable } from '../text/table.js';

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
