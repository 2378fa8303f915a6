import type * as pulumi from '@pulumi/pulumi';
import type { KubeControllerManagerSettings } from '../preconditions/kube-controller-manager.js';
import { planSinglePrecondition, type PreconditionProps } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link KubeControllerManagerControllers}.
 *
 * @category Prepare the cluster
 */
export interface KubeControllerManagerControllersArgs extends WithInputs<
  PreconditionProps & KubeControllerManagerSettings
> {}

/**
 * Turns the node lifecycle controller of kube-controller-manager off, where yurt-manager runs one of its own: `--controllers` edited, not replaced, as a
 * kubeadm patch file, in a ClusterConfiguration, and in the static Pod manifest.
 *
 * @category Prepare the cluster
 */
export class KubeControllerManagerControllers extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of the component
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_DUPLICATE, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: KubeControllerManagerControllersArgs, options?: pulumi.ComponentResourceOptions) {
    super('KubeControllerManagerControllers', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: PreconditionProps, { path }) =>
        planSinglePrecondition(
          'kubeControllerManager',
          props,
          `KubeControllerManagerControllers ${path}`,
          `preconditions/${path}`,
        ),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
