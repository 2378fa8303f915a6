import type { Construct } from 'constructs';
import type { CoreDnsDaemonSetSettings } from '../preconditions/coredns-daemon-set.js';
import type { PreconditionProps } from '../preconditions/edge-preconditions.js';
import { PreconditionConstruct } from './precondition-construct.js';

/**
 * Properties of {@link CoreDnsDaemonSet}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsDaemonSetProps extends PreconditionProps, CoreDnsDaemonSetSettings {}

/**
 * CoreDNS on each ordinary node instead of as a Deployment: the same Pod, kept off host-network nodes, without tolerating everything; the Deployment goes
 * to 0 replicas only when the DaemonSet answers.
 *
 * @category Prepare the cluster
 */
export class CoreDnsDaemonSet extends PreconditionConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of the component
   * @throws {@link EdgeError} with all problems at once: EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: CoreDnsDaemonSetProps) {
    super(scope, id, 'coreDnsDaemonSet', props);
  }
}
