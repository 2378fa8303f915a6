import type * as pulumi from '@pulumi/pulumi';
import type { EdgeArtifact } from '../base/artifact.js';
import { type KonnectivitySettings, type NodeAccessProps, planNodeAccess } from '../preconditions/node-access.js';
import type { PreconditionStep } from '../preconditions/precondition.js';
import { EdgeComponent } from './component.js';
import type { IHostNetworkNodePool } from './host-network-node-pool.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link NodeAccess}.
 *
 * @category Reach nodes
 */
export interface NodeAccessArgs extends Omit<NodeAccessProps, 'pools' | 'konnectivity'> {
  /** The host-network pools whose nodes are reached, all of this cluster. */
  readonly pools: IHostNetworkNodePool[];
  /** Settings of konnectivity.
   * @default - an agent on every node, and one server */
  readonly konnectivity?: WithInputs<
    KonnectivitySettings,
    'servers' | 'keepaliveSeconds' | 'agentExtraArgs' | 'serverExtraArgs'
  >;
}

/**
 * Lets the API server reach the kubelets of host-network nodes, so that `kubectl logs`, `exec`, `attach` and
 * `port-forward` work on nodes behind NAT. With konnectivity every node of the cluster gets an agent that dials the
 * control plane. The files and the steps for the control plane are in `artifacts`.
 *
 * @category Reach nodes
 */
export class NodeAccess extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planNodeAccess;
  /** What is to do beside the manifests, in this order. */
  declare public readonly steps: pulumi.Output<PreconditionStep[]>;
  /** The steps that undo it, in order. */
  declare public readonly rollback: pulumi.Output<PreconditionStep[]>;
  /** The steps as scripts, with their files. */
  declare public readonly artifacts: pulumi.Output<EdgeArtifact[]>;
  /** The flags of kube-apiserver, for a control plane that kubeadm did not create. */
  declare public readonly apiServerFlags: pulumi.Output<Record<string, string>>;
  /** What is assumed and not checked, one sentence each. */
  declare public readonly assumptions: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args the cluster, the pools, and the way
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: NodeAccessArgs, options?: pulumi.ComponentResourceOptions) {
    super('NodeAccess', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    // agents of nodes that are offline would be awaited in vain
    const { attributes, output } = this.render(args ?? {}, planNodeAccess, {
      awaits: (kind) => (kind === 'DaemonSet' ? 'nothing' : 'all'),
    });
    this.steps = output(attributes.steps as PreconditionStep[]);
    this.rollback = output(attributes.rollback as PreconditionStep[]);
    this.artifacts = output(attributes.artifacts as EdgeArtifact[]);
    this.apiServerFlags = output(attributes.apiServerFlags);
    this.assumptions = output(attributes.assumptions as string[]);
    this.registerOutputs({
      steps: this.steps,
      rollback: this.rollback,
      artifacts: this.artifacts,
      apiServerFlags: this.apiServerFlags,
      assumptions: this.assumptions,
    });
  }
}
