import { Construct } from 'constructs';
import type { EdgeArtifact } from '../base/artifact.js';
import { type NodeAccessProps, planNodeAccess } from '../preconditions/node-access.js';
import type { PreconditionStep } from '../preconditions/precondition.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Lets the API server reach the kubelets of host-network nodes, so that `kubectl logs`, `exec`, `attach` and
 * `port-forward` work on nodes behind NAT. With konnectivity every node of the cluster gets an agent that dials the
 * control plane. The files and the steps for the control plane are in `artifacts`.
 *
 * @category Reach nodes
 */
export class NodeAccess extends Construct {
  /** What is to do beside the manifests, in this order. */
  public readonly steps: readonly PreconditionStep[];
  /** The steps that undo it, in order. */
  public readonly rollback: readonly PreconditionStep[];
  /** The steps as scripts, with their files, which {@link writeArtifacts} writes. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** The flags of kube-apiserver, for a control plane that kubeadm did not create. */
  public readonly apiServerFlags: Readonly<Record<string, string>>;
  /** What is assumed and not checked, one sentence each. */
  public readonly assumptions: readonly string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, the pools, and the way
   * @throws {@link EdgeError} with all problems at once: EDGE_MISSING, EDGE_VALUE, EDGE_TYPE, EDGE_NAME,
   * EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_PORT_CONFLICT, EDGE_RESERVED_KEY, EDGE_NO_OPENYURT, EDGE_WRONG_OBJECT,
   * EDGE_YAML, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: NodeAccessProps) {
    super(parentOf(scope, id, 'NodeAccess', props), id);
    const { attributes } = render(this, planNodeAccess(props, scopeOf(this)));
    this.steps = attributes.steps;
    this.rollback = attributes.rollback;
    this.artifacts = attributes.artifacts;
    this.apiServerFlags = attributes.apiServerFlags;
    this.assumptions = attributes.assumptions;
  }
}
