import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Plan } from '../cluster/plan.js';
import type { Scope } from '../cluster/scope.js';
import type { KubeletArgument } from '../join/kubelet-arguments.js';
import type { MachineSeed } from '../join/machine-seed.js';
import { type NodeJoinAttributes, planNodeJoin } from '../join/node-join.js';
import type { NodeFile } from '../join/node-file.js';
import type { NodeJoinProps, PlainJoinSetting } from '../join/node-join-props.js';
import type { NodeProxy } from '../join/proxy.js';
import type { YurtadmSettings } from '../join/yurtadm-join.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { checkBoolean } from '../base/properties.js';
import { type Check, plain } from '../base/property-table.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { type JoinTokenInput, joinTokenInput } from './join-token-input.js';
import type { INodePool } from './node-pool.js';

/**
 * Arguments of a {@link NodeJoin}.
 *
 * @category Join nodes
 */
export interface NodeJoinArgs extends WithInputs<
  Omit<NodeJoinProps, 'pool' | 'token' | 'yurtadm' | 'staticPods' | 'proxy' | 'kubeletExtraArgs'>,
  PlainJoinSetting
> {
  /** The pool that the node joins. The address of the API server and the hashes of its CA are properties of its cluster. */
  readonly pool: INodePool;
  /** Settings of yurtadm, for `via: 'yurtadm'`.
   * @default - membership by label */
  readonly yurtadm?: WithInputs<YurtadmSettings, 'membership'>;
  /** Workloads that run as static Pods on each machine of the join: kubelet starts them from files, also after a reboot without an API server. A Pod, or a
   * DaemonSet, whose Pod it is; what a static Pod cannot have is refused.
   * @default - none */
  readonly staticPods?: NodeJoinProps['staticPods'];
  /** Additional flags of the kubelet. A list, in which a flag can occur several times, needs Kubernetes 1.31+.
   * @default - none */
  readonly kubeletExtraArgs?: Record<string, pulumi.Input<string>> | KubeletArgument[];
  /** HTTP proxies of the node.
   * @default - none */
  readonly proxy?: WithInputs<NodeProxy>;
  /** The bootstrap token, or a reference to it. */
  readonly token: JoinTokenInput;
  /** Whether a published ConfigMap stays in the cluster when the join changes or is destroyed, for machines that still read it; `pulumi destroy` says
   * "deleted" nevertheless. One that has stayed is adopted when the join is as it was again; this needs server-side apply, which providers use by default. A
   * Secret, which contains the token, never stays.
   * @default - true; false for a Secret */
  readonly retainPublished?: boolean;
}

/**
 * The files and the script with which a machine joins a pool: the loopback CNI, the reserved resources, and the join by kubeadm or yurtadm. The kubelet
 * registers the Node with the labels of the pool, so no Pod can be scheduled to it before it has them.
 *
 * If the token is inline or an Output, everything that contains it is a secret: `userData`, `userDataBase64`, `userDataGzipBase64`, `script`, `ignition`,
 * `files`, `joinConfiguration` and `artifacts`. Pass `userData` to the resource of a machine, and name the property of that resource in its `additionalSecretOutputs`, because not every
 * provider preserves secrets. Other secrets among the arguments are also secrets in the state. But a published join without a token is a ConfigMap, in
 * which they are plain text: `publish: false` prevents this.
 *
 * @category Join nodes
 */
