// The entry point `edge-nodepools/pulumi/control-plane`.
import './peers.js';
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ComponentResourceOptions as Options } from '@pulumi/pulumi';
import { type CinderStorageClassProps, planCinderStorageClass } from '../control-plane/cinder-storage-class.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { defineOutputs, noteAttributes } from './outputs.js';
import { planControlPlaneQos } from '../control-plane/control-plane-qos.js';
import type { ControlPlaneQosProps } from '../control-plane/control-plane-qos-props.js';
import type { NodeFile } from '../join/node-file.js';
import { type SystemComponentReport, printableComponents } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { type EtcdMemberFiles, planEtcdCluster } from '../control-plane/etcd-cluster.js';
import type { EtcdCertificates, EtcdClusterProps, EtcdMember } from '../control-plane/etcd-cluster-props.js';
import type { SecurityGroupRule, ServerGroup } from '../control-plane/etcd-network.js';
import type { Scope } from '../cluster/scope.js';
import { planKuryrKubernetes } from '../control-plane/kuryr-kubernetes.js';
import type { KuryrKubernetesProps } from '../control-plane/kuryr-props.js';
import {
  type SecretReference,
  type VolumeSnapshotClassProps,
  planVolumeSnapshotClass,
} from '../control-plane/volume-snapshot-class.js';
import { type ManilaCredentialsProps, planManilaCredentials } from '../control-plane/manila-credentials.js';
import { isMap } from '../base/plain-data.js';
import { type ManilaStorageClassProps, planManilaStorageClass } from '../control-plane/manila-storage-class.js';
import { type NfsVolumeProps, planNfsVolume } from '../control-plane/nfs-volume.js';
import { type OpenStackMachinesProps, planOpenStackMachines } from '../control-plane/openstack-machines.js';
import type { INodePool } from './node-pool.js';
import { planPersistentData } from '../control-plane/persistent-data.js';
import type {
  DataConsumer,
  DataPropsOf,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
} from '../control-plane/persistent-data-props.js';

export * from '../control-plane/index.js';

/**
 * Arguments of a {@link CinderStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface CinderStorageClassArgs extends WithInputs<CinderStorageClassProps, 'encrypted'> {}

/**
 * A StorageClass for volumes of Cinder (`cinder.csi.openstack.org`), for data that must survive its Pods: the volumes are kept when their claims are
 * deleted, are made in the zone of their node, and can grow. The driver is installed with its own Helm chart. A change of what is immutable replaces
 * the class; its volumes and claims stay.
 *
 * @category Store data on OpenStack
 */
export class CinderStorageClass extends EdgeComponent {
  /** The StorageClass. */
  declare public readonly resource: k8s.storage.v1.StorageClass;
  /** Name of the StorageClass. */
  declare public readonly storageClassName: pulumi.Output<string>;
  /** Volumes of Cinder are block devices. */
  public readonly medium = 'block';
  /** Whether the volumes are encrypted. */
  declare public readonly encrypted: boolean;

  /**
   * @param name name of the resource
   * @param args name, volume type and zones
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: CinderStorageClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('CinderStorageClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planCinderStorageClass);
    noteAttributes(this, attributes);
    this.resource = resources[0] as k8s.storage.v1.StorageClass;
    this.storageClassName = output(attributes.storageClassName);
    this.encrypted = attributes.encrypted;
    const { storageClassName, medium, encrypted } = this;
    this.registerOutputs({ storageClassName, medium, encrypted });
  }
}

/**
 * Arguments of {@link ControlPlaneQos}: plain values, because they determine which resources exist.
 *
 * @category Run the control plane
 */
export interface ControlPlaneQosArgs extends WithInputs<ControlPlaneQosProps, keyof ControlPlaneQosProps> {}

/**
 * QoS and priorities of a control plane: kubeadm patches of its static Pods, patches of components that run already, and PriorityClasses. Give each
 * workload of your own its resources with {@link withQos}.
 *
 * A patch takes over CPU and memory of its component. It does not await the rollout, and stays when it is removed from the program, because nothing could
 * restore the former amounts.
 *
 * @category Run the control plane
 */
export class ControlPlaneQos extends EdgeComponent {
  /** The PriorityClasses, and then the patches. */
  declare public readonly resources: readonly pulumi.CustomResource[];
  /** Files for `kubeadm init|join|upgrade --patches`. */
  declare public readonly kubeadmPatches: pulumi.Output<EdgeArtifact[]>;
  /** The same files on a machine: for `files` of a KubeadmControlPlane of Cluster API, or `write_files` of cloud-init. */
  declare public readonly files: pulumi.Output<NodeFile[]>;
  /** The InitConfiguration of kubeadm that applies them, without its other fields. */
  declare public readonly initConfiguration: pulumi.Output<Record<string, unknown>>;
  /** The JoinConfiguration of further machines of the control plane, without its other fields. */
  declare public readonly joinConfiguration: pulumi.Output<Record<string, unknown>>;
  /** How each component is patched, and what reverts that; `report.apply(String)` is a table without the commands. */
  declare public readonly report: pulumi.Output<SystemComponentReport[]>;

