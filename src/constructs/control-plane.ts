import { Construct } from 'constructs';
import { type CinderStorageClassProps, planCinderStorageClass } from '../control-plane/cinder-storage-class.js';
import type { StorageAttributes } from '../control-plane/storage-attributes.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';
import { Chart } from 'cdk8s';
import { QOS_PATCHES } from '../control-plane/component-qos.js';
import { planControlPlaneQos } from '../control-plane/control-plane-qos.js';
import type { ControlPlaneQosProps } from '../control-plane/control-plane-qos-props.js';
import type { NodeFile } from '../join/node-file.js';
import { type SystemComponentReport, printableComponents } from '../system-components/component-report.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { PrintableReport } from '../base/table.js';
import { type EtcdMemberFiles, planEtcdCluster } from '../control-plane/etcd-cluster.js';
import type { EtcdClusterProps } from '../control-plane/etcd-cluster-props.js';
import type { SecurityGroupRule, ServerGroup } from '../control-plane/etcd-network.js';
import { planKuryrKubernetes } from '../control-plane/kuryr-kubernetes.js';
import type { KuryrKubernetesProps } from '../control-plane/kuryr-props.js';
import {
  type SecretReference,
  type VolumeSnapshotClassProps,
  planVolumeSnapshotClass,
} from '../control-plane/volume-snapshot-class.js';
import { type ManilaCredentialsProps, planManilaCredentials } from '../control-plane/manila-credentials.js';
import { type ManilaStorageClassProps, planManilaStorageClass } from '../control-plane/manila-storage-class.js';
import { type NfsVolumeProps, planNfsVolume } from '../control-plane/nfs-volume.js';
import { type OpenStackMachinesProps, planOpenStackMachines } from '../control-plane/openstack-machines.js';
import { planPersistentData } from '../control-plane/persistent-data.js';
import type {
  DataPropsOf,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
} from '../control-plane/persistent-data-props.js';

/**
 * A StorageClass for volumes of Cinder (`cinder.csi.openstack.org`), for data that must survive its Pods: the volumes are kept when their claims are
 * deleted, are made in the zone of their node, and can grow. The driver is installed with its own Helm chart.
 *
 * `ApiObject.of(storageClass)` is the StorageClass.
 *
 * @category Store data on OpenStack
 */
export class CinderStorageClass extends Construct implements StorageAttributes {
  /** Name of the StorageClass. */
  public readonly storageClassName: string;
  /** Volumes of Cinder are block devices. */
  public readonly medium = 'block';
  /** Whether the volumes are encrypted. */
  public readonly encrypted: boolean;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, volume type and zones
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_MATCHES_NOTHING, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: CinderStorageClassProps) {
    super(parentOf(scope, id, 'CinderStorageClass', props), id);
    const { storageClassName, encrypted } = render(this, planCinderStorageClass(props, scopeOf(this))).attributes;
    this.storageClassName = storageClassName;
    this.encrypted = encrypted;
  }
}

/**
 * QoS and priorities of a control plane: kubeadm patches of its static Pods, patches of components that run already, and PriorityClasses. Give each
 * workload of your own its resources with {@link withQos}.
 *
 * @category Run the control plane
 */
export class ControlPlaneQos extends Construct {
  /** Files for `kubeadm init|join|upgrade --patches`, which {@link writeArtifacts} writes. */
  public readonly kubeadmPatches!: readonly EdgeArtifact[];
  /** The same files on a machine: for `files` of a KubeadmControlPlane of Cluster API, or `write_files` of cloud-init. */
  public readonly files!: readonly NodeFile[];
  /** The InitConfiguration of kubeadm that applies them, without its other fields. */
  public readonly initConfiguration!: Record<string, unknown>;
  /** The JoinConfiguration of further machines of the control plane, without its other fields. */
  public readonly joinConfiguration!: Record<string, unknown>;
  /** How each component is patched, and what reverts that; `String(report)` is a table without the commands. */
  public readonly report: PrintableReport<readonly SystemComponentReport[]>;
  /** Flags with which `kubectl` must apply the patch chart. */
  public readonly applyFlags!: readonly string[];
  /** The chart with the patches of running components, in the folder `patches` of the output folder, to be applied separately; undefined if there are none. */
  public readonly patchChart?: Chart;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and a profile for each part of its control plane
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION, EDGE_QUANTITY, EDGE_RESERVATION, EDGE_MATCHES_NOTHING, EDGE_STRATEGY,
   * EDGE_NAME, EDGE_DUPLICATE, EDGE_ARTIFACT, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ControlPlaneQosProps) {
    super(parentOf(scope, id, 'ControlPlaneQos', props), id);
    const { attributes, stages } = render(this, planControlPlaneQos(props, scopeOf(this)));
    Object.assign(this, attributes);
    this.report = printableComponents(attributes.report, 'PATCHED BY');
    this.patchChart = stages.get(QOS_PATCHES);
  }
}

