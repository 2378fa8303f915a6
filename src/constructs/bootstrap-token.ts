import { Construct } from 'constructs';
import { type BootstrapTokenProps, planBootstrapToken } from '../join/bootstrap-token.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * The Secret of a bootstrap token in kube-system, with its expiration, usages and groups. The Secret contains the token, so the synthesized YAML must be
 * protected like the token. A token that is valid for more than a day is a warning (EDGE_TOKEN_TTL).
 *
 * `ApiObject.of(token)` is the Secret.
 *
 * @category Join nodes
 */
export class BootstrapToken extends Construct {
  /** Name of the Secret: `bootstrap-token-` and the token id. */
  public readonly secretName: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the token and its expiration
   * @throws {@link EdgeError} with EDGE_TOKEN, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY; no message contains the token
   */
  constructor(scope: Construct, id: string, props: BootstrapTokenProps) {
    super(parentOf(scope, id, 'BootstrapToken', props), id);
    this.secretName = render(this, planBootstrapToken(props, scopeOf(this), Date.now())).attributes.secretName;
  }
}
