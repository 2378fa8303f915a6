import * as pulumi from '@pulumi/pulumi';
import type { KeepOffReport } from '../system-components/keep-off.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../text/artifact.js';
import {
  type EdgeSystemComponentsSettings,
  planSystemComponents,
  type SystemComponentsPlan,
} from '../system-components/system-components.js';
import { childName } from './child-name.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import type { Planned } from './planned.js';
import { patchOf, resourceOf } from './resource.js';

/**
 * Arguments of {@link EdgeSystemComponents}.
 *
 * @category Keep system components off host-network nodes
 */
export interface EdgeSystemComponentsArgs extends WithInputs<EdgeSystemComponentsSettings> {}

/**
 * Keeps system components (kube-proxy, CoreDNS, CNI agents …) off host-network nodes. Each component is patched in the most durable way that
 * the cluster has; `report` says which, what undoes it, and what can not be kept off and why.
 *
 * What other constructs call SERVER_SIDE_APPLY is a `DaemonSetPatch` or `DeploymentPatch` here, with the required node affinity and nothing
 * else; it does not wait for the rollout, which never ends while an edge node is away. `pulumi destroy` takes the affinity away again, with two
 * exceptions. Where the component's own affinity had to be taken over (flannel), the patch stays, because Kubernetes can not give the old value back.
 * And where a policy works beside the patch (the default from Kubernetes 1.36 on), it puts the affinity back in the same write: the affinity stays when
 * the policy is gone. To have it taken away, first update to `strategy: KeepOffStrategy.SERVER_SIDE_APPLY`, then destroy.
 *
 * @category Keep system components off host-network nodes
 */
export class EdgeSystemComponents extends EdgeComponent {
  /** How each workload is kept off. */
  public readonly report!: pulumi.Output<KeepOffReport[]>;
  /** What can not be kept off, and what to do instead. */
  public readonly cannotKeepOff!: pulumi.Output<KeepOffReport[]>;
  /** Files for `kubeadm init|upgrade --patches`. */
  public readonly kubeadmPatches!: pulumi.Output<EdgeArtifact[]>;
  /** The patches of running components. */
  public readonly patches!: readonly pulumi.CustomResource[];

  /**
   * @param name name of the resource
   * @param args the cluster and the components
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_STRATEGY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_NAME, EDGE_KNOWN_LATER,
   * EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: EdgeSystemComponentsArgs, options?: pulumi.ComponentResourceOptions) {
    super('EdgeSystemComponents', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(args, (props: EdgeSystemComponentsSettings, declaration) =>
      planSystemComponents(props, declaration),
    );
    this.report = pulumi.output(planned.lift(({ report }) => report) as KeepOffReport[]);
    this.cannotKeepOff = this.report.apply((rows) => rows.filter(({ strategies }) => strategies.length === 0));
    this.kubeadmPatches = pulumi.output(planned.lift(({ kubeadmPatches }) => kubeadmPatches) as EdgeArtifact[]);
    const policies = this.makeInOrder(planned, (plan) => plan.policies, childName(name));
    this.makeManifests(name, planned);
    this.patches = this.makePatches(name, planned, policies);
    this.warn(
      args.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    this.registerOutputs({ report: this.report, kubeadmPatches: this.kubeadmPatches });
  }

  private makeManifests(name: string, planned: Planned<EdgeSystemComponentsSettings, SystemComponentsPlan>): void {
    const manifests = (plan: SystemComponentsPlan): KubernetesObject[] =>
      plan.manifests as unknown as KubernetesObject[];
    const objects = this.attempt(() => planned.lift(manifests, 2)) as KubernetesObject[];
    objects.forEach((object, index) => {
      const child = childName(name)(manifests(planned.plan)[index] as KubernetesObject);
      this.deployment.leaveAlone(object.kind, child, 'is a system component (EdgeSystemComponents)');
      resourceOf(child, object, { parent: this });
    });
  }

  private makePatches(
    name: string,
    planned: Planned<EdgeSystemComponentsSettings, SystemComponentsPlan>,
    policies: readonly pulumi.CustomResource[],
  ): pulumi.CustomResource[] {
    const partials = (plan: SystemComponentsPlan): KubernetesObject[] => plan.partials as unknown as KubernetesObject[];
    const objects = this.attempt(() => planned.lift(partials, 2)) as KubernetesObject[];
    return objects.map((object, index) => {
      const plain = partials(planned.plan)[index] as KubernetesObject;
      const isForced = planned.plan.takesOver[index] === true;
      return patchOf(childName(name)(plain), object, isForced, {
        parent: this,
        ...(policies.length > 0 ? { dependsOn: [...policies] } : {}),
        // what was taken over can not be given back: Kubernetes would remove the component's own terms with ours
        ...(isForced ? { retainOnDelete: true } : {}),
      });
    });
  }
}
