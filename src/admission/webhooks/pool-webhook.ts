import { type EdgeWarning, ProblemList } from '../../errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { checkPoolWebhook, poolWebhookManifest, poolWebhookWarnings } from './pool-webhook-manifest.js';
import type { PoolWebhookProps } from './pool-webhook-props.js';
import { claimAdmissionNames } from '../admission-names.js';
import type { Declaration } from '../../cluster/fleet.js';

const OWN_NAME = { path: ['metadata', 'name'], hint: 'give one of them another name, or remove one' };

/**
 * Plans a webhook configuration for a server of the user's own.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolWebhook(
  props: PoolWebhookProps,
  declaration: Declaration,
): { readonly manifest: KubernetesObject; readonly warnings: readonly EdgeWarning[] } {
  const problems = new ProblemList();
  checkPoolWebhook(props ?? {}, problems);
  // a name that is made from the place in the tree is taken once
  const named = problems.problems.length > 0 || props.metadata?.name === undefined ? [] : [poolWebhookManifest(props)];
  claimAdmissionNames(declaration, props?.cluster, named, OWN_NAME, problems);
  problems.throwIfAny(`PoolWebhook ${declaration.path}`);
  return { manifest: poolWebhookManifest(props), warnings: poolWebhookWarnings(props) };
}
