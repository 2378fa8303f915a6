import type { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { planEdgePreconditions } from '../preconditions/edge-preconditions.js';
import type { EdgePreconditionsProps } from '../preconditions/edge-preconditions-props.js';
import { type Precondition, printablePreconditions } from '../preconditions/precondition.js';
import { APPLY_FLAGS } from '../preconditions/step-files.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { PrintableReport } from '../base/table.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Changes that a cluster needs before edge pools work. The OpenYurt release determines which preconditions are required. Required ones are applied;
 * optional ones are applied if requested (`apply: true`, or by name in `only`). `report` says why each is needed, or why it is useless or harmful.
 *
 * Each step with manifests has its own chart, because a step must wait for the previous one.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends Construct {
  /** The preconditions: whether the release needs them, why, their steps, and the rollback. `String(report)` is a table without the steps. */
  public readonly report: PrintableReport<readonly Precondition[]>;
  /** The commands of the steps, in order. */
  public readonly commands: readonly string[];
  /** The charts with the manifests, one per step, in the folder `patches` of the output folder. Apply a chart only after the commands of the previous step have succeeded. */
  public readonly stepCharts: readonly Chart[];
  /** Scripts, patches and the rollback, as files that {@link writeArtifacts} writes. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the charts. */
  public readonly applyFlags: readonly string[] = APPLY_FLAGS;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and the current state of its components
   * @throws {@link EdgeError} with all problems at once: EDGE_COREFILE, EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_FIELD_NOT_IN_RELEASE, EDGE_YAML,
   * EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_NAME, EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: EdgePreconditionsProps) {
    super(parentOf(scope, id, 'EdgePreconditions', props), id);
    const { attributes, stages } = render(this, planEdgePreconditions(props, scopeOf(this), id));
    this.report = printablePreconditions(attributes.report);
    this.commands = attributes.commands;
    this.artifacts = attributes.artifacts;
    this.stepCharts = [...stages.values()];
  }
}
