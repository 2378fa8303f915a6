import { Construct } from 'constructs';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks.js';
import type { OpenYurtWebhooksProps } from '../admission/openyurt-webhooks-props.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import type { EdgeWarning } from '../base/errors.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * The two webhook configurations of yurt-manager, with the webhooks of the chart of the cluster's OpenYurt release, and with settings that the chart does not
 * have: timeouts, selectors, matchConditions and other failure policies.
 *
 * When it starts, yurt-manager completes the two objects, and then watches them: it writes `caBundle` and the namespace of the Service, and removes entries
 * that it does not serve (see `controllers`). This construct does not write these fields, but the annotation `yurt-manager-template`, from which yurt-manager
 * reads the webhooks (see `template`).
 *
 * If the chart was installed by Helm, Helm owns the two objects: docs/webhooks.md describes how to take them over.
 *
 * @category Admit Pods and Nodes
 */
export class OpenYurtWebhooks extends Construct {
  /** The webhooks that are written, as the chart ships them, in its order. */
  public readonly webhooks: readonly OpenYurtWebhook[];
  /** Warnings about webhooks that can lock the cluster while yurt-manager is down; also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and settings that differ from the chart
   * @throws {@link EdgeError} with all problems at once: EDGE_NO_OPENYURT, EDGE_MATCH_CONDITIONS, EDGE_CONTRADICTION, EDGE_VALUE, EDGE_NAME,
   * EDGE_LABEL, EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: OpenYurtWebhooksProps) {
    super(parentOf(scope, id, 'OpenYurtWebhooks', props), id);
    const { attributes } = render(this, planOpenYurtWebhooks(props, scopeOf(this)));
    this.webhooks = attributes.webhooks;
    this.warnings = attributes.warnings;
  }
}
