import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { MachineSeed } from '../join/machine-seed.js';
import { planNodeJoin, unwrittenWarning } from '../join/node-join.js';
import type { NodeFile } from '../join/node-file.js';
import type { NodeJoinProps } from '../join/node-join-props.js';
import type { EdgeWarning } from '../base/errors.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * The files and the script with which a machine joins a pool: the loopback CNI, the reserved resources, and the join by kubeadm or yurtadm. The kubelet
 * registers the Node with the labels of the pool, so no Pod can be scheduled to it before it has them.
 *
 * `ApiObject.of(join)` is the ConfigMap or Secret, if the join is published.
 *
 * @category Join nodes
 */
export class NodeJoin extends Construct {
  /** The whole cloud-config; its first line is `#cloud-config`. It contains the token only if the token is inline. */
  public readonly userData: string;
  /** The same compressed with gzip, in base64, for the API of a provider; undefined without `gzip: true`. */
  public readonly userDataGzipBase64?: string;
  /** The same join as a POSIX script, for machines without cloud-init. */
  public readonly script: string;
  /** The Ignition config, with `format: 'ignition'`; with `machines`, the part that they share. */
  public readonly ignition?: string;
  /** The files of the join, in the order in which they are written. */
  public readonly files: readonly Required<NodeFile>[];
  /** The JoinConfiguration of kubeadm, with a placeholder instead of the token unless the token is inline. Empty with yurtadm, which writes its own. */
  public readonly joinConfiguration: Readonly<Record<string, unknown>>;
  /** SHA-256 of the published content, 64 hex digits. Of an inline token it includes only the id, not the secret half. */
  public readonly contentHash: string;
  /** The script that resets such a node. Run it on the node after `kubectl drain` and `kubectl delete node`. */
  public readonly leaveScript: string;
  /** The script that says what a machine lacks for this join, in one table; its exit status is 1 if anything is missing. It changes nothing. */
  public readonly preflightScript: string;
  /**
   * The script that gives a node of the pool the settings of this join, without joining again; undefined with yurtadm. It contains no token. Run it as root on
   * the node: `ssh root@NODE sh -s < file`. It restarts only what changed, and takes its changes back if kubelet is not healthy with them. Then the Node has
   * the label `edge-nodepools/join` of this join.
   */
  public readonly updateScript?: string;
  /** What only one machine has, for each of `machines`: the files of a seed folder besides the user-data. */
  public readonly seeds: readonly MachineSeed[];
  /** Name of the ConfigMap or Secret; undefined if the join is not published. */
  public readonly publishedName?: string;
  /** What writeArtifacts tells of it. @internal */
  public readonly unwritten?: EdgeWarning;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, the token, and how the node joins
   * @throws {@link EdgeError} with all problems at once: EDGE_API_SERVER, EDGE_CA_CERT_HASH, EDGE_TOKEN, EDGE_JOIN, EDGE_KUBELET_FLAG, EDGE_SIZE,
   * EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_ARTIFACT, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING
   * or EDGE_UNKNOWN_PROPERTY. No message contains a token
   */
  constructor(scope: Construct, id: string, props: NodeJoinProps) {
    super(parentOf(scope, id, 'NodeJoin', props), id);
    const { attributes } = render(this, planNodeJoin(props ?? {}, scopeOf(this, Chart.of(this).namespace), Date.now()));
    this.userData = attributes.userData;
    this.userDataGzipBase64 = attributes.userDataGzipBase64;
    this.script = attributes.script;
    this.ignition = attributes.ignition;
    this.files = attributes.files;
    this.joinConfiguration = attributes.joinConfiguration;
    this.contentHash = attributes.contentHash;
    this.leaveScript = attributes.leaveScript;
    this.updateScript = attributes.updateScript;
    this.preflightScript = attributes.preflightScript;
    this.seeds = attributes.seeds;
    this.publishedName = attributes.publishedName;
    this.unwritten = unwrittenWarning(props);
  }
}
