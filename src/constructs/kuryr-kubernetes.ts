import { Construct } from 'constructs';
import { planKuryrKubernetes } from '../control-plane/kuryr-kubernetes.js';
import type { KuryrKubernetesProps } from '../control-plane/kuryr-props.js';
import type { SecretReference } from '../control-plane/volume-snapshot-class.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * kuryr-kubernetes as CNI, for a cluster that has it already: it was retired in 2024. It gives Pods addresses of Neutron, kube-proxy serves Services. It is
 * excluded from host-network nodes, which need no CNI.
 *
 * @category Machines on OpenStack
 */
export class KuryrKubernetes extends Construct {
  /** The Secret with the credentials. */
  public readonly secret: SecretReference;

  /**
   * @param scope parent
   * @param id construct id
   * @param props your images, the credentials, and the subnet of the Pods
   * @throws {@link EdgeError} with all problems at once: EDGE_API_SERVER, EDGE_NAME, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_UNUSED, EDGE_DUPLICATE,
   * EDGE_CA_BUNDLE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY; no message contains a credential
   */
  constructor(scope: Construct, id: string, props: KuryrKubernetesProps) {
    super(parentOf(scope, id, 'KuryrKubernetes', props), id);
    this.secret = render(this, planKuryrKubernetes(props, scopeOf(this))).attributes.secret;
  }
}