  /**
   * @param name name of the resource
   * @param args the cluster, and a profile for each part of its control plane
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ControlPlaneQosArgs, options?: pulumi.ComponentResourceOptions) {
    super('ControlPlaneQos', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { fieldManager } = args ?? {};
    const { attributes, output, resources } = this.render(args ?? {}, planControlPlaneQos, { fieldManager });
    this.resources = resources;
    this.kubeadmPatches = output([...attributes.kubeadmPatches]);
    this.files = output([...attributes.files]);
    this.initConfiguration = output<Record<string, unknown>>(attributes.initConfiguration);
    this.joinConfiguration = output<Record<string, unknown>>(attributes.joinConfiguration);
    this.report = output([...attributes.report]).apply((rows) => printableComponents(rows, 'PATCHED BY'));
    const { kubeadmPatches, files, initConfiguration, joinConfiguration, report } = this;
    this.registerOutputs({ kubeadmPatches, files, initConfiguration, joinConfiguration, report });
  }
}

/**
 * Arguments of an {@link EtcdCluster}.
 *
 * @category Run the control plane
 */
export interface EtcdClusterArgs extends WithInputs<
  Omit<EtcdClusterProps, 'members' | 'certificates'>,
  'cluster' | 'artifactFolder'
> {
  /** The members: 3, 5 or 7. With 3, one can fail; with 5, two. More make every write slower. */
  readonly members: WithInputs<EtcdMember, 'name'>[];
  /** Where the certificates come from. */
  readonly certificates: WithInputs<EtcdCertificates, 'source'>;
}

/**
 * An etcd cluster on machines of its own, each with a fast volume, for the control plane of a Kubernetes cluster: the user data of each member, the
 * certificates, and what kubeadm and Cluster API need to use it. A member never starts while its volume is not mounted, and formats a volume only if it is
 * blank.
 *
 * It has resources only with cert-manager, with the Secrets of Cluster API, or with alerts.
 *
 * @category Run the control plane
 */
export class EtcdCluster extends EdgeComponent {
  /** The files of each member, in the order of `members`: user data, script, and the single files. */
  declare public readonly members: pulumi.Output<EtcdMemberFiles[]>;
  /** The ClusterConfiguration of kubeadm with this etcd. Its `etcd` is also that of a KubeadmControlPlane. */
  declare public readonly clusterConfiguration: pulumi.Output<Record<string, unknown>>;
  /** Flags of the API server, for control planes without kubeadm. */
  declare public readonly apiServerFlags: pulumi.Output<string[]>;
  /** The script that makes or fetches the certificates; undefined if you make them. */
  declare public readonly certificatesScript: pulumi.Output<string | undefined>;
  /** The server group that keeps the members on different hosts, for the machines that you create. */
  declare public readonly serverGroup: pulumi.Output<ServerGroup>;
  /** The rules of the security group of the members: each other, `clients` and `monitoring`. */
  declare public readonly securityGroupRules: pulumi.Output<SecurityGroupRule[]>;
  /** The user data and the scripts as files, for tools that read files. */
  declare public readonly artifacts: pulumi.Output<EdgeArtifact[]>;

