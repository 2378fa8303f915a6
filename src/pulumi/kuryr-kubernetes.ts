import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../cluster/scope.js';
import { planKuryrKubernetes } from '../control-plane/kuryr-kubernetes.js';
import type { KuryrKubernetesProps } from '../control-plane/kuryr-props.js';
import type { SecretReference } from '../control-plane/volume-snapshot-class.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link KuryrKubernetes}.
 *
 * @category Machines on OpenStack
 */
export interface KuryrKubernetesArgs extends WithInputs<
  Omit<KuryrKubernetesProps, 'inManifest'>,
  'cluster' | 'acknowledgeRetired' | 'vifDriver' | 'definition'
> {}

/**
 * kuryr-kubernetes as CNI, for a cluster that has it already: it was retired in 2024. It gives Pods addresses of Neutron, kube-proxy serves Services. It is
 * excluded from host-network nodes, which need no CNI.
 *
 * @category Machines on OpenStack
 */
export class KuryrKubernetes extends EdgeComponent {
  /** The Secret with the credentials. */
  declare public readonly secret: pulumi.Output<SecretReference>;

  /**
   * @param name name of the resource
   * @param args your images, the credentials, and the subnet of the Pods
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER; no message contains a credential
   */
  constructor(name: string, args: KuryrKubernetesArgs, options?: pulumi.ComponentResourceOptions) {
    const { keystone, ...others } = args ?? {};
    // credentials are secrets in the state, whether they are given as such or not
    super('KuryrKubernetes', name, { ...others, ...(keystone && { keystone: pulumi.secret(keystone) }) }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const plan = (props: KuryrKubernetesProps, scope: Scope): ReturnType<typeof planKuryrKubernetes> =>
      planKuryrKubernetes(props?.keystone === undefined ? props : { ...props, inManifest: true }, scope);
    const { attributes, output } = this.render(args ?? {}, plan, {
      // a cluster whose first node joins later, or has a node that is offline, would be awaited in vain
      awaits: (kind) => (/^(DaemonSet|Deployment)$/.test(kind) ? 'nothing' : 'all'),
    });
    this.secret = output(attributes.secret);
    this.registerOutputs({ secret: this.secret });
  }
}
