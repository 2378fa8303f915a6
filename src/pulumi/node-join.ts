import * as pulumi from '@pulumi/pulumi';
import { planNodeJoin } from '../join/node-join.js';
import type { NodeFile } from '../join/node-file.js';
import type { NodeJoinSettings } from '../join/node-join-props.js';
import type { YurtadmSettings } from '../join/yurtadm-join.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { type JoinTokenInput, joinTokenInput } from './join-token-input.js';
import type { INodePool } from './node-pool.js';

/**
 * Arguments of a {@link NodeJoin}.
 *
 * @category Join nodes
 */
export interface NodeJoinArgs extends WithInputs<Omit<NodeJoinSettings, 'token' | 'yurtadm'>, 'via' | 'publish'> {
  /** The pool that the node joins. Its cluster has the address of the API server, and the hash of its CA. */
  readonly pool: INodePool;
  /** Settings of yurtadm, for `via: 'yurtadm'`.
   * @default - membership by label */
  readonly yurtadm?: WithInputs<YurtadmSettings, 'membership'>;
  /** Where the node finds its token, or the token as a secret. */
  readonly token: JoinTokenInput;
}

/**
 * Everything with which a machine becomes a node of a pool: the loopback CNI, what the node reserves for itself, the join by kubeadm or yurtadm. The
 * labels of the pool are in the very request that makes the Node, before any Pod can be placed there.
 *
 * With a token of its own (inline, or as an Output) everything that holds it is a secret: `userData`, `script`, `files`, `joinConfiguration`. Pass
 * `userData` to the resource of a machine as it is; name that property in `additionalSecretOutputs` there, because not every provider keeps the mark.
 * Any other secret among the arguments is a secret in the state, too; but a published join is a ConfigMap unless it holds a token, and there it can be
 * read: `publish: false` leaves it out.
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
  /** SHA-256 of what is published, 64 hex digits, computed without the secret half of the token. */
  public readonly contentHash!: pulumi.Output<string>;
  /** The script with which such a node leaves. */
  public readonly leaveScript!: pulumi.Output<string>;
  /** The ConfigMap or Secret that publishes the join; undefined when it is not published. */
  public readonly published?: pulumi.CustomResource;
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
    const token = joinTokenInput(args?.token);
    super('NodeJoin', name, { ...args, token: token.recorded }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { answers, output, resources } = this.render({ ...args, token: token.planned }, planNodeJoin);
    const guarded = <T>(part: T): pulumi.Output<T> =>
      answers.holdsToken ? (pulumi.secret(output(part)) as unknown as pulumi.Output<T>) : output(part);
    this.userData = guarded(answers.userData);
    this.userDataBase64 = this.userData.apply((text) => Buffer.from(text, 'utf8').toString('base64'));
    this.script = guarded(answers.script);
    this.files = guarded(answers.files as Required<NodeFile>[]);
    this.joinConfiguration = guarded(answers.joinConfiguration);
    this.contentHash = output(answers.contentHash);
    this.leaveScript = output(answers.leaveScript);
    this.artifacts = guarded(answers.artifacts as EdgeArtifact[]);
    this.published = answers.publishedName === undefined ? undefined : resources[0];
    const { userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript } = this;
    this.registerOutputs({ userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript });
  }
}