  /**
   * @param name name of the resource
   * @param args the members, their volumes, and where their certificates come from
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER. No message contains a key
   */
  constructor(name: string, args: EtcdClusterArgs, options?: pulumi.ComponentResourceOptions) {
    const { clusterApi, ...others } = args ?? {};
    super(
      'EtcdCluster',
      name,
      clusterApi === undefined ? others : { ...others, clusterApi: guarded(clusterApi) },
      options,
    );
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output } = this.render(args ?? {}, (props, scope) => planEtcdCluster(props, scope, Date.now()));
    this.members = output(attributes.members as EtcdMemberFiles[]);
    this.clusterConfiguration = output(attributes.clusterConfiguration);
    this.apiServerFlags = output(attributes.apiServerFlags as string[]);
    this.certificatesScript = output(attributes.certificatesScript);
    this.serverGroup = output(attributes.serverGroup);
    this.securityGroupRules = output(attributes.securityGroupRules as SecurityGroupRule[]);
    this.artifacts = output(attributes.artifacts as EdgeArtifact[]);
    const { members, clusterConfiguration, apiServerFlags, certificatesScript } = this;
    const { serverGroup, securityGroupRules } = this;
    this.registerOutputs({
      ...{ members, clusterConfiguration, apiServerFlags, certificatesScript },
      ...{ serverGroup, securityGroupRules },
    });
  }
}

/** The key is a secret in the state, whether it is given as one or not. */
function guarded(clusterApi: NonNullable<EtcdClusterArgs['clusterApi']>): unknown {
  return pulumi.secret(clusterApi);
}

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

/** What is secret of each way to authenticate. */
const SECRETS = [
  ['applicationCredential', 'secret'],
  ['password', 'password'],
] as const;

/**
 * Arguments of {@link ManilaCredentials}. Exactly one of `applicationCredential` and `password` is given.
 *
 * @category Store data on OpenStack
 */
export interface ManilaCredentialsArgs extends WithInputs<Omit<ManilaCredentialsProps, 'inManifest'>> {}

/**
 * The Secret with the credentials of Manila. The credentials are also secrets in the state.
 *
 * @category Store data on OpenStack
 */
export class ManilaCredentials extends EdgeComponent {
  /** The Secret. */
  declare public readonly resource: k8s.core.v1.Secret;
  /** The Secret, for a {@link ManilaStorageClass} and a {@link VolumeSnapshotClass}. */
  declare public readonly secret: pulumi.Output<SecretReference>;

  /**
   * @param name name of the resource
   * @param args name of the Secret, and the credentials
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER; no message contains a credential
   */
  constructor(name: string, args: ManilaCredentialsArgs, options?: pulumi.ComponentResourceOptions) {
    const given = { ...args };
    for (const [way, field] of SECRETS) {
      const credentials: unknown = given[way];
      if (credentials !== undefined) {
        const own = isMap(credentials) ? { ...credentials, [field]: pulumi.secret(credentials[field]) } : undefined;
        Object.assign(given, { [way]: own ?? pulumi.secret(credentials) });
      }
    }
    super('ManilaCredentials', name, given, options);
    if (options?.urn !== undefined) {
      return;
    }
    const plan = (props: ManilaCredentialsProps, scope: Scope): ReturnType<typeof planManilaCredentials> =>
      planManilaCredentials({ ...props, inManifest: true }, scope);
    const { attributes, output, resources } = this.render(given, plan);
    this.resource = resources[0] as k8s.core.v1.Secret;
    this.secret = output(attributes.secret);
    this.registerOutputs({ secret: this.secret });
  }
}

/**
 * Arguments of a {@link ManilaStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface ManilaStorageClassArgs extends WithInputs<
  ManilaStorageClassProps,
  'protocol' | 'autoTopology' | 'hostNetworkPools' | 'driverRelease' | 'cluster'
> {}

/**
 * A StorageClass for shares of Manila, which many nodes mount at once (ReadWriteMany): over NFS, with the addresses that may mount them, or as CephFS. The
 * driver is installed with its own Helm chart, with `driverValues`. A change of what is immutable replaces the class; its volumes and claims stay.
 *
 * @category Store data on OpenStack
 */
export class ManilaStorageClass extends EdgeComponent {
  /** The StorageClass. */
  declare public readonly resource: k8s.storage.v1.StorageClass;
  /** Name of the StorageClass. */
  declare public readonly storageClassName: pulumi.Output<string>;
  /** What its volumes are. */
  declare public readonly medium: 'nfs' | 'cephfs';
  /** Values for the chart of the driver, `openstack-manila-csi`: its node plugin stays away from host-network nodes. */
  declare public readonly driverValues: pulumi.Output<Record<string, unknown>>;
  /** Arguments of the node plugin for machines outside of this OpenStack; empty unless hostNetworkPools is include. */
  declare public readonly nodeArguments: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args name, protocol, share type, and who may mount
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ManilaStorageClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('ManilaStorageClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resources } = this.render(args ?? {}, planManilaStorageClass);
    const { storageClassName, medium, driverValues, nodeArguments } = attributes;
    noteAttributes(this, { storageClassName, medium });
    Object.assign(this, { medium });
    this.resource = resources[0] as k8s.storage.v1.StorageClass;
    defineOutputs(this, {
      storageClassName: () => output(storageClassName),
      driverValues: () => output(driverValues),
      nodeArguments: () => output(nodeArguments),
    });
    this.registerOutputs(input({ storageClassName, medium, driverValues, nodeArguments }));
  }
}

/**
 * Arguments of an {@link NfsVolume}. `exportLocation` can be an Output of a share of `@pulumi/openstack`.
 *
 * @category Store data on OpenStack
 */
export interface NfsVolumeArgs extends WithInputs<NfsVolumeProps, 'mode' | 'accessMode'> {}

/**
 * A share that exists already, as a PersistentVolume and the claim that is bound to it, in one namespace. It works on nodes of any kind, also on
 * host-network nodes and outside of OpenStack: the node mounts it, and nothing asks OpenStack.
 *
 * @category Store data on OpenStack
 */
export class NfsVolume extends EdgeComponent {
  /** The PersistentVolume. */
  declare public readonly volume: k8s.core.v1.PersistentVolume;
  /** The claim. */
  declare public readonly claim: k8s.core.v1.PersistentVolumeClaim;
  /** Name of the claim. */
  declare public readonly claimName: pulumi.Output<string>;
  /** It is a share. */
  public readonly medium = 'nfs';

