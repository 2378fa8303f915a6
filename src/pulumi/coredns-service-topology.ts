import type * as pulumi from '@pulumi/pulumi';
import type { CoreDnsServiceSettings } from '../preconditions/coredns-service.js';
import { planSinglePrecondition, type PreconditionProps } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link CoreDnsServiceTopology}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsServiceTopologyArgs extends WithInputs<PreconditionProps & CoreDnsServiceSettings> {}

/**
 * Keeps requests to CoreDNS within the pool: by OpenYurt's annotation or by `trafficDistribution`, as release and minor have it.
 *
 * @category Prepare the cluster
 */
export class CoreDnsServiceTopology extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of the component
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_FIELD_NOT_IN_RELEASE, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: CoreDnsServiceTopologyArgs, options?: pulumi.ComponentResourceOptions) {
    super('CoreDnsServiceTopology', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: PreconditionProps, { path }) =>
        planSinglePrecondition('coreDnsService', props, `CoreDnsServiceTopology ${path}`, `preconditions/${path}`),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
