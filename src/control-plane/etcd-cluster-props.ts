import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { UserDataProvider } from '../join/size-limits.js';

/**
 * Minor of etcd. Older ones have other names of flags, and newer API servers no longer support them.
 *
 * @category Run the control plane
 */
export type EtcdVersion = '3.6' | '3.7';

/**
 * How fast the disks of the members and the network between them are, which decides about heartbeats and elections. `fast`: 100 and 1000 ms, for local
 * disks and volumes with a guaranteed rate, in one data centre. `shared`: 250 and 5000 ms, for volumes that others use, too (the values of kubespray).
 * `slow`: 500 and 5000 ms, for disks that stall, or members in several regions.
 *
 * @category Run the control plane
 */
export type EtcdLatency = 'fast' | 'shared' | 'slow';

/**
 * A member of an etcd cluster: one machine.
 *
 * @category Run the control plane
 */
export interface EtcdMember {
  /** Name of the member and host name of its machine (RFC 1123 label). It never changes. */
  readonly name: string;
  /** Fixed IP address of the machine, at which the API servers and the other members reach it. */
  readonly address: string;
  /** Block device of its data, by a path that is stable over reboots: `/dev/disk/by-id/virtio-` and the first 20 characters of the id of a Cinder volume. It
   * is formatted only if it is blank. */
  readonly device: string;
}

/**
 * The programs of etcd, which a member installs. Without them they are in the image; a member does not start with another minor than that of `version`.
 *
 * @category Run the control plane
 */
export interface EtcdDownload {
  /** URL of the archive of a release, `etcd-v3.6.14-linux-amd64.tar.gz`, there or at your mirror. */
  readonly url: string;
  /** SHA-256 of the archive, 64 hex digits. Another archive is not installed. */
  readonly sha256: string;
}

/**
 * An issuer of cert-manager.
 *
 * @category Run the control plane
 */
export interface EtcdIssuer {
  /** Name of the issuer. */
  readonly name: string;
  /** Kind of the issuer.
   * @default Issuer */
  readonly kind?: 'Issuer' | 'ClusterIssuer';
}

/**
 * Where the certificates of an etcd cluster come from. Keys are never in the user data, which every process on a machine can read from the metadata
 * service: a member waits until its files are in `/etc/etcd/pki`.
 *
 * @category Run the control plane
 */
export interface EtcdCertificates {
  /** `files`: you make them. `kubeadm`: the script `certificates.sh` makes them with kubeadm on your computer, where the key of the CA stays.
   * `cert-manager`: Certificates make them in a cluster, and the script fetches them. */
  readonly source: 'files' | 'kubeadm' | 'cert-manager';
  /** Issuer of cert-manager that signs them, with a CA only for this etcd: whoever has a certificate of that CA can read and write everything.
   * @default - a CA of its own, made by cert-manager */
  readonly issuer?: EtcdIssuer;
  /** How long they are valid, in days, at most 3650. `kubeadm` needs Kubernetes 1.31+ for another value than the default.
   * @default 365 */
  readonly days?: number;
}

/**
 * The Secrets that Cluster API needs for an etcd that it does not manage. They exist before the Cluster.
 *
 * @category Run the control plane
 */
export interface EtcdClusterApi {
  /** Name of the Cluster, with which the names of the Secrets begin. */
  readonly clusterName: string;
  /** CA of etcd as PEM. Never its key: Cluster API would write it into the user data of the control plane.
   * @default - with certificates of kubeadm or cert-manager, the script `certificates.sh` makes the Secret */
  readonly caCertificate?: string;
  /** Certificate of the API servers as PEM.
   * @default - as of caCertificate */
  readonly clientCertificate?: string;
  /** Key of the API servers as PEM; a secret.
   * @default - as of caCertificate */
  readonly clientKey?: string;
}

/**
 * Snapshots of an etcd cluster, which a timer takes on every member.
 *
 * @category Run the control plane
 */
