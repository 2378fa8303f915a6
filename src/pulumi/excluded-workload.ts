import * as pulumi from '@pulumi/pulumi';
import type { ExclusionReport } from '../workloads/exclusion.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import {
  checkPoolsDeclaredLater,
  type ExcludedWorkloadProps,
  planExcludedWorkload,
} from '../workloads/excluded-workload.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { resourceOf } from './resource.js';

/**
 * Arguments of an {@link ExcludedWorkload}.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExcludedWorkloadArgs extends WithInputs<ExcludedWorkloadProps> {}

/**
 * A workload that is kept off host-network nodes: the same object with the annotation `apps.openyurt.io/exclude-host-network-pool` and a
 * required node affinity in its Pod template.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkload extends EdgeComponent {
  /** The workload. */
  public readonly resource!: pulumi.CustomResource;
  /** What was changed, and what the exclusion rests on. */
  public readonly report!: pulumi.Output<ExclusionReport>;

  /**
   * @param name name of the resource
   * @param args the cluster and the workload
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_YAML, EDGE_NOT_AN_OBJECT, EDGE_NO_POD_TEMPLATE, EDGE_AFFINITY, EDGE_CONTRADICTION,
   * EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: ExcludedWorkloadArgs, options?: pulumi.ComponentResourceOptions) {
    super('ExcludedWorkload', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(args, planExcludedWorkload);
    const object = this.attempt(() => planned.lift(({ manifest }) => manifest, 1)) as KubernetesObject;
    this.resource = resourceOf(name, object, { parent: this });
    this.report = pulumi.output(planned.lift(({ report }) => report) as ExclusionReport);
    this.warn(
      args.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    void this.deployment.atEnd(this, () => {
      const declaration = { path: name, fleets: this.deployment.fleets };
      checkPoolsDeclaredLater(planned.plan.manifest, args as ExcludedWorkloadProps, declaration);
    });
    this.registerOutputs({ report: this.report });
  }
}
