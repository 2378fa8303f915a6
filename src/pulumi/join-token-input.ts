import * as pulumi from '@pulumi/pulumi';
import { JoinToken } from '../join/join-token.js';
import { isOutput, unknownOf } from './outputs.js';

/**
 * A join token: a {@link JoinToken}, or the token itself as an Output, for example `config.requireSecret('joinToken')`. An Output is always treated as a
 * secret. Plain text is refused (EDGE_TYPE): write `JoinToken.inline(…)` for a token that is not an Output.
 *
 * @category Join nodes
 */
export type JoinTokenInput = JoinToken | pulumi.Output<string>;

/** A token of arguments, for the plan and for the state. In the state it is a secret or a reference, even if the plan refuses the token. */
export function joinTokenInput(token: unknown): { readonly planned: unknown; readonly recorded: unknown } {
  if (isOutput(token)) {
    const secret = pulumi.secret(token);
    return { planned: JoinToken.unchecked(unknownOf(secret)), recorded: secret };
  }
  return { planned: token, recorded: token instanceof JoinToken ? token : undefined };
}