export interface EtcdSnapshots {
  /** Hours between snapshots: 1, 2, 3, 4, 6, 8, 12 or 24.
   * @default 6 */
  readonly everyHours?: number;
  /** How many are kept on each member. Each is as large as the data, up to the quota.
   * @default 28 */
  readonly keep?: number;
  /** Folder on each member, not on the volume of the data.
   * @default /var/lib/etcd-snapshots */
  readonly folder?: string;
  /** Command that copies a snapshot to another place, as program and arguments with `{file}` for its path: `['aws', 's3', 'cp', '{file}', 's3://backups/']`.
   * The leader runs it as root, with the variables of `/etc/etcd/upload.env` if that exists: credentials belong there. A snapshot has all Secrets of the
   * cluster, so the place must protect it.
   * @default - snapshots are only on the members */
  readonly upload?: string[];
}

/**
 * Alerts for an etcd cluster: a PrometheusRule of the Prometheus Operator.
 *
 * @category Run the control plane
 */
export interface EtcdAlerts {
  /** Job in Prometheus with the metrics of the members. Without it no alert ever fires. Needed unless Prometheus reads port 2381 of the members
   * (`publicMetrics`): then an agent on each member sends what is at 127.0.0.1.
   * @default - the name of the cluster and `-etcd` */
  readonly job?: string;
  /** Labels by which Prometheus finds the rule.
   * @default - none */
  readonly labels?: Record<string, string>;
}

/**
 * Properties of an {@link EtcdCluster}.
 *
 * @category Run the control plane
 */
export interface EtcdClusterProps {
  /** The Kubernetes cluster whose data it holds. */
  readonly cluster: EdgeCluster;
  /** Name of the etcd cluster (RFC 1123 label): with it begin the names of its objects, and a member of another cluster cannot join by mistake. */
  readonly name: string;
  /** The members: 3, 5 or 7. With 3, one can fail; with 5, two. More make every write slower. */
  readonly members: EtcdMember[];
  /** Where the certificates come from. */
  readonly certificates: EtcdCertificates;
  /** Minor of etcd.
   * @default 3.6 */
  readonly version?: EtcdVersion;
  /** The programs of etcd.
   * @default - etcd, etcdctl and etcdutl are in the image, in a folder of the PATH */
  readonly download?: EtcdDownload;
  /** How fast disks and network are, which sets heartbeat and election timeout.
   * @default fast */
  readonly latency?: EtcdLatency;
  /** Largest size of the data, a quantity of at most 8Gi. A member that reaches it accepts no more writes until it is compacted, defragmented and disarmed.
   * @default 4Gi */
  readonly quota?: string;
  /** Size of each volume, a quantity: it is checked to have room for the data twice, as a defragmentation needs.
   * @default - not checked */
  readonly volumeSize?: string;
  /** File system of a blank device.
   * @default ext4 */
  readonly filesystem?: 'ext4' | 'xfs';
  /** Whether metrics are at port 2381 of the member's address, without TLS and authentication, and not only at 127.0.0.1.
   * @default false */
  readonly publicMetrics?: boolean;
  /** Name or IP address of a load balancer that passes TCP 2379 through, for clients other than API servers, which balance on their own. Certificates get
   * it, too.
   * @default - none */
  readonly loadBalancer?: string;
  /** Snapshots.
   * @default - every 6 hours, 28 on each member */
  readonly snapshots?: EtcdSnapshots;
  /** Hour of the day (UTC) in which the members are defragmented, one at a time, the leader after it has passed its office on.
   * @default 3 */
  readonly defragmentationHour?: number;
  /** Alerts.
   * @default - none */
  readonly alerts?: EtcdAlerts;
  /** Who may connect to port 2379, as CIDRs: the machines of the control plane. For `securityGroupRules`.
   * @default - only the members */
  readonly clients?: string[];
  /** Who may read the metrics, as CIDRs. For `securityGroupRules`.
   * @default - nobody */
  readonly monitoring?: string[];
  /** Secrets for Cluster API.
   * @default - none */
  readonly clusterApi?: EtcdClusterApi;
  /** Namespace of the objects. With clusterApi, that of the Cluster: Cluster API looks for the Secrets only there.
   * @default - that of the chart, else default */
  readonly namespace?: string;
  /** Provider of the machines, which limits the size of the user data.
   * @default openstack */
  readonly provider?: UserDataProvider;
  /** Folder of the artifacts below the output folder.
   * @default etcd */
  readonly artifactFolder?: string;
}