  /**
   * @param name name of the resource
   * @param args name, where the share is, and its size
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: NfsVolumeArgs, options?: pulumi.ComponentResourceOptions) {
    super('NfsVolume', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planNfsVolume);
    noteAttributes(this, attributes);
    const [volume, claim] = resources;
    Object.assign(this, { volume, claim });
    this.claimName = output(attributes.claimName);
    const { claimName, medium } = this;
    this.registerOutputs({ claimName, medium });
  }
}

/**
 * Arguments of {@link OpenStackMachines}.
 *
 * @category Machines on OpenStack
 */
export interface OpenStackMachinesArgs extends WithInputs<
  Omit<OpenStackMachinesProps, 'pool'>,
  'failureDomains' | 'providerVersion' | 'clusterApiVersion'
> {
  /** The pool that the machines join. */
  readonly pool: INodePool;
}

/**
 * Machines of OpenStack for a pool, made by Cluster API: an OpenStackMachineTemplate, and a MachineDeployment for each failure domain, which use the
 * {@link KubeadmConfigTemplate} of the pool.
 *
 * @category Machines on OpenStack
 */
export class OpenStackMachines extends EdgeComponent {
  /** The template and the MachineDeployments. */
  declare public readonly resources: k8s.apiextensions.CustomResource[];
  /** Name of the OpenStackMachineTemplate; another machine is another template. */
  declare public readonly machineTemplateName: pulumi.Output<string>;
  /** Names of the MachineDeployments. */
  declare public readonly deploymentNames: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args the pool, and what its machines are
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: OpenStackMachinesArgs, options?: pulumi.ComponentResourceOptions) {
    super('OpenStackMachines', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planOpenStackMachines);
    this.resources = resources as k8s.apiextensions.CustomResource[];
    this.machineTemplateName = output(attributes.machineTemplateName);
    this.deploymentNames = output(attributes.deploymentNames);
    const { machineTemplateName, deploymentNames } = this;
    this.registerOutputs({ machineTemplateName, deploymentNames });
  }
}

/**
 * Arguments of a {@link PersistentData}.
 *
 * @category Store data on OpenStack
 */
export interface PersistentDataArgs extends WithInputs<
  PersistentDataProps,
  // they determine which resources exist, or how many
  'consumer' | 'replicas' | 'accessMode' | 'retain' | 'encrypted'
> {}

/**
 * Arguments for data of one kind of consumer.
 *
 * @category Store data on OpenStack
 */
export type DataArgsOf<Consumer extends DataConsumer> = Pick<PersistentDataArgs, keyof DataPropsOf<Consumer>>;

/**
 * Where a program keeps its data: the fields for its own object, which its operator turns into volumes; for a Deployment also the claim. Storage that
 * does not fit is refused: a database on a share, one volume for several nodes, more data than the volume holds.
 *
 * @category Store data on OpenStack
 */
export class PersistentData extends EdgeComponent {
  /**
   * Data of a Prometheus of prometheus-operator: `data.spec.apply((spec) => ({ …, ...spec }))`.
   *
   * @param name name of the resource
   * @param args name of the Prometheus, storage and size, and how much is kept
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forPrometheus(name: string, args: DataArgsOf<'prometheus'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'prometheus' }, options);
  }

  /**
   * Data of an Alertmanager of prometheus-operator: `data.spec.apply((spec) => ({ …, ...spec }))`.
   *
   * @param name name of the resource
   * @param args name of the Alertmanager, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forAlertmanager(name: string, args: DataArgsOf<'alertmanager'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'alertmanager' }, options);
  }

  /**
   * Data of an Elasticsearch of Elastic Cloud on Kubernetes: `data.spec.apply((spec) => ({ …, ...spec }))`. Without it the operator makes
   * volumes of 1Gi, and deletes them with the Elasticsearch.
   *
   * @param name name of the resource
   * @param args name of the Elasticsearch, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forElasticsearch(name: string, args: DataArgsOf<'elasticsearch'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'elasticsearch' }, options);
  }

  /**
   * Data of Loki, as one process on one volume: `helmValues` for its chart.
   *
   * @param name name of the resource
   * @param args name of the StatefulSet of Loki, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forLoki(name: string, args: DataArgsOf<'loki'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'loki' }, options);
  }

  /**
   * Data of a StatefulSet, with a volume for each replica: `data.spec.apply((spec) => ({ …, ...spec }))`, and `data.volumeMounts` in its container.
   *
   * @param name name of the resource
   * @param args name of the StatefulSet, storage, size and where it is mounted
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forStatefulSet(name: string, args: DataArgsOf<'statefulSet'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'statefulSet' }, options);
  }

  /**
   * Data of a Deployment, on one volume: creates its claim. `data.spec.apply((spec) => ({ …, ...spec }))`, `data.volumes`
   * in its Pod template, and `data.volumeMounts` in its container.
   *
   * @param name name of the resource
   * @param args name of the Deployment, storage, size and where it is mounted
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forDeployment(name: string, args: DataArgsOf<'deployment'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'deployment' }, options);
  }

  /** Fields for the `spec` of the consumer; empty for Loki. */
  declare public readonly spec: pulumi.Output<Record<string, unknown>>;
  /** Values for the Helm chart of the consumer: kube-prometheus-stack, eck-elasticsearch or loki; empty for workloads. */
  declare public readonly helmValues: pulumi.Output<Record<string, unknown>>;
  /** Names of the claims. */
  declare public readonly claimNames: pulumi.Output<string[]>;
  /** Volumes for the Pod template of a Deployment; empty for others. */
  declare public readonly volumes: pulumi.Output<DataVolume[]>;
  /** Mounts for the container of a StatefulSet or a Deployment; empty for others. */
  declare public readonly volumeMounts: pulumi.Output<DataVolumeMount[]>;

