import * as pulumi from '@pulumi/pulumi';
import { EdgeError } from '../errors.js';
import type { NodeFile } from '../join/node-file.js';
import { isTokenText, JoinToken } from '../join/join-token.js';
import type { JoinPool } from '../join/join-props.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { type NodeJoinPlan, type NodeJoinSettings, planNodeJoin } from '../join/node-join.js';
import { childName } from './child-name.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { declarationOfPool, type INodePool, poolOf } from './node-pool.js';
import { resourceOf } from './resource.js';
import { isKnownLater } from './stand-in.js';

/**
 * A join token: a reference, or the token itself as a secret that is known later, for example `config.requireSecret('joinToken')`. Plain text is
 * refused; write `JoinToken.inline(…)` if it must be.
 *
 * @category Join nodes
 */
export type JoinTokenInput = JoinToken | pulumi.Output<string>;

/**
 * Arguments of a {@link NodeJoin}.
 *
 * @category Join nodes
 */
export interface NodeJoinArgs extends WithInputs<Omit<NodeJoinSettings, 'token'>> {
  /** The pool that the node joins. Its cluster says where the API server is, and by which hash its CA is known. */
  readonly pool: INodePool;
  /** Where the node finds its token, or the token as a secret. */
  readonly token: JoinTokenInput;
}

/** The token for a plan. What is known later is a token, and a secret; plain text is none, and the rules say so. */
export function tokenInput(token: unknown): unknown {
  return isKnownLater(token) ? pulumi.secret(token) : typeof token === 'string' ? [token] : token;
}

/** The token for the state: nothing there can be read, also if it is refused in the next moment. */
export function recordedToken(token: unknown): unknown {
  return isKnownLater(token) || token instanceof JoinToken ? token : undefined;
}

/**
 * The token inside of a plan.
 *
 * @throws {@link EdgeError} with EDGE_TOKEN; the message does not hold the value
 */
export function tokenOf(token: unknown, subject: string): JoinToken {
  if (token instanceof JoinToken || token === undefined || Array.isArray(token)) {
    return token as JoinToken;
  }
  if (!isTokenText(token)) {
    throw new EdgeError(subject, [
      {
        code: 'EDGE_TOKEN',
        path: 'token',
        message: 'this is not a bootstrap token (it is not shown here)',
        hint: "write six and sixteen of a to z and 0 to 9 with a '.' between, as 'kubeadm token generate' prints",
      },
    ]);
  }
  return JoinToken.inline(token);
}

/**
 * Everything with which a machine becomes a node of a pool: the loopback CNI, what kubelet keeps for itself, the join by kubeadm or yurtadm. The
 * labels of the pool are in the very request that makes the Node, before any Pod can be placed there.
 *
 * With a token of its own (inline, or as an Output) everything that holds it is a secret: `userData`, `script`, `files`, `joinConfiguration`. Hand
 * `userData` to the resource of a machine as it is; name that property in `additionalSecretOutputs` there, because not every provider keeps the mark.
 * Anything else that is handed over as a secret is one in the state, too; but a join that is published is a ConfigMap unless it holds a token, and
 * there it can be read: `publish: false` leaves it out.
 *
 * @category Join nodes
 */
export class NodeJoin extends EdgeComponent {
  /** The whole cloud-config; its first line is `#cloud-config`. */
  public readonly userData!: pulumi.Output<string>;
  /** The same in base64, as some clouds want it. */
  public readonly userDataBase64!: pulumi.Output<string>;
  /** The same as a POSIX script, for machines without cloud-init. */
  public readonly script!: pulumi.Output<string>;
  /** The files of the join, in the order in which they are written. */
  public readonly files!: pulumi.Output<Required<NodeFile>[]>;
  /** The JoinConfiguration of kubeadm. Empty with yurtadm, which writes its own. */
  public readonly joinConfiguration!: pulumi.Output<Record<string, unknown>>;
  /** SHA-256 of what is published, 64 hex digits, reckoned without the secret half of the token. */
  public readonly contentHash!: pulumi.Output<string>;
  /** The script with which such a node leaves. */
  public readonly leaveScript!: pulumi.Output<string>;
  /** The ConfigMap or Secret that publishes the join; undefined when it is not published. */
  public readonly snippet?: pulumi.CustomResource;
  /** The published join as a file, for tools that read files; empty when it is not published. */
  public readonly artifacts!: pulumi.Output<EdgeArtifact[]>;

  /**
   * @param name name of the resource
   * @param args the pool, the token, and how the node joins
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_API_SERVER, EDGE_CA_CERT_HASH, EDGE_TOKEN, EDGE_JOIN, EDGE_KUBELET_FLAG, EDGE_SIZE,
   * EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_ARTIFACT, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE,
   * EDGE_MISSING or EDGE_UNKNOWN_PROPERTY. No message holds a token
   */
  constructor(name: string, args: NodeJoinArgs, options?: pulumi.ComponentResourceOptions) {
    const token = tokenInput(args?.token);
    super('NodeJoin', name, { ...args, token: recordedToken(token) }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(
      { ...args, token, pool: declarationOfPool(args?.pool) },
      (props: NodeJoinSettings & { readonly pool: JoinPool }, declaration) =>
        planNodeJoin(
          { ...props, token: tokenOf(props.token, `NodeJoin ${name}`), pool: poolOf(props.pool) },
          'kube-system',
          declaration,
        ),
    );
    const holdsToken = pulumi.Output.isInstance(token) || (token as JoinToken).kind === 'inline';
    const open = (select: (plan: NodeJoinPlan) => unknown): pulumi.Output<never> =>
      pulumi.output<unknown>(this.attempt(() => planned.lift(select)));
    const guarded = (select: (plan: NodeJoinPlan) => unknown): pulumi.Output<never> =>
      holdsToken ? pulumi.secret(open(select)) : open(select);
    this.userData = guarded(({ rendered }) => rendered.userData);
    this.userDataBase64 = this.userData.apply((text) => Buffer.from(text, 'utf8').toString('base64'));
    this.script = guarded(({ rendered }) => rendered.script);
    this.files = guarded(({ rendered }) => rendered.files);
    this.joinConfiguration = guarded(({ rendered }) => rendered.joinConfiguration);
    this.contentHash = open(({ contentHash }) => contentHash);
    this.leaveScript = open(({ leaveScript }) => leaveScript);
    this.artifacts = guarded(({ published }) => (published === undefined ? [] : [published.artifact]));
    if (planned.plan.published !== undefined) {
      const object = this.attempt(() => planned.lift(({ published }) => published?.object, 1)) as KubernetesObject;
      // a new join is a new object; the old one stays until the nodes that were made with it do not need it
      this.snippet = resourceOf(name, object, { parent: this, retainOnDelete: true });
    }
    this.makeInOrder(planned, ({ objects }) => objects, childName(name));
    this.warn(
      args.pool.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    const { userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript } = this;
    this.registerOutputs({ userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript });
  }
}
