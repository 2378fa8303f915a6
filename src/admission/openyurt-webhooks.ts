import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import { type Plan, type PlannedObject, shownWarning } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning } from '../base/errors.js';
import { claimAdmissionNames } from './admission-names.js';
import { chosenWebhooks, openYurtWebhookConfiguration, openYurtWebhookWarnings } from './configurations.js';
import { checkOpenYurtWebhooks } from './openyurt-webhooks-checks.js';
import type { OpenYurtWebhooksProps } from './openyurt-webhooks-props.js';

/** Attributes of OpenYurtWebhooks. */
export interface OpenYurtWebhooksAttributes {
  /** The webhooks that are written, as the chart ships them, in its order. */
  readonly webhooks: readonly OpenYurtWebhook[];
  /** Warnings about webhooks that can lock the cluster while yurt-manager is down. */
  readonly warnings: readonly EdgeWarning[];
}

const ONCE = {
  path: ['cluster'],
  hint: 'remove one of them: a cluster has these two objects only once (or give each EdgeCluster a name, if these are two clusters)',
};

/**
 * Plans the webhook configurations of yurt-manager.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planOpenYurtWebhooks(props: OpenYurtWebhooksProps, scope: Scope): Plan<OpenYurtWebhooksAttributes> {
  const problems = problemsOf(scope);
  const subject = `OpenYurtWebhooks ${scope.path}`;
  checkOpenYurtWebhooks(props ?? {}, problems);
  problems.throwIfAny(subject);
  const objects = (['mutating', 'validating'] as const).map((type): PlannedObject => ({
    object: openYurtWebhookConfiguration(type, props),
    apply: 'create',
    id: type,
  }));
  claimAdmissionNames(scope, props.cluster, objects, ONCE, problems);
  problems.throwIfAny(subject);
  const warnings = openYurtWebhookWarnings(props);
  return {
    subject,
    objects,
    cluster: props.cluster,
    attributes: { webhooks: chosenWebhooks(props), warnings: warnings.map(shownWarning) },
    warnings,
    artifacts: [],
  };
}
