import type { StorageAttributes } from './storage-attributes.js';

/**
 * A program that keeps data: the custom resources of prometheus-operator (`prometheus`, `alertmanager`) and of Elastic Cloud on Kubernetes
 * (`elasticsearch`), the Helm chart of Loki (`loki`), or a workload of Kubernetes.
 *
 * @category Store data on OpenStack
 */
export type DataConsumer = 'prometheus' | 'alertmanager' | 'elasticsearch' | 'loki' | 'statefulSet' | 'deployment';

/**
 * Snapshots of all volumes of some data.
 *
 * @category Store data on OpenStack
 */
export interface DataSnapshots {
  /** Name of the snapshots; the name of each ends in its claim. Another name takes other snapshots. */
  readonly name: string;
  /** Name of a {@link VolumeSnapshotClass}. */
  readonly className: string;
}

/**
 * A volume of a Pod template.
 *
 * @category Store data on OpenStack
 */
export interface DataVolume {
  /** Name of the volume. */
  readonly name: string;
  /** The claim that it uses. */
  readonly persistentVolumeClaim: {
    /** Name of the claim. */
    readonly claimName: string;
  };
}

/**
 * A mount of a container.
 *
 * @category Store data on OpenStack
 */
export interface DataVolumeMount {
  /** Name of the volume. */
  readonly name: string;
  /** Folder of the container. */
  readonly mountPath: string;
}

/**
 * Properties of a {@link PersistentData}.
 *
 * @category Store data on OpenStack
 */
export interface PersistentDataProps {
  /** What keeps the data. */
  readonly consumer: DataConsumer;
  /** Name of the consumer: of the Prometheus, the Elasticsearch, the StatefulSet or the Deployment; for Loki, of its StatefulSet. */
  readonly name: string;
  /** Namespace of the consumer, for the objects that are made here.
   * @default - the namespace of the chart, else default */
  readonly namespace?: string;
  /** Where the data is stored. Databases need a block device: on NFS they lose data, and are not supported. */
  readonly storage: StorageAttributes;
  /** Size of each volume, `50Gi`. */
  readonly size: string;
  /** Replicas of the consumer, each with a volume of its own; those of a Deployment share one. Not for Loki, which runs once on a volume.
   * @default 1 */
  readonly replicas?: number;
  /** How the volume is used. Volumes of Cinder are ReadWriteOnce.
   * @default - ReadWriteOnce on a block device, ReadWriteMany on a share */
  readonly accessMode?: 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';
  /** Whether the volumes stay when the consumer is deleted or scaled down.
   * @default true */
  readonly retain?: boolean;
  /** Whether the data must be encrypted: then a storage that is not is refused.
   * @default false */
  readonly encrypted?: boolean;
  /** For how long Prometheus, Alertmanager or Loki keeps data: `15d`, for Alertmanager in hours.
   * @default - Prometheus: until retentionSize is reached; others: their own */
  readonly retention?: string;
  /** How much data Prometheus keeps, at most 90 % of the size: its write-ahead log and its compaction need space too.
   * @default - 85 % of the size */
  readonly retentionSize?: string;
  /** Samples that Prometheus ingests each second (`rate(prometheus_tsdb_head_samples_appended_total[1h])`), to check the retention against the size at two
   * bytes for each.
   * @default - not checked */
  readonly samplesPerSecond?: number;
  /** Name of the Elasticsearch node set.
   * @default default */
  readonly nodeSet?: string;
  /** Name of the volume, and of the claim template of a StatefulSet.
   * @default data */
  readonly volumeName?: string;
  /** Where the container of a StatefulSet or Deployment mounts the volume.
   * @default - required for these two */
  readonly mountPath?: string;
  /** Name of a VolumeSnapshot from which the volume is filled, for one replica.
   * @default - the volume is empty */
  readonly restoreFrom?: string;
  /** Snapshots of every volume, taken when they are first applied: after the volumes exist.
   * @default - none */
  readonly snapshots?: DataSnapshots;
}

/** Consumers that keep a database of their own files, which needs a file system of a block device. */
export const DATABASES: readonly DataConsumer[] = ['prometheus', 'elasticsearch', 'loki'];

/**
 * Properties of data of one kind of consumer.
 *
 * @category Store data on OpenStack
 */
export type DataPropsOf<Consumer extends DataConsumer> = Pick<
  PersistentDataProps,
  | 'name'
  | 'namespace'
  | 'storage'
  | 'size'
  | 'accessMode'
  | 'retain'
  | 'encrypted'
  | 'restoreFrom'
  | 'snapshots'
  | {
      prometheus: 'replicas' | 'retention' | 'retentionSize' | 'samplesPerSecond';
      alertmanager: 'replicas' | 'retention';
      elasticsearch: 'replicas' | 'nodeSet';
      loki: 'retention';
      statefulSet: 'replicas' | 'volumeName' | 'mountPath';
      deployment: 'replicas' | 'volumeName' | 'mountPath';
    }[Consumer]
>;

/** Properties that only some consumers have. */
export const OWN_PROPERTIES = {
  prometheus: ['replicas', 'retention', 'retentionSize', 'samplesPerSecond'],
  alertmanager: ['replicas', 'retention'],
  elasticsearch: ['replicas', 'nodeSet'],
  loki: ['retention'],
  statefulSet: ['replicas', 'volumeName', 'mountPath'],
  deployment: ['replicas', 'volumeName', 'mountPath'],
} as const satisfies { [Consumer in DataConsumer]: readonly (keyof DataPropsOf<Consumer>)[] };
