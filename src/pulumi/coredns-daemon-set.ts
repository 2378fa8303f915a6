import type * as pulumi from '@pulumi/pulumi';
import type { CoreDnsDaemonSetSettings } from '../preconditions/coredns-daemon-set.js';
import { planSinglePrecondition, type PreconditionProps } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link CoreDnsDaemonSet}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsDaemonSetArgs extends WithInputs<PreconditionProps & CoreDnsDaemonSetSettings> {}

/**
 * CoreDNS on each ordinary node instead of as a Deployment: the same Pod, kept off host-network nodes, without tolerating everything; the Deployment goes
 * to 0 replicas only when the DaemonSet answers.
 *
 * @category Prepare the cluster
 */
export class CoreDnsDaemonSet extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of the component
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: CoreDnsDaemonSetArgs, options?: pulumi.ComponentResourceOptions) {
    super('CoreDnsDaemonSet', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: PreconditionProps, { path }) =>
        planSinglePrecondition('coreDnsDaemonSet', props, `CoreDnsDaemonSet ${path}`, `preconditions/${path}`),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
