import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { WorkloadChange } from '../workloads/host-network-pods.js';
import { planYurtAppSet, type YurtAppSetProps } from '../workloads/yurt-app-set.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import type { IHostNetworkNodePool } from './host-network-node-pool.js';
import { defineOutputs } from './outputs.js';

/**
 * Arguments of a {@link YurtAppSet}.
 *
 * @category Run workloads on host-network nodes
 */
export interface YurtAppSetArgs extends WithInputs<
  Omit<YurtAppSetProps, 'pool' | 'pools'>,
  'portConflicts' | 'autonomy' | 'rollout' | 'nodesAway' | 'wave'
> {
  /** The pool on which the workload runs. Either this or `pools`.
   * @default - the pools of `pools` */
  readonly pool?: IHostNetworkNodePool;
  /** The pools on which the workload runs, all of one cluster. Either this or `pool`.
   * @default - the one of `pool` */
  readonly pools?: IHostNetworkNodePool[];
}

/**
 * A YurtAppSet (OpenYurt 1.5+): a Deployment or StatefulSet in each of several host-network pools, by the rules of {@link HostNetworkWorkload}.
 *
 * @category Run workloads on host-network nodes
 */
export class YurtAppSet extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planYurtAppSet;
  /** The YurtAppSet. */
  declare public readonly resource: k8s.apiextensions.CustomResource;
  /** What differs from the arguments, with the reasons. */
  declare public readonly changes: pulumi.Output<WorkloadChange[]>;

  /**
   * @param name name of the resource
   * @param args the pools and the templates
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: YurtAppSetArgs, options?: pulumi.ComponentResourceOptions) {
    super('YurtAppSet', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resources } = this.render(args, planYurtAppSet);
    const { changes } = attributes;
    defineOutputs(this, { changes: () => output(changes) });
    this.resource = resources[0] as k8s.apiextensions.CustomResource;
    this.registerOutputs(input({ changes }));
  }
}
