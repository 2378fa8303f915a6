import * as pulumi from '@pulumi/pulumi';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { PoolWebhookProps } from '../admission/webhooks/pool-webhook-props.js';
import { planPoolWebhook } from '../admission/webhooks/pool-webhook.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { resourceOf } from './resource.js';

/**
 * Arguments of a {@link PoolWebhook}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolWebhookArgs extends WithInputs<PoolWebhookProps> {}

/**
 * A webhook configuration for an admission server of your own, for Nodes, Pods, NodePools or anything else. It makes no server.
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
    const planned = this.planned(args, planPoolWebhook);
    const object = this.attempt(() => planned.lift(({ manifest }) => manifest, 2)) as KubernetesObject;
    this.resource = resourceOf(name, object, { parent: this });
    this.configurationName = pulumi.output(planned.lift(({ manifest }) => manifest.metadata?.name) as string);
    this.warn(
      args.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    this.registerOutputs({ configurationName: this.configurationName });
  }
}
