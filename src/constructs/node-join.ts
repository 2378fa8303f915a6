import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { planNodeJoin } from '../join/node-join.js';
import type { NodeFile } from '../join/node-file.js';
import type { NodeJoinSettings } from '../join/node-join-props.js';
import type { INodePool } from './node-pool.js';
import { render, scopeOf } from './render.js';

/**
 * Properties of a {@link NodeJoin}.
 *
 * @category Join nodes
 */
export interface NodeJoinProps extends NodeJoinSettings {
  /** The pool that the node joins. Its cluster has the address of the API server, and the hash of its CA. */
  readonly pool: INodePool;
}

/**
 * Everything with which a machine becomes a node of a pool: the loopback CNI, what the node reserves for itself, the join by kubeadm or yurtadm. The
 * labels of the pool are in the very request that makes the Node, before any Pod can be placed there.
 *
 * `ApiObject.of(join)` is the ConfigMap, where there is one.
 *
 * @category Join nodes
 */
export class NodeJoin extends Construct {
  /** The whole cloud-config; its first line is `#cloud-config`. Holds the token only if it is inline. */
  public readonly userData: string;
  /** The same as a POSIX script, for machines without cloud-init. */
  public readonly script: string;
  /** The files of the join, in the order in which they are written. */
  public readonly files: readonly Required<NodeFile>[];
  /** The JoinConfiguration of kubeadm. A placeholder takes the place of the token unless it is inline. Empty with yurtadm, which writes its own. */
  public readonly joinConfiguration: Readonly<Record<string, unknown>>;
  /** SHA-256 of what is published, 64 hex digits, computed without the secret half of the token: of an inline one it includes the id. */
  public readonly contentHash: string;
  /** The script with which such a node leaves. */
  public readonly leaveScript: string;
  /** Name of the ConfigMap or Secret; undefined when the join is not published. */
  public readonly publishedName?: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, the token, and how the node joins
   * @throws {@link EdgeError} with all problems at once: EDGE_API_SERVER, EDGE_CA_CERT_HASH, EDGE_TOKEN, EDGE_JOIN, EDGE_KUBELET_FLAG, EDGE_SIZE,
   * EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_ARTIFACT, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING
   * or EDGE_UNKNOWN_PROPERTY. No message holds a token
   */
  constructor(scope: Construct, id: string, props: NodeJoinProps) {
    super(scope, id);
    const { answers } = render(this, planNodeJoin(props ?? {}, scopeOf(this, Chart.of(this).namespace)));
    this.userData = answers.userData;
    this.script = answers.script;
    this.files = answers.files;
    this.joinConfiguration = answers.joinConfiguration;
    this.contentHash = answers.contentHash;
    this.leaveScript = answers.leaveScript;
    this.publishedName = answers.publishedName;
  }
}
