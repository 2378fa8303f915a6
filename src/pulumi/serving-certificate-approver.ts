import type * as pulumi from '@pulumi/pulumi';
import { planServingCertificates, type ServingCertificateApproverProps } from '../join/serving-certificate-approver.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of {@link ServingCertificateApprover}.
 *
 * @category Join nodes
 */
export interface ServingCertificateApproverArgs extends WithInputs<
  ServingCertificateApproverProps,
  'cluster' | 'machines' | 'replicas'
> {}

/**
 * Approves the serving certificates that kubelets ask for (`machineSettings: { servingCertificates: true }` of {@link NodeJoin}), by kubelet-csr-approver: a
 * request of a node for a certificate with its own name, if name and addresses are among those of your nodes. It runs on no host-network node.
 *
 * @category Join nodes
 */
export class ServingCertificateApprover extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planServingCertificates;
  /** The regular expression for names, as the program gets it. */
  declare public readonly nameRegex: pulumi.Output<string>;
  /** The ranges of addresses, as the program gets them. */
  declare public readonly ipPrefixes: pulumi.Output<readonly string[]>;

  /**
   * @param name name of the resource
   * @param args the names and addresses of your nodes
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ServingCertificateApproverArgs, options?: pulumi.ComponentResourceOptions) {
    super('ServingCertificateApprover', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output } = this.render(args ?? {}, planServingCertificates, {
      // a cluster without a regular node that is ready would be awaited in vain
      awaits: (kind) => (kind === 'Deployment' ? 'nothing' : 'all'),
    });
    this.nameRegex = output(attributes.nameRegex);
    this.ipPrefixes = output(attributes.ipPrefixes);
    this.registerOutputs({ nameRegex: this.nameRegex, ipPrefixes: this.ipPrefixes });
  }
}
