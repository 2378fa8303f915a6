import type * as pulumi from '@pulumi/pulumi';
import type { KubeProxySettings } from '../preconditions/kube-proxy.js';
import { planSinglePrecondition, type PreconditionProps } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link KubeProxyConfiguration}.
 *
 * @category Prepare the cluster
 */
export interface KubeProxyConfigurationArgs extends WithInputs<PreconditionProps & KubeProxySettings> {}

/**
 * Lets kube-proxy find the API server by the environment of its Pod, which yurthub changes, instead of its kubeconfig; and makes its log verbose while
 * that is verified.
 *
 * @category Prepare the cluster
 */
export class KubeProxyConfiguration extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of the component
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: KubeProxyConfigurationArgs, options?: pulumi.ComponentResourceOptions) {
    super('KubeProxyConfiguration', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: PreconditionProps, { path }) =>
        planSinglePrecondition('kubeProxy', props, `KubeProxyConfiguration ${path}`, `preconditions/${path}`),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
