import type * as pulumi from '@pulumi/pulumi';
import { planPoolWebhook } from '../admission/webhooks/pool-webhook.js';
import type { PoolWebhookProps } from '../admission/webhooks/pool-webhook-props.js';
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
  /** The configuration object. */
  public readonly resource!: pulumi.CustomResource;
  /** Name of the configuration object. */
  public readonly configurationName!: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the webhooks
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_WEBHOOK, EDGE_CA_BUNDLE, EDGE_MATCH_CONDITIONS, EDGE_NO_OPENYURT, EDGE_CONTRADICTION,
   * EDGE_DUPLICATE, EDGE_VALUE, EDGE_NAME, EDGE_PORT, EDGE_LABEL, EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING
   * or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: PoolWebhookArgs, options?: pulumi.ComponentResourceOptions) {
    super('PoolWebhook', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { answers, resources, output } = this.render(args, planPoolWebhook);
    this.resource = resources[0] as pulumi.CustomResource;
    this.configurationName = output(answers.configurationName as string);
    this.registerOutputs({ configurationName: this.configurationName });
  }
}
