import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ApplicationCredential, OpenStackPassword } from './openstack-credentials.js';

/**
 * How kuryr authenticates to OpenStack. Exactly one of `applicationCredential` and `password` is given.
 *
 * @category Machines on OpenStack
 */
export interface KuryrKeystone {
  /** Address of Keystone, `https://keystone.example/v3`. */
  readonly authUrl: string;
  /** Region of OpenStack.
   * @default - the only one */
  readonly region?: string;
  /** An application credential, which can be revoked on its own.
   * @default - password */
  readonly applicationCredential?: ApplicationCredential;
  /** A user with a password.
   * @default - applicationCredential */
  readonly password?: OpenStackPassword;
}

/**
 * Images of kuryr, which you build from its release 10.0.0: nobody publishes any.
 *
 * @category Machines on OpenStack
 */
export interface KuryrImages {
  /** Image of the controller (its `controller.Dockerfile`), with a tag or a digest. */
  readonly controller: string;
  /** Image of the daemon on each node (its `cni.Dockerfile`), with a tag or a digest. */
  readonly cni: string;
}

/**
 * Ports that are made before Pods need them.
 *
 * @category Machines on OpenStack
 */
export interface KuryrPortPool {
  /** Ports that are free at least.
   * @default 5 */
  readonly min?: number;
  /** Ports that are free at most; 0 is not a limit.
   * @default 0 */
  readonly max?: number;
  /** Ports that are made at once.
   * @default 10 */
  readonly batch?: number;
}

/**
 * Properties of {@link KuryrKubernetes}.
 *
 * @category Machines on OpenStack
 */
export interface KuryrKubernetesProps {
  /** The cluster, with its `apiServer`. */
  readonly cluster: EdgeCluster;
  /** `true`: you know that kuryr-kubernetes was retired in 2024 and gets no fixes. A new cluster needs another CNI. */
  readonly acknowledgeRetired: boolean;
  /** Your own images: there are none to pull. */
  readonly images: KuryrImages;
  /** How the controller authenticates to Keystone. Its nodes do not.
   * @default - secretName */
  readonly keystone?: KuryrKeystone;
  /** Name of a Secret that exists already, whose key `credentials.conf` has the section `[neutron]`.
   * @default - keystone */
  readonly secretName?: string;
  /** Certificates that sign those of OpenStack, as PEM text.
   * @default - those of the image */
  readonly caCertificates?: string;
  /** Id of the project in which the ports are made. */
  readonly project: string;
  /** Id of the subnet of the Pods. */
  readonly podSubnet: string;
  /** Ids of the security groups of the Pods. */
  readonly podSecurityGroups: string[];
  /** How a Pod gets its port: `neutron-vif` at the bridge of a node with a Neutron agent, `nested-vlan` in the trunk port of a machine of Nova.
   * @default neutron-vif */
  readonly vifDriver?: 'neutron-vif' | 'nested-vlan';
  /** Bridge of Open vSwitch on the nodes.
   * @default br-int */
  readonly ovsBridge?: string;
  /** Ids of the subnets of the nodes, for `nested-vlan`.
   * @default - none */
  readonly workerSubnets?: string[];
  /** Interface of the nodes with the trunk, for `nested-vlan`.
   * @default - the one on which kubelet listens, else the first */
  readonly linkInterface?: string;
  /** Ports that are made before Pods need them.
   * @default - each port is made for its Pod */
  readonly pool?: KuryrPortPool;
  /** Whether `portmap` follows kuryr on each node, for `hostPort`. It must be in `/opt/cni/bin`.
   * @default true */
  readonly portmap?: boolean;
  /** Whether the CustomResourceDefinition of KuryrPort is made, the only one that is needed here. It stays when this is removed.
   * @default create */
  readonly definition?: 'create' | 'external';
  /** Namespace of everything.
   * @default kube-system */
  readonly namespace?: string;
  /** Whether the Secret is one of the synthesized manifests. Without it, `writeArtifacts` writes it into `secrets/`.
   * @default false */
  readonly inManifest?: boolean;
}
