import type { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { Precondition } from '../preconditions/precondition.js';
import { APPLY_FLAGS } from '../preconditions/step-files.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { type EdgePreconditionsProps, planAllPreconditions } from '../preconditions/edge-preconditions.js';
import { addPreconditions } from './precondition-construct.js';

/**
 * Everything that a cluster needs before edge pools work, by the release of OpenYurt: what it requires is made, what is optional is made where it is asked
 * for (`apply: true`), and what does nothing or does harm is explained and left out.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends Construct {
  /** All preconditions: whether the release needs them, why, what is made, and the way back. */
  public readonly report: readonly Precondition[];
  /** The charts with the manifests, one for each step; the next is applied only when the commands of the one before have succeeded. */
  public readonly stepCharts: readonly Chart[];
  /** Scripts, patches and the way back, as {@link writeArtifacts} writes them. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the charts. */
  public readonly applyFlags: readonly string[] = APPLY_FLAGS;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of its components
   * @throws {@link EdgeError} with all problems at once: EDGE_COREFILE, EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_FIELD_NOT_IN_RELEASE, EDGE_YAML,
   * EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_NAME, EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: EdgePreconditionsProps) {
    super(scope, id);
    const made = planAllPreconditions(props, this.node.path);
    this.report = made.preconditions;
    this.artifacts = made.artifacts;
    this.stepCharts = addPreconditions(this, made, props.cluster);
  }
}
