import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { planYurtStaticSet, type YurtStaticSetProps } from '../workloads/yurt-static-set.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import type { IHostNetworkNodePool } from './host-network-node-pool.js';

/**
 * Arguments of a {@link YurtStaticSet}.
 *
 * @category Run workloads on host-network nodes
 */
export interface YurtStaticSetArgs extends WithInputs<Omit<YurtStaticSetProps, 'pools'>, 'portConflicts'> {
  /** The pools whose nodes have the static Pod, all of one cluster. */
  readonly pools: IHostNetworkNodePool[];
}

/**
 * A YurtStaticSet: yurt-manager replaces a static Pod on the nodes that have one of its name. `staticPods` of a {@link NodeJoin} creates it.
 *
 * @category Run workloads on host-network nodes
 */
export class YurtStaticSet extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planYurtStaticSet;
  /** The YurtStaticSet. */
  declare public readonly resource: k8s.apiextensions.CustomResource;

  /**
   * @param name name of the resource
   * @param args the pools and the Pod
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: YurtStaticSetArgs, options?: pulumi.ComponentResourceOptions) {
    super('YurtStaticSet', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    this.resource = this.render(args, planYurtStaticSet).resources[0] as k8s.apiextensions.CustomResource;
    this.registerOutputs({});
  }
}
