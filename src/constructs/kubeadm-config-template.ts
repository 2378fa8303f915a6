import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type KubeadmConfigTemplateProps, planKubeadmConfigTemplate } from '../join/kubeadm-config-template.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A KubeadmConfigTemplate of Cluster API for nodes of a pool, with the files, labels, taints and reservation of a {@link NodeJoin}. Cluster API creates
 * the token, and adds the discovery and the join.
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
   * @param props the pool, and settings of its nodes
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_KUBELET_FLAG, EDGE_JOIN, EDGE_RESERVED_KEY,
   * EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: KubeadmConfigTemplateProps) {
    super(parentOf(scope, id, 'KubeadmConfigTemplate', props), id);
    const plan = planKubeadmConfigTemplate(props, scopeOf(this, Chart.of(this).namespace));
    this.templateName = render(this, plan).attributes.templateName;
  }
}
