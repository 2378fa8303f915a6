import type * as pulumi from '@pulumi/pulumi';
import { planEdgeSystemComponents } from '../system-components/edge-system-components.js';
import type {
  ComponentSettings,
  EdgeSystemComponentsSettings,
} from '../system-components/edge-system-components-props.js';
import type { SystemComponentReport } from '../system-components/exclusion-plan.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link EdgeSystemComponents}. What determines which resources exist is plain; in `components`, everything but the namespaces.
 *
 * @category Exclude system components from host-network nodes
 */
export interface EdgeSystemComponentsArgs extends WithInputs<
  Omit<EdgeSystemComponentsSettings, 'components'>,
  'cluster' | 'exclude' | 'strategy' | 'mutatingAdmissionPolicy' | 'artifactFolder' | 'kustomizeFolder'
> {
  /** What differs in this cluster from the components as they are known, by their short names: `{ flannel: { namespace: 'cni' } }`.
   * @default - nothing */
  readonly components?: Record<string, WithInputs<ComponentSettings, 'absent' | 'strategy'>>;
}

/**
 * Excludes system components (kube-proxy, CoreDNS, CNI agents …) from host-network nodes. Each component is patched in the most durable way that
 * the cluster has; `report` lists which, what reverts it, and what cannot be excluded and why.
 *
 * What other constructs call SERVER_SIDE_APPLY is a `DaemonSetPatch` or `DeploymentPatch` here, with the required node affinity and nothing
 * else; it does not wait for the rollout, which never ends while an edge node is away. `pulumi destroy` removes the affinity again, with two
 * exceptions. Where the component's own affinity had to be taken over (flannel), the patch stays, because Kubernetes cannot restore the old value.
 * And where a policy works beside the patch (the default from Kubernetes 1.36 on), it adds the affinity again in the same write: the affinity stays when
 * the policy is gone. To have it removed, first update to `strategy: ExclusionStrategy.SERVER_SIDE_APPLY`, then destroy.
 *
 * @category Exclude system components from host-network nodes
 */
export class EdgeSystemComponents extends EdgeComponent {
  /** How each workload is excluded. */
  public readonly report!: pulumi.Output<SystemComponentReport[]>;
  /** What cannot be excluded, and what to do instead. */
  public readonly notExcluded!: pulumi.Output<SystemComponentReport[]>;
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
    const { answers, resources, output } = this.render(args, (props: EdgeSystemComponentsSettings, scope) =>
      planEdgeSystemComponents(props, scope),
    );
    this.report = output([...answers.report]);
    this.notExcluded = output([...answers.notExcluded]);
    this.kubeadmPatches = output([...answers.kubeadmPatches]);
    this.patches = resources.slice(resources.length - answers.patchCount);
    this.registerOutputs({ report: this.report, kubeadmPatches: this.kubeadmPatches });
  }
}
