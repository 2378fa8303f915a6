import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type BootstrapTokenProps, planBootstrapToken } from '../join/bootstrap-token.js';
import type { Scope } from '../cluster/scope.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { type JoinTokenInput, joinTokenInput } from './join-token-input.js';

/**
 * Arguments of a {@link BootstrapToken}.
 *
 * @category Join nodes
 */
export interface BootstrapTokenArgs extends WithInputs<Omit<BootstrapTokenProps, 'token'>> {
  /** The token: an Output, which is always treated as a secret, or `JoinToken.inline(…)`. */
  readonly token: JoinTokenInput;
}

/**
 * The Secret of a bootstrap token in kube-system, with its expiration, usages and groups. The token is also a secret in the state. A token that is valid
 * for more than a day is a warning (EDGE_TOKEN_TTL).
 *
 * @category Join nodes
 */
export class BootstrapToken extends EdgeComponent {
  /** The Secret. */
  declare public readonly resource: k8s.core.v1.Secret;
  /** Name of the Secret: `bootstrap-token-` and the token id. */
  declare public readonly secretName: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the token and its expiration
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER; no message contains the token
   */
  constructor(name: string, args: BootstrapTokenArgs, options?: pulumi.ComponentResourceOptions) {
    const token = joinTokenInput(args?.token);
    super('BootstrapToken', name, { ...args, token: token.recorded }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const now = Date.now();
    const plan = (props: BootstrapTokenProps, scope: Scope): ReturnType<typeof planBootstrapToken> =>
      planBootstrapToken(props, scope, now);
    const { attributes, output, resources } = this.render({ ...args, token: token.planned }, plan);
    this.resource = resources[0] as k8s.core.v1.Secret;
    this.secretName = output(attributes.secretName);
    this.registerOutputs({ secretName: this.secretName });
  }
}
