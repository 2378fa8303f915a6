import type * as pulumi from '@pulumi/pulumi';
import type { CorefileSettings } from '../preconditions/coredns-corefile.js';
import { planSinglePrecondition, type PreconditionProps } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link CoreDnsCorefile}.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsCorefileArgs extends WithInputs<PreconditionProps & CorefileSettings> {}

/**
 * Edits the Corefile of the cluster: names of a tunnel, forwarders for sites, a node-local cache. Comments, order and everything unknown stay.
 *
 * @category Prepare the cluster
 */
export class CoreDnsCorefile extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of the component
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_COREFILE, EDGE_CONTRADICTION, EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_NAME, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: CoreDnsCorefileArgs, options?: pulumi.ComponentResourceOptions) {
    super('CoreDnsCorefile', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: PreconditionProps, { path }) =>
        planSinglePrecondition('corefile', props, `CoreDnsCorefile ${path}`, `preconditions/${path}`),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
