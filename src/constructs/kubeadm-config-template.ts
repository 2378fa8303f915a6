import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { ProblemList } from '../errors.js';
import type { NodeOptions } from '../manifests/join/join-props.js';
import {
  checkConfigTemplate,
  type ClusterApiVersion,
  configTemplate,
} from '../manifests/join/kubeadm-config-template.js';
import type { INodePool } from './node-pool.js';
import { addClusterWarnings } from './warnings.js';

/**
 * Properties of a {@link KubeadmConfigTemplate}.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateProps extends NodeOptions {
  /** The pool that the Machines join. */
  readonly pool: INodePool;
  /** Version of the object.
   * @default v1beta2 */
  readonly version?: ClusterApiVersion;
  /** Name of the object. Cluster API lets nobody change a template: another content needs another name.
   * @default - pool, `-join-` and a hash of the content */
  readonly name?: string;
  /** Namespace of the object, that of the Cluster.
   * @default - that of the chart, else default */
  readonly namespace?: string;
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
    const problems = new ProblemList();
    checkConfigTemplate(props, problems);
    problems.throwIfAny(`KubeadmConfigTemplate ${this.node.path}`);
    const object = configTemplate(props, props.namespace ?? Chart.of(this).namespace ?? 'default');
    this.templateName = object.metadata?.name as string;
    new ApiObject(this, 'Resource', object);
    addClusterWarnings(this, props.pool.cluster);
  }
}
