import type { Construct } from 'constructs';
import type { CorefileSettings } from '../preconditions/coredns-corefile.js';
import type { PreconditionProps } from '../preconditions/edge-preconditions.js';
import { PreconditionConstruct } from './precondition-construct.js';

/**
 * Properties of {@link CoreDnsCorefile}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsCorefileProps extends PreconditionProps, CorefileSettings {}

/**
 * Edits the Corefile of the cluster: names of a tunnel, forwarders for sites, a node-local cache. Comments, order and everything unknown stay.
 *
 * @category Prepare the cluster
 */
export class CoreDnsCorefile extends PreconditionConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of the component
   * @throws {@link EdgeError} with all problems at once: EDGE_COREFILE, EDGE_CONTRADICTION, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_NAME, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: CoreDnsCorefileProps) {
    super(scope, id, 'corefile', props);
  }
}
