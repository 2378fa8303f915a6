import type * as pulumi from '@pulumi/pulumi';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks/openyurt-webhooks.js';
import type { OpenYurtWebhooksProps } from '../admission/openyurt-webhooks/openyurt-webhooks-props.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link OpenYurtWebhooks}. What determines which webhooks are written is plain.
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhooksArgs extends WithInputs<
  OpenYurtWebhooksProps,
  'cluster' | 'exclude' | 'controllers' | 'disableIndependentWebhooks'
> {}

/**
 * The two webhook configurations of yurt-manager, as the chart of the cluster's OpenYurt release ships them, with what the chart cannot set:
 * timeouts, selectors, matchConditions and other failure policies. yurt-manager completes them when it starts; none of that is written here.
 *
 * @category Admit Pods and Nodes
 */
export class OpenYurtWebhooks extends EdgeComponent {
  /** The webhooks that are written, as the chart ships them, in its order. */
  public readonly webhooks!: readonly OpenYurtWebhook[];

  /**
   * @param name name of the resource
   * @param args the cluster, and what is to differ from the chart
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_NO_OPENYURT, EDGE_MATCH_CONDITIONS, EDGE_CONTRADICTION, EDGE_VALUE, EDGE_NAME,
   * EDGE_LABEL, EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: OpenYurtWebhooksArgs, options?: pulumi.ComponentResourceOptions) {
    super('OpenYurtWebhooks', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    this.webhooks = this.render(args, planOpenYurtWebhooks).answers.webhooks;
    this.registerOutputs({});
  }
}
