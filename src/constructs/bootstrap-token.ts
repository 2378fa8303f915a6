import { Construct } from 'constructs';
import { type BootstrapTokenProps, planBootstrapToken } from '../join/bootstrap-token.js';
import { render, scopeOf } from './render.js';

/**
 * The Secret that makes a bootstrap token known to the cluster, with an expiration, usages and groups. It holds the token: keep the synthesized YAML
 * as you keep the token. A token that lives longer than a day is a warning.
 *
 * `ApiObject.of(token)` is the Secret.
 *
 * @category Join nodes
 */
export class BootstrapToken extends Construct {
  /** Name of the Secret, `bootstrap-token-` and the public half of the token. */
  public readonly secretName: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the token, and when it ends
   * @throws {@link EdgeError} with EDGE_TOKEN, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY; no message holds the token
   */
  constructor(scope: Construct, id: string, props: BootstrapTokenProps) {
    super(scope, id);
    this.secretName = render(this, planBootstrapToken(props, scopeOf(this), Date.now())).answers.secretName;
  }
}
