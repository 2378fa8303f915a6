import type * as pulumi from '@pulumi/pulumi';
import type { Plan } from '../cluster/plan.js';
import type { Scope } from '../cluster/scope.js';
import { EdgeError } from '../base/errors.js';
import { whatIs } from '../base/properties.js';
import { EdgeComponent } from './component.js';
import { withInputErrors } from './input-errors.js';

/**
 * The objects that a component would apply, as manifests of a site: made by {@link declared}.
 *
 * @category Deliver many clusters
 */
export class DeclaredManifests {
  /** @internal */
  public constructor(
    /** Name of the component. */
    public readonly kind: string,
    /** @internal */
    public readonly args: unknown,
    /** @internal */
    public readonly plan: (args: never, scope: Scope) => Plan<unknown>,
  ) {}
}

/**
 * What a component would apply, as manifests of a site: `declared(HostNetworkNodePool, { cluster, poolName: 'tills' })`. It makes no resource. Values that
 * get into a manifest are plain: a file is the same in each run, and everyone who reads the repository reads it.
 *
 * @param component a component of `edge-nodepools/pulumi`; not `EdgePreconditions`, which has commands between its steps, nor `BootstrapToken`, a secret
 * @param args its arguments
 * @throws InputPropertiesError with EDGE_TYPE
 * @category Deliver many clusters
 */
export function declared<Args>(
  component: new (name: string, args: Args, options?: pulumi.ComponentResourceOptions) => EdgeComponent,
  args: Args,
): DeclaredManifests {
  return withInputErrors(() => {
    const kind = typeof component === 'function' ? component.name : whatIs(component);
    const plan = planOf(component);
    if (plan === undefined) {
      throw new EdgeError('declared', [
        {
          code: 'EDGE_TYPE',
          path: 'component',
          message: `${kind} has no manifests that an engine delivers`,
          hint:
            kind === 'EdgePreconditions'
              ? 'prepare each cluster by its scripts, in their order (docs/preconditions.md)'
              : kind === 'BootstrapToken'
                ? 'a token in a repository is in plain text forever: create it in the cluster (docs/join-tokens.md)'
                : 'write declared(HostNetworkNodePool, {…}), or plain objects',
        },
      ]);
    }
    return new DeclaredManifests(kind, args, plan);
  });
}

/** The plan of a component of this library. A class that extends one may do more than its plan. */
function planOf(component: unknown): typeof EdgeComponent.plan {
  return typeof component === 'function' &&
    component.prototype instanceof EdgeComponent &&
    Object.hasOwn(component, 'plan')
    ? (component as unknown as typeof EdgeComponent).plan
    : undefined;
}
