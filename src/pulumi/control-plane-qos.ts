import type * as pulumi from '@pulumi/pulumi';
import { planControlPlaneQos } from '../control-plane/control-plane-qos.js';
import type { ControlPlaneQosProps } from '../control-plane/control-plane-qos-props.js';
import type { NodeFile } from '../join/node-file.js';
import { printableComponents, type SystemComponentReport } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link ControlPlaneQos}: plain values, because they determine which resources exist.
 *
 * @category Run the control plane
 */
export interface ControlPlaneQosArgs extends WithInputs<ControlPlaneQosProps, keyof ControlPlaneQosProps> {}

/**
 * QoS and priorities of a control plane: kubeadm patches of its static Pods, patches of components that run already, and PriorityClasses. Give each
 * workload of your own its resources with {@link withQos}.
 *
 * A patch takes over CPU and memory of its component. It does not await the rollout, and stays when it is removed from the program, because nothing could
 * restore the former amounts.
 *
 * @category Run the control plane
 */
export class ControlPlaneQos extends EdgeComponent {
  /** The PriorityClasses, and then the patches. */
  declare public readonly resources: readonly pulumi.CustomResource[];
  /** Files for `kubeadm init|join|upgrade --patches`. */
  declare public readonly kubeadmPatches: pulumi.Output<EdgeArtifact[]>;
  /** The same files on a machine: for `files` of a KubeadmControlPlane of Cluster API, or `write_files` of cloud-init. */
  declare public readonly files: pulumi.Output<NodeFile[]>;
  /** The InitConfiguration of kubeadm that applies them, without its other fields. */
  declare public readonly initConfiguration: pulumi.Output<Record<string, unknown>>;
  /** The JoinConfiguration of further machines of the control plane, without its other fields. */
  declare public readonly joinConfiguration: pulumi.Output<Record<string, unknown>>;
  /** How each component is patched, and what reverts that; `report.apply(String)` is a table without the commands. */
  declare public readonly report: pulumi.Output<SystemComponentReport[]>;

  /**
   * @param name name of the resource
   * @param args the cluster, and a profile for each part of its control plane
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ControlPlaneQosArgs, options?: pulumi.ComponentResourceOptions) {
    super('ControlPlaneQos', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { fieldManager } = args ?? {};
    const { attributes, output, resources } = this.render(args ?? {}, planControlPlaneQos, { fieldManager });
    this.resources = resources;
    this.kubeadmPatches = output([...attributes.kubeadmPatches]);
    this.files = output([...attributes.files]);
    this.initConfiguration = output<Record<string, unknown>>(attributes.initConfiguration);
    this.joinConfiguration = output<Record<string, unknown>>(attributes.joinConfiguration);
    this.report = output([...attributes.report]).apply((rows) => printableComponents(rows, 'PATCHED BY'));
    const { kubeadmPatches, files, initConfiguration, joinConfiguration, report } = this;
    this.registerOutputs({ kubeadmPatches, files, initConfiguration, joinConfiguration, report });
  }
}
