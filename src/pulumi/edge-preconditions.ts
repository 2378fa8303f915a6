import type * as pulumi from '@pulumi/pulumi';
import { type EdgePreconditionsProps, planAllPreconditions } from '../preconditions/edge-preconditions.js';
import type { WithInputs } from './inputs.js';
import { PreconditionResource } from './precondition-resource.js';

/**
 * Arguments of {@link EdgePreconditions}.
 *
 * @category Prepare the cluster
 */
export interface EdgePreconditionsArgs extends WithInputs<EdgePreconditionsProps> {}

/**
 * Everything that a cluster needs before edge pools work, by the release of OpenYurt: what it requires is made, what is optional is made where it is asked
 * for (`apply: true`), and what does nothing or does harm is explained and left out.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends PreconditionResource {
  /**
   * @param name name of the resource
   * @param args the cluster, and what is known of its components
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_COREFILE, EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_FIELD_NOT_IN_RELEASE, EDGE_YAML,
   * EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_NAME, EDGE_DUPLICATE, EDGE_KNOWN_LATER, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: EdgePreconditionsArgs, options?: pulumi.ComponentResourceOptions) {
    super('EdgePreconditions', name, args, options);
    if (options?.urn === undefined) {
      const planned = this.planned(args, (props: EdgePreconditionsProps, { path }) =>
        planAllPreconditions(props, path),
      );
      this.makePreconditions(name, planned, args.cluster);
    }
  }
}
