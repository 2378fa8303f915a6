import type { NodePoolAttributes } from '../pools/node-pool.js';

/**
 * The disk of a machine as a volume of Cinder.
 *
 * @category Machines on OpenStack
 */
export interface RootVolume {
  /** Size in GiB. */
  readonly sizeGib: number;
  /** Volume type of Cinder.
   * @default - the default type */
  readonly type?: string;
  /** Availability zone of the volume, for an OpenStack with other zones for volumes than for machines.
   * @default - the zone of the machine */
  readonly availabilityZone?: string;
}

/**
 * A network port of a machine.
 *
 * @category Machines on OpenStack
 */
export interface MachinePort {
  /** Name of the network.
   * @default - networkId, else the network of the cluster */
  readonly network?: string;
  /** Id of the network.
   * @default - network */
  readonly networkId?: string;
  /** Whether Neutron filters its traffic. Write false only where something else has to: without it there are no security groups, and any address can be
   * used as the source.
   * @default - as the network says */
  readonly portSecurity?: boolean;
}

/**
 * Properties of {@link OpenStackMachines}.
 *
 * @category Machines on OpenStack
 */
export interface OpenStackMachinesProps {
  /** The pool that the machines join. */
  readonly pool: NodePoolAttributes;
  /** Name of the Cluster of Cluster API. */
  readonly clusterName: string;
  /** Name of the KubeadmConfigTemplate of the pool: its `templateName`. */
  readonly bootstrapTemplate: string;
  /** Kubernetes version of the machines, with its patch: `v1.36.2`. Its minor is that of the cluster of the pool. */
  readonly version: string;
  /** Name of the flavor. */
  readonly flavor: string;
  /** Name of the image.
   * @default - imageId */
  readonly image?: string;
  /** Id of the image.
   * @default - image */
  readonly imageId?: string;
  /** Machines in each failure domain.
   * @default 1 */
  readonly replicas?: number;
  /** Availability zones of Nova. Each gets a MachineDeployment of its own.
   * @default - one MachineDeployment, in the zone that Nova chooses */
  readonly failureDomains?: string[];
  /** Disk of the machines as a volume.
   * @default - the disk of the flavor */
  readonly rootVolume?: RootVolume;
  /** Ports of the machines.
   * @default - one, in the network of the cluster */
  readonly ports?: MachinePort[];
  /** Names of security groups.
   * @default - those of the cluster */
  readonly securityGroups?: string[];
  /** Id of a server group, for anti-affinity.
   * @default - none */
  readonly serverGroupId?: string;
  /** Name of the key pair for SSH.
   * @default - none */
  readonly sshKeyName?: string;
  /** Whether the user data is also on a config drive, for networks without a metadata service.
   * @default true */
  readonly configDrive?: boolean;
  /** Name of the MachineDeployments; with failure domains, the zone is added.
   * @default - the name of the pool */
  readonly name?: string;
  /** Namespace of the objects, which must be that of the Cluster.
   * @default - the namespace of the chart, else default */
  readonly namespace?: string;
  /** API version of the provider (cluster-api-provider-openstack): `v1beta2` from 0.15 on.
   * @default v1beta1 */
  readonly providerVersion?: 'v1beta1' | 'v1beta2';
  /** API version of Cluster API: `v1beta2` from 1.11 on. Also that of the KubeadmConfigTemplate.
   * @default v1beta2 */
  readonly clusterApiVersion?: 'v1beta1' | 'v1beta2';
}
