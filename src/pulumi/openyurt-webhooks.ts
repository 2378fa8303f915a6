import type * as pulumi from '@pulumi/pulumi';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks.js';
import type { OpenYurtWebhooksProps } from '../admission/openyurt-webhooks-props.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link OpenYurtWebhooks}. Arguments that determine which webhooks are written are plain values, not Outputs.
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhooksArgs extends WithInputs<
  OpenYurtWebhooksProps,
  'cluster' | 'exclude' | 'controllers' | 'disableIndependentWebhooks'
> {}

/**
 * The two webhook configurations of yurt-manager, with the webhooks of the chart of the cluster's OpenYurt release, and with settings that the chart does
 * not have: timeouts, selectors, matchConditions and other failure policies. When it starts, yurt-manager writes further fields, for example `caBundle`;
 * this component does not write these.
 *
 * @category Admit Pods and Nodes
 */
export class OpenYurtWebhooks extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planOpenYurtWebhooks;
  /** The webhooks that are written, as the chart ships them, in its order. */
  declare public readonly webhooks: readonly OpenYurtWebhook[];

  /**
   * @param name name of the resource
   * @param args the cluster, and settings that differ from the chart
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: OpenYurtWebhooksArgs, options?: pulumi.ComponentResourceOptions) {
    super('OpenYurtWebhooks', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    this.webhooks = this.render(args, planOpenYurtWebhooks).attributes.webhooks;
    this.registerOutputs({});
  }
}
