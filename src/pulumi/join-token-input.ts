import * as pulumi from '@pulumi/pulumi';
import { JoinToken } from '../join/join-token.js';
import { isOutput, unknownOf } from './outputs.js';

/**
 * A join token: a reference, or the token itself as an Output, for example `config.requireSecret('joinToken')`. It is always treated as a secret. Plain
 * text is refused; write `JoinToken.inline(…)` if it must be.
 *
 * @category Join nodes
 */
export type JoinTokenInput = JoinToken | pulumi.Output<string>;

/** A token among arguments: for the plan, and for the state, in which nothing can be read, also if the token is refused in the next moment. */
export function joinTokenInput(token: unknown): { readonly planned: unknown; readonly recorded: unknown } {
  if (isOutput(token)) {
    const secret = pulumi.secret(token);
    return { planned: JoinToken.unchecked(unknownOf(secret)), recorded: secret };
  }
  return { planned: token, recorded: token instanceof JoinToken ? token : undefined };
}