/**
 * An etcd cluster on machines of its own, each with a fast volume, for the control plane of a Kubernetes cluster: the user data of each member, the
 * certificates, and what kubeadm and Cluster API need to use it. A member never starts while its volume is not mounted, and formats a volume only if it is
 * blank.
 *
 * It has objects only with cert-manager, with the Secrets of Cluster API, or with alerts.
 *
 * @category Run the control plane
 */
export class EtcdCluster extends Construct {
  /** The files of each member, in the order of `members`: user data, script, and the single files. */
  public readonly members: readonly EtcdMemberFiles[];
  /** The ClusterConfiguration of kubeadm with this etcd. Its `etcd` is also that of a KubeadmControlPlane. */
  public readonly clusterConfiguration: Readonly<Record<string, unknown>>;
  /** Flags of the API server, for control planes without kubeadm. */
  public readonly apiServerFlags: readonly string[];
  /** The script that makes or fetches the certificates; undefined if you make them. */
  public readonly certificatesScript?: string;
  /** The server group that keeps the members on different hosts, for the machines that you create. */
  public readonly serverGroup: ServerGroup;
  /** The rules of the security group of the members: each other, `clients` and `monitoring`. */
  public readonly securityGroupRules: readonly SecurityGroupRule[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the members, their volumes, and where their certificates come from
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_QUANTITY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_UNUSED, EDGE_SIZE,
   * EDGE_ARTIFACT, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY. No message contains a key
   */
  constructor(scope: Construct, id: string, props: EtcdClusterProps) {
    super(parentOf(scope, id, 'EtcdCluster', props), id);
    const { attributes } = render(this, planEtcdCluster(props, scopeOf(this, Chart.of(this).namespace), Date.now()));
    this.members = attributes.members;
    this.clusterConfiguration = attributes.clusterConfiguration;
    this.apiServerFlags = attributes.apiServerFlags;
    this.certificatesScript = attributes.certificatesScript;
    this.serverGroup = attributes.serverGroup;
    this.securityGroupRules = attributes.securityGroupRules;
  }
}

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

/**
 * The Secret with the credentials of Manila. It is not among the synthesized manifests, unless that is asked for: `writeArtifacts` writes it into a file of
 * its own, which only its owner can read.
 *
 * @category Store data on OpenStack
 */
export class ManilaCredentials extends Construct {
  /** The Secret, for a {@link ManilaStorageClass} and a {@link VolumeSnapshotClass}. */
  public readonly secret: SecretReference;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name of the Secret, and the credentials
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_CA_BUNDLE, EDGE_TYPE, EDGE_MISSING or
   * EDGE_UNKNOWN_PROPERTY; no message contains a credential
   */
  constructor(scope: Construct, id: string, props: ManilaCredentialsProps) {
    super(parentOf(scope, id, 'ManilaCredentials', props), id);
    this.secret = render(this, planManilaCredentials(props, scopeOf(this))).attributes.secret;
  }
}

/**
 * A StorageClass for shares of Manila, which many nodes mount at once (ReadWriteMany): over NFS, with the addresses that may mount them, or as CephFS. The
 * driver is installed with its own Helm chart, with `driverValues`.
 *
 * `ApiObject.of(storageClass)` is the StorageClass.
 *
 * @category Store data on OpenStack
 */
export class ManilaStorageClass extends Construct implements StorageAttributes {
  /** Name of the StorageClass. */
  public readonly storageClassName!: string;
  /** What its volumes are. */
  public readonly medium!: 'nfs' | 'cephfs';
  /** Values for the chart of the driver, `openstack-manila-csi`: its node plugin stays away from host-network nodes. */
  public readonly driverValues!: Record<string, unknown>;
  /** Arguments of the node plugin for machines outside of this OpenStack; empty unless hostNetworkPools is include. */
  public readonly nodeArguments!: string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, protocol, share type, and who may mount
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ManilaStorageClassProps) {
    super(parentOf(scope, id, 'ManilaStorageClass', props), id);
    Object.assign(this, render(this, planManilaStorageClass(props, scopeOf(this))).attributes);
  }
}

/**
 * A share that exists already, as a PersistentVolume and the claim that is bound to it, in one namespace. It works on nodes of any kind, also on
 * host-network nodes and outside of OpenStack: the node mounts it, and nothing asks OpenStack.
 *
 * @category Store data on OpenStack
 */
export class NfsVolume extends Construct implements StorageAttributes {
  /** Name of the claim. */
  public readonly claimName: string;
  /** Namespace of the claim. */
  public readonly claimNamespace: string;
  /** It is a share. */
  public readonly medium = 'nfs';
  /** Size of the share. */
  public readonly size: string;
  /** Where it is. */
  public readonly exportLocation: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, where the share is, and its size
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_QUANTITY, EDGE_CLUSTER_SERVICE, EDGE_CONTRADICTION, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: NfsVolumeProps) {
    super(parentOf(scope, id, 'NfsVolume', props), id);
    const { attributes } = render(this, planNfsVolume(props, scopeOf(this, Chart.of(this).namespace)));
    this.claimName = attributes.claimName;
    this.claimNamespace = attributes.claimNamespace;
    this.size = attributes.size;
    this.exportLocation = attributes.exportLocation;
  }
}

