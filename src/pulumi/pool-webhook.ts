import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { planPoolWebhook } from '../admission/pool-webhook.js';
import type { PoolWebhookProps } from '../admission/pool-webhook-props.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of a {@link PoolWebhook}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolWebhookArgs extends WithInputs<PoolWebhookProps, 'cluster' | 'type'> {}

/**
 * A webhook configuration for your own admission server, for Nodes, Pods, NodePools or other resources. It does not create the server.
 *
 * @category Admit Pods and Nodes
 */
export class PoolWebhook extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planPoolWebhook;
  /** The configuration object, of the kind that `type` says. */
  declare public readonly resource:
    | k8s.admissionregistration.v1.MutatingWebhookConfiguration
    | k8s.admissionregistration.v1.ValidatingWebhookConfiguration;
  /** Name of the configuration object. */
  declare public readonly configurationName: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the webhooks
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: PoolWebhookArgs, options?: pulumi.ComponentResourceOptions) {
    super('PoolWebhook', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, resources, output } = this.render(args, planPoolWebhook);
    this.resource = resources[0] as PoolWebhook['resource'];
    this.configurationName = output(attributes.configurationName as string);
    this.registerOutputs({ configurationName: this.configurationName });
  }
}
