import type { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type EdgePreconditionsProps, planEdgePreconditions } from '../preconditions/edge-preconditions.js';
import type { Precondition } from '../preconditions/precondition.js';
import { APPLY_FLAGS } from '../preconditions/step-files.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { render, scopeOf } from './render.js';

/**
 * Everything that a cluster needs before edge pools work, by the release of OpenYurt: what it requires is made, what is optional is made where it is asked
 * for (`apply: true`, or by its name in `only`), and what does nothing or does harm is explained and left out.
 *
 * The manifests are in charts of their own, one for each step, because a step must wait for the one before.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends Construct {
  /** The preconditions: whether the release needs them, why, what is made, and the rollback. */
  public readonly report: readonly Precondition[];
  /** The commands of the steps, in their order. */
  public readonly commands: readonly string[];
  /** The charts with the manifests, one for each step; the next is applied only when the commands of the one before have succeeded. */
  public readonly stepCharts: readonly Chart[];
  /** Scripts, patches and the rollback, as {@link writeArtifacts} writes them. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the charts. */
  public readonly applyFlags: readonly string[] = APPLY_FLAGS;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and its components as they are now
   * @throws {@link EdgeError} with all problems at once: EDGE_COREFILE, EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_FIELD_NOT_IN_RELEASE, EDGE_YAML,
   * EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_NAME, EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: EdgePreconditionsProps) {
    super(scope, id);
    const { answers, stages } = render(this, planEdgePreconditions(props, scopeOf(this), id));
    this.report = answers.report;
    this.commands = answers.commands;
    this.artifacts = answers.artifacts;
    this.stepCharts = [...stages.values()];
  }
}
