import { Construct } from 'constructs';
import { planServingCertificates, type ServingCertificateApproverProps } from '../join/serving-certificate-approver.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Approves the serving certificates that kubelets ask for (`machineSettings: { servingCertificates: true }` of {@link NodeJoin}), by kubelet-csr-approver: a
 * request of a node for a certificate with its own name, if name and addresses are among those of your nodes. It runs on no host-network node.
 *
 * @category Join nodes
 */
export class ServingCertificateApprover extends Construct {
  /** The regular expression for names, as the program gets it. */
  public readonly nameRegex: string;
  /** The ranges of addresses, as the program gets them. */
  public readonly ipPrefixes: readonly string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the names and addresses of your nodes
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_DUPLICATE, EDGE_SIZE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ServingCertificateApproverProps) {
    super(parentOf(scope, id, 'ServingCertificateApprover', props), id);
    const { attributes } = render(this, planServingCertificates(props, scopeOf(this)));
    this.nameRegex = attributes.nameRegex;
    this.ipPrefixes = attributes.ipPrefixes;
  }
}
