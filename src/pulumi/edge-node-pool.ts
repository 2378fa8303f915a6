import type * as pulumi from '@pulumi/pulumi';
import type { EdgeNodePoolProps } from '../pools/node-pool-props.js';
import type { WithInputs } from './inputs.js';
import { NodePoolComponent } from './node-pool.js';

/**
 * Arguments of an {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export interface EdgeNodePoolArgs extends WithInputs<EdgeNodePoolProps, 'cluster'> {}

/**
 * A regular pool, with a Pod network. It has the properties of {@link HostNetworkNodePool}, except those of the host-network mode.
 *
 * @category Declare pools
 */
export class EdgeNodePool extends NodePoolComponent {
  /**
   * @param name name of the resource
   * @param args properties of the pool
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: EdgeNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    super({ subject: 'EdgeNodePool', mode: 'regular', makesObject: true }, name, args, options);
  }
}