  /**
   * @param name name of the resource
   * @param args what keeps the data, where, and how much
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: PersistentDataArgs, options?: Options) {
    super('PersistentData', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output } = this.render(args ?? {}, planPersistentData);
    defineOutputs(this, {
      spec: () => output(attributes.spec),
      helmValues: () => output(attributes.helmValues),
      claimNames: () => output(attributes.claimNames),
      volumes: () => output(attributes.volumes),
      volumeMounts: () => output(attributes.volumeMounts),
    });
    this.registerOutputs(input(attributes));
  }
}

/**
 * Arguments of a {@link VolumeSnapshotClass}.
 *
 * @category Store data on OpenStack
 */
export interface VolumeSnapshotClassArgs extends WithInputs<VolumeSnapshotClassProps, 'driver'> {}

/**
 * A VolumeSnapshotClass for snapshots or backups of volumes of Cinder, or for snapshots of shares of Manila. It needs the resource definitions and the
 * controller of external-snapshotter.
 *
 * @category Store data on OpenStack
 */
export class VolumeSnapshotClass extends EdgeComponent {
  /** The VolumeSnapshotClass. */
  declare public readonly resource: k8s.apiextensions.CustomResource;
  /** Name of the VolumeSnapshotClass. */
  declare public readonly snapshotClassName: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args name, and what is made
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: VolumeSnapshotClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('VolumeSnapshotClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planVolumeSnapshotClass);
    this.resource = resources[0] as k8s.apiextensions.CustomResource;
    this.snapshotClassName = output(attributes.snapshotClassName);
    this.registerOutputs({ snapshotClassName: this.snapshotClassName });
  }
}
