import type * as pulumi from '@pulumi/pulumi';
import type { CorefileForwarder } from '../preconditions/forwarders.js';
import type { CorefileSettings } from '../preconditions/coredns-corefile.js';
import type { CoreDnsDaemonSetSettings } from '../preconditions/coredns-daemon-set.js';
import type { CoreDnsServiceSettings } from '../preconditions/coredns-service.js';
import { planEdgePreconditions } from '../preconditions/edge-preconditions.js';
import type { EdgePreconditionsProps } from '../preconditions/edge-preconditions-props.js';
import type { PreconditionName } from '../preconditions/kinds.js';
import type { KubeControllerManagerSettings } from '../preconditions/kube-controller-manager.js';
import type { KubeProxySettings } from '../preconditions/kube-proxy.js';
import { type Precondition, printablePreconditions } from '../preconditions/precondition.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { checkFieldManager } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';
import { plain } from '../base/property-table.js';
import { EdgeComponent, withFormerType } from './component.js';
import type { WithInputs } from './inputs.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * Arguments of {@link EdgePreconditions}. Arguments that determine which resources exist are plain values: which preconditions are applied, and which
 * objects are given. Fields of these objects can be Outputs.
 *
 * @category Prepare the cluster
 */
export interface EdgePreconditionsArgs extends WithInputs<
  Pick<EdgePreconditionsProps, 'cluster' | 'guide' | 'only' | 'artifactFolder'>,
  'cluster' | 'guide' | 'only'
> {
  /** kube-controller-manager.
   * @default - applied if the release requires it */
  readonly kubeControllerManager?: WithInputs<KubeControllerManagerSettings, 'apply' | 'yurtManagerRunsNodeLifecycle'>;
  /** The Corefile of CoreDNS.
   * @default - applied if the release requires it */
  readonly corefile?: WithInputs<Omit<CorefileSettings, 'forwarders'>, 'apply' | 'configMap' | 'proxyNames'> & {
    /** Zones that are forwarded to other DNS servers, for example one zone per site.
     * @default - none */
    readonly forwarders?: WithInputs<CorefileForwarder>[];
  };
  /** The Service of CoreDNS.
   * @default - applied if the release requires it */
  readonly coreDnsService?: WithInputs<CoreDnsServiceSettings, 'apply' | 'service' | 'topology'>;
  /** CoreDNS as a DaemonSet.
   * @default - applied if the release requires it */
  readonly coreDnsDaemonSet?: WithInputs<CoreDnsDaemonSetSettings, 'apply' | 'deployment'>;
  /** The configuration of kube-proxy.
   * @default - applied if the release requires it */
  readonly kubeProxy?: WithInputs<KubeProxySettings, 'apply' | 'configMap' | 'daemonSet'>;
  /** Field manager of the patches, an annotation of the patched objects, so only one patch of an object can name its own.
   * @default - each patch has its own, with a random name */
  readonly fieldManager?: string;
}

/** Former component types of single preconditions, as aliases, so that existing stacks keep their resources. */
const FORMER_TYPES: Readonly<Record<PreconditionName, string>> = {
  kubeControllerManager: 'edge-nodepools:index:KubeControllerManagerControllers',
  corefile: 'edge-nodepools:index:CoreDnsCorefile',
  coreDnsDaemonSet: 'edge-nodepools:index:CoreDnsDaemonSet',
  coreDnsService: 'edge-nodepools:index:CoreDnsServiceTopology',
  kubeProxy: 'edge-nodepools:index:KubeProxyConfiguration',
};

/**
 * Changes that a cluster needs before edge pools work. The OpenYurt release determines which preconditions are required. Required ones are applied;
 * optional ones are applied if requested (`apply: true`, or by name in `only`). `report` says why each is needed, or why it is useless or harmful.
 *
 * The manifests of the steps become patches, each of which depends on the previous one. They take ownership of fields of existing objects; the DaemonSet of
 * CoreDNS they create, or adopt if it exists. Of this DaemonSet the first available Pod is awaited, so that CoreDNS answers before its Deployment is scaled
 * down. Whole rollouts are not awaited, because they do not end while an edge node is offline.
 *
 * Commands are not run; `commands` contains them. If a step has commands that do more than wait, run the scripts in `artifacts` instead. `pulumi destroy`
 * undoes nothing, because the rollback has its own order: `artifacts` contains its scripts.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends EdgeComponent {
  /** The preconditions: whether the release needs them, why, their steps, and the rollback. `report.apply(String)` is a table without the steps. */
  declare public readonly report: pulumi.Output<Precondition[]>;
  /** Scripts, patches and the rollback, as files. */
  declare public readonly artifacts: pulumi.Output<EdgeArtifact[]>;
  /** The commands of the steps, in order. */
  declare public readonly commands: pulumi.Output<string[]>;
  /** The created resources, in the order of the steps. */
  declare public readonly resources: readonly pulumi.CustomResource[];

  /**
   * @param name name of the resource
   * @param args the cluster, and the current state of its components
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: EdgePreconditionsArgs, options?: pulumi.ComponentResourceOptions) {
    super('EdgePreconditions', name, withoutPresent(args), withFormerType(options, formerType(args)));
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(
      args ?? {},
      (props: EdgePreconditionsProps, scope) =>
        planEdgePreconditions(props, scope, scope.path, { fieldManager: plain(checkFieldManager) }),
      { awaits: (kind) => (kind === 'DaemonSet' ? 'first Pod' : 'nothing'), fieldManager: args?.fieldManager },
    );
    this.report = output(attributes.report as Precondition[]).apply(printablePreconditions);
    this.artifacts = output(attributes.artifacts as EdgeArtifact[]);
    this.commands = output(attributes.commands as string[]);
    this.resources = resources;
    this.registerOutputs({ artifacts: this.artifacts, commands: this.commands });
  }
}

/** Without the present Corefile, which is not an intention: it contains the edits after the first update, so the second one would show a change. */
function withoutPresent(args: EdgePreconditionsArgs): object {
  const edits: unknown = args?.corefile;
  return isMap(edits) ? { ...args, corefile: { ...edits, corefile: undefined } } : args;
}

/** The former type of a component of one precondition. */
function formerType(args: EdgePreconditionsArgs): string | undefined {
  const only: unknown = args?.only;
  const names = itemsOf(only);
  return names.length === 1 ? FORMER_TYPES[names[0] as PreconditionName] : undefined;
}
