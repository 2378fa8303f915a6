import * as pulumi from '@pulumi/pulumi';
import { JoinToken } from '../join/join-token.js';
import { EdgeError } from '../base/errors.js';
import { logError } from './log.js';
import { isOutput, unknownOf } from './outputs.js';

/**
 * A join token: a {@link JoinToken}, or the token itself as an Output, for example `config.requireSecret('joinToken')`. An Output is always treated as a
 * secret. Plain text is refused (EDGE_TYPE): write `JoinToken.inline(…)` for a token that is not an Output.
 *
 * @category Join nodes
 */
export type JoinTokenInput = JoinToken | pulumi.Output<string>;

/** An Output of a JoinToken has no text: what it refers to would be known too late for the files of the join. */
function refuseReference(value: unknown): string {
  // pulumi.output makes a plain map of any instance
  if (typeof value === 'object' && value !== null && 'source' in value) {
    // what the plan says of it is redacted, as what it says of any secret
    logError(
      new EdgeError('NodeJoin', [
        {
          code: 'EDGE_TYPE',
          path: 'token',
          message: 'this is an Output of a JoinToken',
          hint: 'write the JoinToken itself, without pulumi.output or pulumi.secret; or the token as an Output of text',
        },
      ]),
    );
  }
  return value as string;
}

/** A token of arguments, for the plan and for the state. In the state it is a secret or a reference, even if the plan refuses the token. */
export function joinTokenInput(token: unknown): { readonly planned: unknown; readonly recorded: unknown } {
  if (isOutput(token)) {
    const secret = (pulumi.secret(token) as pulumi.Output<unknown>).apply(refuseReference);
    return { planned: JoinToken.unchecked(unknownOf(secret)), recorded: secret };
  }
  return { planned: token, recorded: token instanceof JoinToken ? token : undefined };
}
