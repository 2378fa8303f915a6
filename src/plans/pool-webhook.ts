import { type EdgeWarning, ProblemList } from '../errors.js';
import type { KubernetesObject } from '../manifests/kubernetes-object.js';
import { checkPoolWebhook, poolWebhookManifest, poolWebhookWarnings } from '../manifests/pool-webhook.js';
import type { PoolWebhookProps } from '../manifests/pool-webhook-props.js';
import type { Declaration } from './fleet.js';

/**
 * Plans a webhook configuration for a server of the user's own.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolWebhook(
  props: PoolWebhookProps,
  { path }: Declaration,
): { readonly manifest: KubernetesObject; readonly warnings: readonly EdgeWarning[] } {
  const problems = new ProblemList();
  checkPoolWebhook(props ?? {}, problems);
  problems.throwIfAny(`PoolWebhook ${path}`);
  return { manifest: poolWebhookManifest(props), warnings: poolWebhookWarnings(props) };
}