export class NodeJoin extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planNow;
  /** The whole cloud-config; its first line is `#cloud-config`. */
  declare public readonly userData: pulumi.Output<string>;
  /** The same in base64, which some cloud providers require. */
  declare public readonly userDataBase64: pulumi.Output<string>;
  /** The same compressed with gzip, in base64; undefined without `gzip: true`. */
  declare public readonly userDataGzipBase64: pulumi.Output<string | undefined>;
  /** The same join as a POSIX script, for machines without cloud-init. */
  declare public readonly script: pulumi.Output<string>;
  /** The Ignition config, with `format: 'ignition'`; with `machines`, the part that they share. */
  declare public readonly ignition: pulumi.Output<string | undefined>;
  /** The files of the join, in the order in which they are written. */
  declare public readonly files: pulumi.Output<Required<NodeFile>[]>;
  /** The JoinConfiguration of kubeadm. Empty with yurtadm, which writes its own. */
  declare public readonly joinConfiguration: pulumi.Output<Record<string, unknown>>;
  /** SHA-256 of the published content, 64 hex digits. Of the token it includes only the id, not the secret half. */
  declare public readonly contentHash: pulumi.Output<string>;
  /** The script that resets such a node. Run it on the node after `kubectl drain` and `kubectl delete node`. */
  declare public readonly leaveScript: pulumi.Output<string>;
  /** The script that says what a machine lacks for this join, in one table; its exit status is 1 if anything is missing. It changes nothing. */
  declare public readonly preflightScript: pulumi.Output<string>;
  /**
   * The script that gives a node of the pool the settings of this join, without joining again; undefined with yurtadm. It contains no token. Run it as root on
   * the node: `ssh root@NODE sh -s < file`. It restarts only what changed, and takes its changes back if kubelet is not healthy with them. Then the Node has
   * the label `edge-nodepools/join` of this join.
   */
  declare public readonly updateScript: pulumi.Output<string | undefined>;
  /** What only one machine has, for each of `machines`: the files of a seed folder besides the user-data. */
  declare public readonly seeds: pulumi.Output<MachineSeed[]>;
  /** The ConfigMap or Secret that publishes the join; undefined if it is not published. A ConfigMap that is retained is a ConfigMapPatch, which adopts the
   * ConfigMap if it exists. */
  declare public readonly published?: k8s.core.v1.ConfigMap | k8s.core.v1.ConfigMapPatch | k8s.core.v1.Secret;
  /** The published join as a file, if it is published, and the seed folders of `machines`, for tools that read files. */
  declare public readonly artifacts: pulumi.Output<EdgeArtifact[]>;

  /**
   * @param name name of the resource
   * @param args the pool, the token, and how the node joins
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER. No message contains a token
   */
  constructor(name: string, args: NodeJoinArgs, options?: pulumi.ComponentResourceOptions) {
    const token = joinTokenInput(args?.token);
    super('NodeJoin', name, { ...args, token: token.recorded }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render({ ...args, token: token.planned }, planRetained, kept(args));
    const guarded = <T>(part: T): pulumi.Output<T> => secretIf(attributes.holdsToken, output(part));
    this.userData = guarded(attributes.userData);
    this.userDataBase64 = this.userData.apply((text) => Buffer.from(text, 'utf8').toString('base64'));
    this.userDataGzipBase64 = guarded(attributes.userDataGzipBase64);
    this.script = guarded(attributes.script);
    this.ignition = guarded(attributes.ignition);
    this.files = guarded(attributes.files as Required<NodeFile>[]);
    this.joinConfiguration = guarded(attributes.joinConfiguration);
    Object.assign(this, Object.fromEntries(WITHOUT_TOKEN.map((name) => [name, output(attributes[name])])));
    this.seeds = output(attributes.seeds as MachineSeed[]);
    this.artifacts = guarded(attributes.artifacts as EdgeArtifact[]);
    this.published = attributes.publishedName === undefined ? undefined : (resources[0] as NodeJoin['published']);
    this.registerOutputs(registered(this));
  }
}

/** What holds no token in any join. */
const WITHOUT_TOKEN = ['contentHash', 'leaveScript', 'updateScript', 'preflightScript'] as const;

/** The outputs that a stack sees of the component. */
function registered(join: NodeJoin): pulumi.Inputs {
  const { userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript } = join;
  return { userData, userDataBase64, script, joinConfiguration, contentHash, leaveScript };
}

const kept = (args?: NodeJoinArgs): { readonly retains?: boolean } => ({ retains: args?.retainPublished });

/** The plan of a join in a file: `retainPublished` is for a stack. */
function planNow(props: NodeJoinProps, scope: Scope): Plan<NodeJoinAttributes> {
  return planNodeJoin(props, scope, Date.now());
}

function planRetained(props: NodeJoinProps, scope: Scope): Plan<NodeJoinAttributes> {
  return planNodeJoin(props, scope, Date.now(), { retainPublished: checkRetained(props) });
}

function secretIf<T>(isSecret: boolean, output: pulumi.Output<T>): pulumi.Output<T> {
  return isSecret ? (pulumi.secret(output) as unknown as pulumi.Output<T>) : output;
}

/** A published join that contains a token is a Secret, which must not outlive its stack. */
function checkRetained({ token }: NodeJoinProps): Check {
  return plain((retain, problems) => {
    checkBoolean(retain, problems);
    if (retain === true && token?.kind === 'inline') {
      problems.add(
        'EDGE_CONTRADICTION',
        'the published join contains the token, so it is a Secret, which does not stay in the cluster',
        'leave it out; or give a reference to the token, such as a file, and the published join is a ConfigMap',
      );
    }
  });
}
