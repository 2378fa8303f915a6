import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { JoinMachine } from './node-join-props.js';

/**
 * Properties of a {@link ServingCertificateApprover}: which serving certificates of kubelets are approved, and by what.
 *
 * @category Join nodes
 */
export interface ServingCertificateApproverProps {
  /** The cluster. */
  readonly cluster: EdgeCluster;
  /** The machines of joins, as in `machines` of {@link NodeJoin}: their names, and their addresses where they are static.
   * @default - none */
  readonly machines?: JoinMachine[];
  /** Names of further nodes.
   * @default - none */
  readonly nodeNames?: string[];
  /** Regular expression for the names of further nodes, which must match the whole name: `shop-[0-9]{4}`. Only syntax that Go and JavaScript share.
   * @default - none */
  readonly namePattern?: string;
  /** Addresses that certificates may have: IP addresses, or ranges (CIDR). Required, unless the approver is only for `machines` that all have an `address`.
   * @default - the addresses of the machines */
  readonly addresses?: string[];
  /** Whether the name must resolve to the addresses in the certificate, by the DNS of the cluster.
   * @default false, because names of edge machines are often in no DNS */
  readonly resolvesNames?: boolean;
  /** Whether all other requests for serving certificates are denied. By default they wait for somebody else, for example the cloud provider's approver.
   * @default false */
  readonly deniesOthers?: boolean;
  /** The longest time that a kubelet may ask for, in days, 1 to 367.
   * @default 367 */
  readonly maxDays?: number;
  /** Number of Pods, 1 to 5. With more than one, one of them works, by a Lease.
   * @default 2 */
  readonly replicas?: number;
  /** Image of kubelet-csr-approver, with a tag or a digest.
   * @default - ghcr.io/postfinance/kubelet-csr-approver, in the release with which it was tried */
  readonly image?: string;
  /** Namespace of its Pods.
   * @default kube-system */
  readonly namespace?: string;
  /** Priority of its Pods.
   * @default system-cluster-critical */
  readonly priorityClassName?: string;
}
