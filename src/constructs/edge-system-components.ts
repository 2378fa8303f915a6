import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { ProblemList } from '../base/errors.js';
import { PATCHES, planEdgeSystemComponents } from '../system-components/edge-system-components.js';
import type { EdgeSystemComponentsProps } from '../system-components/edge-system-components-props.js';
import { printableComponents, type SystemComponentReport } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { PrintableReport } from '../base/table.js';
import { optional } from '../base/property-table.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Excludes system components (kube-proxy, CoreDNS, CNI agents …) from host-network nodes, with the most durable strategies for each component and
 * cluster. `report` lists the strategies, the events that revert them, and the components that cannot be excluded, with the reason.
 *
 * @category Exclude system components from host-network nodes
 */
export class EdgeSystemComponents extends Construct {
  /** How each workload is excluded; `String(report)` is a table without the commands. */
  public readonly report: PrintableReport<readonly SystemComponentReport[]>;
  /** Workloads that cannot be excluded, and what to do instead. */
  public readonly notExcluded: PrintableReport<readonly SystemComponentReport[]>;
  /** Files for `kubeadm init|upgrade --patches`, which {@link writeArtifacts} writes. */
  public readonly kubeadmPatches: readonly EdgeArtifact[];
  /** The chart with the partial objects, which the synth writes into the folder `patches`; undefined if there are none. */
  public readonly patchChart?: Chart;
  /** Flags with which `kubectl` must apply the patch chart. With the field manager of the component, the apply would remove its other fields. */
  public readonly applyFlags: readonly string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the components
   * @throws {@link EdgeError} with all problems at once: EDGE_STRATEGY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_NAME, EDGE_TYPE,
   * EDGE_MISSING, EDGE_ARTIFACT, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  constructor(
    scope: Construct,
    id: string,
    props: EdgeSystemComponentsProps & {
      /** Chart for the partial objects of SERVER_SIDE_APPLY. It must have no labels and no namespace. The synth writes it into the folder `patches` of the
       * output folder: it is applied separately, because the components must exist, and with a field manager of its own.
       * @default - a new chart with the path of this construct as its name: `<path>-patches` */
      readonly patchChart?: Chart;
    },
  ) {
    super(parentOf(scope, id, 'EdgeSystemComponents', props), id);
    const plan = planEdgeSystemComponents(props, scopeOf(this), { patchChart: optional(checkPatchChart) });
    const { attributes, stages } = render(this, plan, { [PATCHES]: props.patchChart });
    this.report = printableComponents(attributes.report);
    this.notExcluded = printableComponents(attributes.notExcluded);
    this.kubeadmPatches = attributes.kubeadmPatches;
    this.applyFlags = attributes.applyFlags;
    this.patchChart = stages.get(PATCHES);
  }
}

function checkPatchChart(patchChart: unknown, problems: ProblemList): void {
  if (!Chart.isChart(patchChart)) {
    problems.add('EDGE_TYPE', 'this is not a chart', "write new Chart(app, 'patches'), or leave it out");
  } else if (Object.keys(patchChart.labels).length > 0 || patchChart.namespace !== undefined) {
    problems.add(
      'EDGE_CONTRADICTION',
      'the chart has labels or a namespace, which the partial objects would also own',
      "write new Chart(app, 'patches') without labels and namespace",
    );
  }
}
