import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type KubeadmConfigTemplateProps, planKubeadmConfigTemplate } from '../join/kubeadm-config-template.js';
import type { KubeletArgument } from '../join/kubelet-arguments.js';
import type { PlainNodeSetting } from '../join/node-join-props.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import type { INodePool } from './node-pool.js';

/**
 * Arguments of a {@link KubeadmConfigTemplate}.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateArgs extends WithInputs<
  Omit<KubeadmConfigTemplateProps, 'pool' | 'kubeletExtraArgs'>,
  PlainNodeSetting | 'version'
> {
  /** The pool that the Machines join. */
  readonly pool: INodePool;
  /** Additional flags of the kubelet. A list, in which a flag can occur several times, needs Kubernetes 1.31+.
   * @default - none */
  readonly kubeletExtraArgs?: Record<string, pulumi.Input<string>> | KubeletArgument[];
}

/**
 * A KubeadmConfigTemplate of Cluster API for nodes of a pool, with the files, labels, taints and reservation of a {@link NodeJoin}. Cluster API creates
 * the token, and adds the discovery and the join.
 *
 * @category Join nodes
 */
export class KubeadmConfigTemplate extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planKubeadmConfigTemplate;
  /** The KubeadmConfigTemplate. */
  declare public readonly resource: k8s.apiextensions.CustomResource;
  /** Name of the object, for a MachineDeployment. */
  declare public readonly templateName: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the pool, and settings of its nodes
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: KubeadmConfigTemplateArgs, options?: pulumi.ComponentResourceOptions) {
    super('KubeadmConfigTemplate', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planKubeadmConfigTemplate);
    this.resource = resources[0] as k8s.apiextensions.CustomResource;
    this.templateName = output(attributes.templateName);
    this.registerOutputs({ templateName: this.templateName });
  }
}
