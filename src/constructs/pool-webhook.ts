import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { planPoolWebhook } from '../admission/pool-webhook.js';
import type { PoolWebhookProps } from '../admission/pool-webhook-props.js';
import type { EdgeWarning } from '../base/errors.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A webhook configuration for your own admission server, for Nodes, Pods, NodePools or other resources. It does not create the server. The configuration is
 * checked at synth as the API server checks it, except for the syntax of CEL expressions.
 *
 * Without `failurePolicy`, a webhook gets `Ignore` if its rules match requests that the server needs to start again: Pods and Nodes with their subresources,
 * bindings, ServiceAccount tokens, CertificateSigningRequests, workloads of `apps`, Endpoints, EndpointSlices and Leases. Other webhooks get `Fail`.
 *
 * `ApiObject.of(webhook)` is the object, for patches.
 *
 * @category Admit Pods and Nodes
 */
export class PoolWebhook extends Construct {
  /** Name of the configuration object. */
  public readonly configurationName: string;
  /** Warnings about webhooks that can lock the cluster while the server is down, or that cannot work; also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the webhooks
   * @throws {@link EdgeError} with all problems at once: EDGE_WEBHOOK, EDGE_CA_BUNDLE, EDGE_MATCH_CONDITIONS, EDGE_NO_OPENYURT,
   * EDGE_CONTRADICTION, EDGE_DUPLICATE, EDGE_VALUE, EDGE_NAME, EDGE_PORT, EDGE_LABEL, EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_TYPE,
   * EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: PoolWebhookProps) {
    super(parentOf(scope, id, 'PoolWebhook', props), id);
    this.warnings = render(this, planPoolWebhook(props, scopeOf(this))).attributes.warnings;
    this.configurationName = ApiObject.of(this).name;
  }
}
