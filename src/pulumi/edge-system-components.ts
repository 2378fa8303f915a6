import type * as pulumi from '@pulumi/pulumi';
import { planEdgeSystemComponents } from '../system-components/edge-system-components.js';
import type {
  ComponentSettings,
  EdgeSystemComponentsProps,
} from '../system-components/edge-system-components-props.js';
import { printableComponents, type SystemComponentReport } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { checkBoolean } from '../base/properties.js';
import { plain } from '../base/property-table.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link EdgeSystemComponents}. Arguments that determine which resources exist are plain values; in `components`, all but the namespaces.
 *
 * @category Exclude system components from host-network nodes
 */
export interface EdgeSystemComponentsArgs extends WithInputs<
  Omit<EdgeSystemComponentsProps, 'components'>,
  'cluster' | 'exclude' | 'strategy' | 'fieldManager' | 'mutatingAdmissionPolicy' | 'artifactFolder' | 'kustomizeFolder'
> {
  /** Differences of the components in this cluster from the catalog, by short name: `{ flannel: { namespace: 'cni' } }`.
   * @default - none */
  readonly components?: Record<string, WithInputs<ComponentSettings, 'absent' | 'strategy'>>;
  /** Whether the patches take over the required node affinity from another field manager. It becomes the only owner, and `pulumi destroy` removes the
   * affinity. Otherwise an update fails with the name of the other one.
   * @default - false; true for a component that ships its own affinity (flannel) */
  readonly force?: boolean;
  /** Whether Pulumi awaits the rollouts of the components. They do not end while an edge node is offline.
   * @default false */
  readonly await?: boolean;
}

/**
 * Excludes system components (kube-proxy, CoreDNS, CNI agents …) from host-network nodes, with the most durable strategies for each component and
 * cluster. `report` lists the strategies, the events that revert them, and the components that cannot be excluded, with the reason.
 *
 * SERVER_SIDE_APPLY is a `DaemonSetPatch` or `DeploymentPatch` with only the required node affinity. It does not await the rollout, which does not end while
 * an edge node is offline. `pulumi destroy` removes the affinity, unless it also has another owner. If the component ships its own affinity (flannel), the patch
 * is retained, because Kubernetes cannot restore the former value.
 *
 * @category Exclude system components from host-network nodes
 */
export class EdgeSystemComponents extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planEdgeSystemComponents;
  /** How each workload is excluded; `report.apply(String)` is a table without the commands. */
  declare public readonly report: pulumi.Output<SystemComponentReport[]>;
  /** Workloads that cannot be excluded, and what to do instead. */
  declare public readonly notExcluded: pulumi.Output<SystemComponentReport[]>;
  /** Files for `kubeadm init|upgrade --patches`. */
  declare public readonly kubeadmPatches: pulumi.Output<EdgeArtifact[]>;
  /** The patches of running components. */
  declare public readonly patches: readonly pulumi.CustomResource[];

  /**
   * @param name name of the resource
   * @param args the cluster and the components
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: EdgeSystemComponentsArgs, options?: pulumi.ComponentResourceOptions) {
    super('EdgeSystemComponents', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { fieldManager, force, await: isAwaited } = args ?? {};
    const { attributes, resources, output } = this.render(
      args,
      (props: EdgeSystemComponentsProps, scope) =>
        planEdgeSystemComponents(props, scope, { force: plain(checkBoolean), await: plain(checkBoolean) }),
      {
        fieldManager,
        force,
        awaits: (kind) => (isAwaited === true || /AdmissionPolicy/.test(kind) ? 'all' : 'nothing'),
      },
    );
    this.report = output([...attributes.report]).apply((rows) => printableComponents(rows));
    this.notExcluded = output([...attributes.notExcluded]).apply((rows) => printableComponents(rows));
    this.kubeadmPatches = output([...attributes.kubeadmPatches]);
    this.patches = resources.slice(resources.length - attributes.patchCount);
    this.registerOutputs({ report: this.report, kubeadmPatches: this.kubeadmPatches });
  }
}
