import * as pulumi from '@pulumi/pulumi';
import type { JoinPool } from '../join/join-props.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type KubeadmConfigTemplateSettings, planKubeadmConfigTemplate } from '../join/kubeadm-config-template.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { declarationOfPool, type INodePool, poolOf } from './node-pool.js';
import { resourceOf } from './resource.js';

/**
 * Arguments of a {@link KubeadmConfigTemplate}.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateArgs extends WithInputs<KubeadmConfigTemplateSettings> {
  /** The pool that the Machines join. */
  readonly pool: INodePool;
}

/**
 * A node of a pool as Cluster API makes them: the files, labels, taints and reservation of a {@link NodeJoin}. The token, its discovery and the
 * join itself are Cluster API's.
 *
 * @category Join nodes
 */
export class KubeadmConfigTemplate extends EdgeComponent {
  /** The KubeadmConfigTemplate. */
  public readonly resource!: pulumi.CustomResource;
  /** Name of the object, for a MachineDeployment. */
  public readonly templateName!: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the pool, and what its nodes are
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_KUBELET_FLAG, EDGE_JOIN, EDGE_RESERVED_KEY,
   * EDGE_DUPLICATE, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: KubeadmConfigTemplateArgs, options?: pulumi.ComponentResourceOptions) {
    super('KubeadmConfigTemplate', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(
      { ...args, pool: declarationOfPool(args?.pool) },
      (props: KubeadmConfigTemplateSettings & { readonly pool: JoinPool }, declaration) =>
        planKubeadmConfigTemplate({ ...props, pool: poolOf(props.pool) }, 'default', declaration),
    );
    const object = this.attempt(() => planned.lift((plan) => plan, 1)) as KubernetesObject;
    // Cluster API refuses every change of a template: another content is another object, and the old one goes last
    this.resource = resourceOf(name, object, { parent: this, replaceOnChanges: ['spec'] });
    this.templateName = pulumi.output(planned.lift(({ metadata }) => metadata?.name) as string);
    this.warn(args.pool.cluster, []);
    this.registerOutputs({ templateName: this.templateName });
  }
}
