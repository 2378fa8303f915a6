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
   * @throws InputPropertiesError with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TAINT, EDGE_RESERVED_KEY,
   * EDGE_FIELD_NOT_IN_RELEASE, EDGE_VALUE, EDGE_DUPLICATE, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: EdgeNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    super({ subject: 'EdgeNodePool', mode: 'regular', makesObject: true }, name, args, options);
  }
}
