import { type EdgeWarning, ProblemList } from '../../errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { chosenWebhooks, openYurtWebhookConfiguration, openYurtWebhookWarnings } from './configurations.js';
import { checkOpenYurtWebhooks, type OpenYurtWebhooksProps } from './props.js';
import type { OpenYurtWebhook } from '../../cluster/openyurt-webhook.js';
import { claimAdmissionNames } from '../admission-names.js';
import type { Declaration } from '../../cluster/fleet.js';

/** The webhook configurations of yurt-manager. */
export interface OpenYurtWebhooksPlan {
  readonly objects: readonly KubernetesObject[];
  readonly webhooks: readonly OpenYurtWebhook[];
  readonly warnings: readonly EdgeWarning[];
}

const ONCE = {
  path: ['cluster'],
  hint: 'remove one of them: a cluster has these two objects once (or give each EdgeCluster a name, if these are two clusters)',
};

/**
 * Plans the webhook configurations of yurt-manager.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planOpenYurtWebhooks(props: OpenYurtWebhooksProps, declaration: Declaration): OpenYurtWebhooksPlan {
  const problems = new ProblemList();
  checkOpenYurtWebhooks(props ?? {}, problems);
  const objects =
    problems.problems.length > 0
      ? []
      : (['mutating', 'validating'] as const).map((type) => openYurtWebhookConfiguration(type, props));
  claimAdmissionNames(declaration, props?.cluster, objects, ONCE, problems);
  problems.throwIfAny(`OpenYurtWebhooks ${declaration.path}`);
  return { objects, webhooks: chosenWebhooks(props), warnings: openYurtWebhookWarnings(props) };
}
