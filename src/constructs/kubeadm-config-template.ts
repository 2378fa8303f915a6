import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type KubeadmConfigTemplateSettings, planKubeadmConfigTemplate } from '../join/kubeadm-config-template.js';
import type { INodePool } from './node-pool.js';
import { render, scopeOf } from './render.js';

/**
 * Properties of a {@link KubeadmConfigTemplate}.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateProps extends KubeadmConfigTemplateSettings {
  /** The pool that the Machines join. */
  readonly pool: INodePool;
}

/**
 * A node of a pool as Cluster API makes them: the files, labels, taints and reservation of a {@link NodeJoin}. The token, its discovery and the
 * join itself are Cluster API's.
 *
 * `ApiObject.of(template)` is the KubeadmConfigTemplate.
 *
 * @category Join nodes
 */
export class KubeadmConfigTemplate extends Construct {
  /** Name of the object, for a MachineDeployment. */
  public readonly templateName: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, and what its nodes are
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_KUBELET_FLAG, EDGE_JOIN, EDGE_RESERVED_KEY,
   * EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: KubeadmConfigTemplateProps) {
    super(scope, id);
    const plan = planKubeadmConfigTemplate(props, scopeOf(this, Chart.of(this).namespace));
    this.templateName = render(this, plan).answers.templateName;
  }
}
