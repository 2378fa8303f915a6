import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ProblemList } from '../errors.js';
import {
  type BootstrapTokenProps,
  bootstrapTokenSecret,
  bootstrapTokenWarnings,
  checkBootstrapToken,
} from '../manifests/join/bootstrap-token.js';
import { JoinToken } from '../manifests/join/join-token.js';
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
    const problems = new ProblemList();
    checkBootstrapToken(props, problems);
    problems.throwIfAny(`BootstrapToken ${this.node.path}`);
    const secret = bootstrapTokenSecret(props, JoinToken.textOf(props.token) as string);
    this.secretName = secret.metadata?.name as string;
    new ApiObject(this, 'Resource', secret);
    EdgeWarnings.add(this, bootstrapTokenWarnings(props, Date.now()));
  }
}
