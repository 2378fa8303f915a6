import { type EdgeWarning, ProblemList } from '../errors.js';
import {
  type BootstrapTokenProps,
  bootstrapTokenSecret,
  bootstrapTokenWarnings,
  checkBootstrapToken,
} from './bootstrap-token-secret.js';
import { JoinToken } from './join-token.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Declaration } from '../cluster/fleet.js';

/**
 * Plans the Secret of a bootstrap token.
 *
 * @param now the time, in milliseconds since 1970, from which on a long life is counted
 * @throws {@link EdgeError} with all problems at once
 */
export function planBootstrapToken(
  props: BootstrapTokenProps,
  now: number,
  { path }: Declaration,
): { readonly secret: KubernetesObject; readonly warnings: readonly EdgeWarning[] } {
  const problems = new ProblemList();
  checkBootstrapToken(props, problems);
  problems.throwIfAny(`BootstrapToken ${path}`);
  return {
    secret: bootstrapTokenSecret(props, JoinToken.textOf(props.token) as string),
    warnings: bootstrapTokenWarnings(props, now),
  };
}
