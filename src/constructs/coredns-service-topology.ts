import type { Construct } from 'constructs';
import type { CoreDnsServiceSettings } from '../preconditions/coredns-service.js';
import type { PreconditionProps } from '../preconditions/edge-preconditions.js';
import { PreconditionConstruct } from './precondition-construct.js';

/**
 * Properties of {@link CoreDnsServiceTopology}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsServiceTopologyProps extends PreconditionProps, CoreDnsServiceSettings {}

/**
 * Keeps requests to CoreDNS within the pool: by OpenYurt's annotation or by `trafficDistribution`, as release and minor have it.
 *
 * @category Prepare the cluster
 */
export class CoreDnsServiceTopology extends PreconditionConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of the component
   * @throws {@link EdgeError} with all problems at once: EDGE_FIELD_NOT_IN_RELEASE, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: CoreDnsServiceTopologyProps) {
    super(scope, id, 'coreDnsService', props);
  }
}
