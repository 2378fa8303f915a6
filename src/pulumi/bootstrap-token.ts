import * as pulumi from '@pulumi/pulumi';
import type { BootstrapTokenProps } from '../join/bootstrap-token-secret.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { planBootstrapToken } from '../join/bootstrap-token.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { type JoinTokenInput, recordedToken, tokenInput, tokenOf } from './node-join.js';
import { resourceOf } from './resource.js';

/**
 * Arguments of a {@link BootstrapToken}.
 *
 * @category Join nodes
 */
export interface BootstrapTokenArgs extends WithInputs<Omit<BootstrapTokenProps, 'token'>> {
  /** The token: as a secret that is known later, or `JoinToken.inline(…)`. */
  readonly token: JoinTokenInput;
}

/**
 * The Secret that makes a bootstrap token known to the cluster, with an end, usages and groups. The token is a secret in the state, too. A token that
 * lives longer than a day is a warning.
 *
 * @category Join nodes
 */
export class BootstrapToken extends EdgeComponent {
  /** The Secret. */
  public readonly resource!: pulumi.CustomResource;
  /** Name of the Secret, `bootstrap-token-` and the public half of the token. */
  public readonly secretName!: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the token, and when it ends
   * @param options options of the component
   * @throws InputPropertiesError with EDGE_TOKEN, EDGE_VALUE, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY; no message holds the token
   */
  constructor(name: string, args: BootstrapTokenArgs, options?: pulumi.ComponentResourceOptions) {
    const token = tokenInput(args?.token);
    super('BootstrapToken', name, { ...args, token: recordedToken(token) }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const now = Date.now();
    const planned = this.planned({ ...args, token }, (props: BootstrapTokenProps, declaration) =>
      planBootstrapToken({ ...props, token: tokenOf(props.token, `BootstrapToken ${name}`) }, now, declaration),
    );
    const object = this.attempt(() => planned.lift(({ secret }) => secret, 1)) as KubernetesObject;
    this.resource = resourceOf(name, object, { parent: this });
    this.secretName = pulumi.output(planned.lift(({ secret }) => secret.metadata?.name) as string);
    this.warnAlone(planned.warnings(({ warnings }) => warnings));
    this.registerOutputs({ secretName: this.secretName });
  }
}
