import type * as pulumi from '@pulumi/pulumi';
import { checkBoolean } from '../base/properties.js';
import { plain } from '../base/property-table.js';
import { type ExcludedWorkloadProps, planExcludedWorkload } from '../workloads/excluded-workload.js';
import { type ExclusionReport, printableExclusion } from '../workloads/exclusion.js';
import { EdgeComponent } from './component.js';
import type { WithInputs, WorkloadArgument, WorkloadResource } from './inputs.js';
import { defineOutputs } from './outputs.js';

/**
 * Arguments of an {@link ExcludedWorkload}.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExcludedWorkloadArgs extends WithInputs<
  Omit<ExcludedWorkloadProps, 'workload'>,
  'cluster' | 'podTemplatePath'
> {
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadArgument;
  /** Whether Pulumi awaits the rollout of the workload, and the end of its Pods when it is deleted. Without it, the object has the annotation
   * `pulumi.com/skipAwait`; an annotation of the workload has precedence.
   * @default - true; false for a DaemonSet, which also runs on the nodes of regular pools: its rollout does not end while one of them is offline */
  readonly await?: boolean;
}

/**
 * A workload that is excluded from host-network nodes: the same object with the annotation `apps.openyurt.io/exclude-host-network-pool` and a
 * required node affinity in its Pod template.
 *
 * @category Exclude workloads from host-network nodes
 */
export class ExcludedWorkload extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planExcludedWorkload;
  /** The workload. For an Output of a whole workload the resource is created as soon as its kind is known. */
  declare public readonly resource: pulumi.Output<WorkloadResource>;
  /** What was changed, and which mechanisms enforce the exclusion; `report.apply(String)` is a table. */
  declare public readonly report: pulumi.Output<ExclusionReport>;

  /**
   * @param name name of the resource
   * @param args the cluster and the workload
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ExcludedWorkloadArgs, options?: pulumi.ComponentResourceOptions) {
    super('ExcludedWorkload', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resource } = this.render(
      args,
      (props: ExcludedWorkloadProps, scope) => planExcludedWorkload(props, scope, { await: plain(checkBoolean) }),
      { awaits: (kind) => ((args.await ?? kind !== 'DaemonSet') ? 'all' : 'nothing') },
    );
    const { report } = attributes;
    defineOutputs(this, { resource, report: () => output(report).apply(printableExclusion) });
    this.registerOutputs(input({ report }));
  }
}
