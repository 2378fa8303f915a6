import type { Construct } from 'constructs';
import type { RegularNodePoolProps } from '../pools/node-pool-props.js';
import { NodePoolConstruct } from './node-pool.js';

/**
 * A regular pool, with a Pod network. It has the properties of {@link HostNetworkNodePool}, except those of the host-network mode.
 *
 * @category Declare pools
 */
export class RegularNodePool extends NodePoolConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props properties of the pool
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TAINT, EDGE_RESERVED_KEY,
   * EDGE_FIELD_NOT_IN_RELEASE, EDGE_VALUE, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: RegularNodePoolProps) {
    super(scope, id, { subject: 'RegularNodePool', mode: 'regular', makesObject: true }, props);
  }
}
