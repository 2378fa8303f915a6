import type * as pulumi from '@pulumi/pulumi';
import type { PoolKind } from '../pools/node-pool.js';
import type { RegularNodePoolProps } from '../pools/node-pool-props.js';
import { withFormerType } from './component.js';
import type { WithInputs } from './inputs.js';
import { NodePoolComponent, poolPlan } from './node-pool.js';

/**
 * Arguments of a {@link RegularNodePool}.
 *
 * @category Declare pools
 */
export interface RegularNodePoolArgs extends WithInputs<RegularNodePoolProps, 'cluster' | 'autonomy'> {}

const KIND: PoolKind = { subject: 'RegularNodePool', mode: 'regular', makesObject: true };

/**
 * A regular pool, with a Pod network. It has the properties of {@link HostNetworkNodePool}, except those of the host-network mode.
 *
 * @category Declare pools
 */
export class RegularNodePool extends NodePoolComponent {
  /** @internal */
  public static override readonly plan = poolPlan(KIND);
  /**
   * @param name name of the resource
   * @param args properties of the pool
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: RegularNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    super(KIND, name, args, withFormerType(options, 'edge-nodepools:index:EdgeNodePool'));
  }
}
