import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { BootstrapTokenProps } from '../join/bootstrap-token-secret.js';
import { planBootstrapToken } from '../join/bootstrap-token.js';
import { declarationOf } from './tree-fleets.js';
import { EdgeWarnings } from './warnings.js';

/**
 * The Secret that makes a bootstrap token known to the cluster, with an end, usages and groups. It holds the token: keep the synthesized YAML
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
    const { secret, warnings } = planBootstrapToken(props, Date.now(), declarationOf(this));
    this.secretName = secret.metadata?.name as string;
    new ApiObject(this, 'Resource', secret);
    EdgeWarnings.add(this, warnings);
  }
}
