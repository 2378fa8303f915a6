import type * as pulumi from '@pulumi/pulumi';
import { planPoolAdmission } from '../../admission/pool-admission.js';
import { planOpenYurtWebhooks } from '../../admission/openyurt-webhooks/openyurt-webhooks.js';
import { planPoolWebhook } from '../../admission/webhooks/pool-webhook.js';
import type { Plan } from '../../cluster/plan.js';
import type { Scope } from '../../cluster/scope.js';
import { EdgeError } from '../../errors.js';
import { planKubeadmConfigTemplate } from '../../join/kubeadm-config-template.js';
import { planNodeJoin } from '../../join/node-join.js';
import { planServingCertificates } from '../../join/serving-certificate-approver.js';
import { planNodePool } from '../../pools/node-pool.js';
import type { NodePoolInput } from '../../pools/node-pool-props.js';
import { planEdgeSystemComponents } from '../../system-components/edge-system-components.js';
import { whatIs } from '../../validation/properties.js';
import { planExcludedWorkload } from '../../workloads/excluded-workload.js';
import { planHostNetworkWorkload } from '../../workloads/host-network-workload.js';
import { planYurtAppSet } from '../../workloads/yurt-app-set.js';
import { planYurtStaticSet } from '../../workloads/yurt-static-set.js';
import type { EdgeComponent } from '../component.js';
import { EdgeSystemComponents } from '../edge-system-components.js';
import { ExcludedWorkload } from '../excluded-workload.js';
import { HostNetworkWorkload } from '../host-network-workload.js';
import { withInputErrors } from '../input-errors.js';
import { KubeadmConfigTemplate } from '../kubeadm-config-template.js';
import { NodeJoin } from '../node-join.js';
import { HostNetworkNodePool } from '../host-network-node-pool.js';
import { RegularNodePool } from '../regular-node-pool.js';
import { OpenYurtWebhooks } from '../openyurt-webhooks.js';
import { PoolAdmission } from '../pool-admission.js';
import { PoolWebhook } from '../pool-webhook.js';
import { ServingCertificateApprover } from '../serving-certificate-approver.js';
import { YurtAppSet } from '../yurt-app-set.js';
import { YurtStaticSet } from '../yurt-static-set.js';

type AnyPlan = (args: never, scope: Scope) => Plan<unknown>;

/** The components whose objects can be files: the rest is commands in an order, or a secret. */
const PLANS = new Map<unknown, AnyPlan>([
  [HostNetworkNodePool, poolPlan('HostNetworkNodePool', 'host-network')],
  [RegularNodePool, poolPlan('RegularNodePool', 'regular')],
  [PoolAdmission, planPoolAdmission],
  [PoolWebhook, planPoolWebhook],
  [OpenYurtWebhooks, planOpenYurtWebhooks],
  [EdgeSystemComponents, planEdgeSystemComponents],
  [ExcludedWorkload, planExcludedWorkload],
  [HostNetworkWorkload, planHostNetworkWorkload],
  [YurtAppSet, planYurtAppSet],
  [YurtStaticSet, planYurtStaticSet],
  [NodeJoin, (args: never, scope: Scope) => planNodeJoin(args, scope, Date.now())],
  [KubeadmConfigTemplate, planKubeadmConfigTemplate],
  [ServingCertificateApprover, planServingCertificates],
]);

function poolPlan(subject: 'HostNetworkNodePool' | 'RegularNodePool', mode: 'host-network' | 'regular'): AnyPlan {
  return (args: NodePoolInput, scope) => planNodePool({ subject, mode, makesObject: true }, args, scope);
}

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
    const plan = PLANS.get(component);
    const kind = typeof component === 'function' ? component.name : whatIs(component);
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
                ? 'a token in a repository is in plain text for ever: create it in the cluster (docs/join-tokens.md)'
                : 'write declared(HostNetworkNodePool, {…}), or plain objects',
        },
      ]);
    }
    return new DeclaredManifests(kind, args, plan);
  });
}
