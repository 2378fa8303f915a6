import type { Construct } from 'constructs';
import type { KubeControllerManagerSettings } from '../preconditions/kube-controller-manager.js';
import type { PreconditionProps } from '../preconditions/edge-preconditions.js';
import { PreconditionConstruct } from './precondition-construct.js';

/**
 * Properties of {@link KubeControllerManagerControllers}.
 *
 * @category Prepare the cluster
 */
export interface KubeControllerManagerControllersProps extends PreconditionProps, KubeControllerManagerSettings {}

/**
 * Turns the node lifecycle controller of kube-controller-manager off, where yurt-manager runs one of its own: `--controllers` edited, not replaced, as a
 * kubeadm patch file, in a ClusterConfiguration, and in the static Pod manifest.
 *
 * @category Prepare the cluster
 */
export class KubeControllerManagerControllers extends PreconditionConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of the component
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: KubeControllerManagerControllersProps) {
    super(scope, id, 'kubeControllerManager', props);
  }
}
