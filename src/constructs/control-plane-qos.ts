import type { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { QOS_PATCHES } from '../control-plane/component-qos.js';
import { planControlPlaneQos } from '../control-plane/control-plane-qos.js';
import type { ControlPlaneQosProps } from '../control-plane/control-plane-qos-props.js';
import type { NodeFile } from '../join/node-file.js';
import { printableComponents, type SystemComponentReport } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { PrintableReport } from '../base/table.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * QoS and priorities of a control plane: kubeadm patches of its static Pods, patches of components that run already, and PriorityClasses. Give each
 * workload of your own its resources with {@link withQos}.
 *
 * @category Run the control plane
 */
export class ControlPlaneQos extends Construct {
  /** Files for `kubeadm init|join|upgrade --patches`, which {@link writeArtifacts} writes. */
  public readonly kubeadmPatches!: readonly EdgeArtifact[];
  /** The same files on a machine: for `files` of a KubeadmControlPlane of Cluster API, or `write_files` of cloud-init. */
  public readonly files!: readonly NodeFile[];
  /** The InitConfiguration of kubeadm that applies them, without its other fields. */
  public readonly initConfiguration!: Record<string, unknown>;
  /** The JoinConfiguration of further machines of the control plane, without its other fields. */
  public readonly joinConfiguration!: Record<string, unknown>;
  /** How each component is patched, and what reverts that; `String(report)` is a table without the commands. */
  public readonly report: PrintableReport<readonly SystemComponentReport[]>;
  /** Flags with which `kubectl` must apply the patch chart. */
  public readonly applyFlags!: readonly string[];
  /** The chart with the patches of running components, in the folder `patches` of the output folder, to be applied separately; undefined if there are none. */
  public readonly patchChart?: Chart;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and a profile for each part of its control plane
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION, EDGE_QUANTITY, EDGE_RESERVATION, EDGE_MATCHES_NOTHING, EDGE_STRATEGY,
   * EDGE_NAME, EDGE_DUPLICATE, EDGE_ARTIFACT, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ControlPlaneQosProps) {
    super(parentOf(scope, id, 'ControlPlaneQos', props), id);
    const { attributes, stages } = render(this, planControlPlaneQos(props, scopeOf(this)));
    Object.assign(this, attributes);
    this.report = printableComponents(attributes.report, 'PATCHED BY');
    this.patchChart = stages.get(QOS_PATCHES);
  }
}