/**
 * Machines of OpenStack for a pool, made by Cluster API: an OpenStackMachineTemplate, and a MachineDeployment for each failure domain, which use the
 * {@link KubeadmConfigTemplate} of the pool.
 *
 * @category Machines on OpenStack
 */
export class OpenStackMachines extends Construct {
  /** Name of the OpenStackMachineTemplate; another machine is another template. */
  public readonly machineTemplateName!: string;
  /** Names of the MachineDeployments. */
  public readonly deploymentNames!: string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, and what its machines are
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_MATCHES_NOTHING, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: OpenStackMachinesProps) {
    super(parentOf(scope, id, 'OpenStackMachines', props), id);
    Object.assign(this, render(this, planOpenStackMachines(props, scopeOf(this, Chart.of(this).namespace))).attributes);
  }
}

/**
 * Where a program keeps its data: the fields for its own object, which its operator turns into volumes; for a Deployment also the claim. Storage that
 * does not fit is refused: a database on a share, one volume for several nodes, more data than the volume holds.
 *
 * @category Store data on OpenStack
 */
export class PersistentData extends Construct {
  /**
   * Data of a Prometheus of prometheus-operator: `spec: { …, ...data.spec }`.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Prometheus, storage and size, and how much is kept
   * @throws {@link EdgeError} as the constructor
   */
  public static forPrometheus(scope: Construct, id: string, props: DataPropsOf<'prometheus'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'prometheus' });
  }

  /**
   * Data of an Alertmanager of prometheus-operator: `spec: { …, ...data.spec }`.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Alertmanager, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forAlertmanager(scope: Construct, id: string, props: DataPropsOf<'alertmanager'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'alertmanager' });
  }

  /**
   * Data of an Elasticsearch of Elastic Cloud on Kubernetes: `spec: { …, ...data.spec }`. Without it the operator makes volumes of 1Gi, and deletes them
   * with the Elasticsearch.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Elasticsearch, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forElasticsearch(scope: Construct, id: string, props: DataPropsOf<'elasticsearch'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'elasticsearch' });
  }

  /**
   * Data of Loki, as one process on one volume: `helmValues` for its chart.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the StatefulSet of Loki, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forLoki(scope: Construct, id: string, props: DataPropsOf<'loki'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'loki' });
  }

  /**
   * Data of a StatefulSet, with a volume for each replica: `spec: { …, ...data.spec }`, and `data.volumeMounts` in its container.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the StatefulSet, storage, size and where it is mounted
   * @throws {@link EdgeError} as the constructor
   */
  public static forStatefulSet(scope: Construct, id: string, props: DataPropsOf<'statefulSet'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'statefulSet' });
  }

  /**
   * Data of a Deployment, on one volume: creates its claim. `spec: { …, ...data.spec }`, `data.volumes` in its Pod template, and `data.volumeMounts` in
   * its container.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Deployment, storage, size and where it is mounted
   * @throws {@link EdgeError} as the constructor
   */
  public static forDeployment(scope: Construct, id: string, props: DataPropsOf<'deployment'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'deployment' });
  }

  /** Fields for the `spec` of the consumer; empty for Loki. */
  public readonly spec!: Record<string, unknown>;
  /** Values for the Helm chart of the consumer: kube-prometheus-stack, eck-elasticsearch or loki; empty for workloads. */
  public readonly helmValues!: Record<string, unknown>;
  /** Names of the claims. */
  public readonly claimNames!: string[];
  /** Volumes for the Pod template of a Deployment; empty for others. */
  public readonly volumes!: DataVolume[];
  /** Mounts for the container of a StatefulSet or a Deployment; empty for others. */
  public readonly volumeMounts!: DataVolumeMount[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props what keeps the data, where, and how much
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION for storage that does not fit, EDGE_QUANTITY, EDGE_NAME, EDGE_VALUE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: PersistentDataProps) {
    super(parentOf(scope, id, 'PersistentData', props), id);
    Object.assign(this, render(this, planPersistentData(props, scopeOf(this, Chart.of(this).namespace))).attributes);
  }
}

/**
 * A VolumeSnapshotClass for snapshots or backups of volumes of Cinder, or for snapshots of shares of Manila. It needs the resource definitions and the
 * controller of external-snapshotter.
 *
 * `ApiObject.of(snapshotClass)` is the VolumeSnapshotClass.
 *
 * @category Store data on OpenStack
 */
export class VolumeSnapshotClass extends Construct {
  /** Name of the VolumeSnapshotClass. */
  public readonly snapshotClassName: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, and what is made
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: VolumeSnapshotClassProps) {
    super(parentOf(scope, id, 'VolumeSnapshotClass', props), id);
    this.snapshotClassName = render(this, planVolumeSnapshotClass(props, scopeOf(this))).attributes.snapshotClassName;
  }
}
