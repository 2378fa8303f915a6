import { Construct } from 'constructs';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks/openyurt-webhooks.js';
import type { OpenYurtWebhooksProps } from '../admission/openyurt-webhooks/openyurt-webhooks-props.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import type { EdgeWarning } from '../errors.js';
import { render, scopeOf } from './render.js';

/**
 * The two webhook configurations of yurt-manager, as the chart of the cluster's OpenYurt release ships them, with what the chart cannot
 * set: timeouts, selectors, matchConditions and other failure policies. The webhooks themselves are those of the chart, one by one.
 *
 * yurt-manager completes them when it starts and watches them from then on: it writes `caBundle` and the namespace of the Service, and
 * removes entries that it does not serve (see `controllers`). None of it is written here, so that server-side apply never fights with it.
 * It takes the webhooks from the annotation `yurt-manager-template`, which is why this annotation is written too (see `template`).
 *
 * Where the chart was installed by Helm, Helm owns the two objects: see docs/webhooks.md for how to take them over.
 *
 * @category Admit Pods and Nodes
 */
export class OpenYurtWebhooks extends Construct {
  /** The webhooks that are written, as the chart ships them, in its order. */
  public readonly webhooks: readonly OpenYurtWebhook[];
  /** What can lock the cluster while yurt-manager is down; also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is to differ from the chart
   * @throws {@link EdgeError} with all problems at once: EDGE_NO_OPENYURT, EDGE_MATCH_CONDITIONS, EDGE_CONTRADICTION, EDGE_VALUE, EDGE_NAME,
   * EDGE_LABEL, EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: OpenYurtWebhooksProps) {
    super(scope, id);
    const { answers } = render(this, planOpenYurtWebhooks(props, scopeOf(this)));
    this.webhooks = answers.webhooks;
    this.warnings = answers.warnings;
  }
}
