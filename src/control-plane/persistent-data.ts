import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, text } from '../base/unknown.js';
import { checkPersistentData } from './persistent-data-checks.js';
import type { DataConsumer, DataVolume, DataVolumeMount, PersistentDataProps } from './persistent-data-props.js';
import { shareOfSize } from './retention.js';
import { noteFolder } from './share-folders.js';
import type { AccessMode } from './storage-attributes.js';

/** Attributes of persistent data. */
export interface PersistentDataAttributes {
  /** Fields for the `spec` of the consumer; empty for Loki. */
  readonly spec: Record<string, unknown>;
  /** Values for the Helm chart of the consumer: kube-prometheus-stack, eck-elasticsearch or loki; empty for workloads. */
  readonly helmValues: Record<string, unknown>;
  /** Names of the claims, which the consumer, or its operator, makes from the template. */
  readonly claimNames: string[];
  /** Volumes for the Pod template of a Deployment; empty for others. */
  readonly volumes: DataVolume[];
  /** Mounts for the container of a StatefulSet or a Deployment; empty for others. */
  readonly volumeMounts: DataVolumeMount[];
}

/**
 * Plans where a program keeps its data: fields for its own object, the claim of a Deployment, and snapshots.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPersistentData(props: PersistentDataProps, scope: Scope): Plan<PersistentDataAttributes> {
  const subject = `PersistentData ${scope.path}`;
  const problems = problemsOf(scope);
  checkPersistentData(props, scope.namespace ?? 'default', problems);
  problems.throwIfAny(subject);
  noteFolder(props, scope, problems);
  problems.throwIfAny(subject);
  const { name, storage, mountPath, volumeName = 'data', retain = true } = props;
  const { namespace = scope.namespace ?? 'default', replicas = 1 } = props;
  const isDeployment = props.consumer === 'deployment';
  const claimName = storage.claimName ?? text`${name}-${volumeName}`;
  const names = isDeployment ? [claimName] : claimNames(props, replicas);
  const metadata = (own: string): PlainMap => ({ name: own, namespace, labels: { ...OWN_LABELS } });
  const claim: PlannedObject[] =
    isDeployment && storage.claimName === undefined
      ? [
          {
            object: {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              metadata: metadata(claimName),
              spec: claimSpec(props),
            },
            apply: 'create',
            retain,
          },
        ]
      : [];
  const snapshots = names.map((source, index): PlannedObject => ({
    object: {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: metadata(text`${props.snapshots?.name ?? ''}-${source}`),
      spec: {
        volumeSnapshotClassName: props.snapshots?.className,
        source: { persistentVolumeClaimName: source },
      },
    },
    apply: 'create',
    id: String(index),
    after: [],
  }));
  const fields = FIELDS[props.consumer](props, replicas);
  return {
    subject,
    objects: [...claim, ...(props.snapshots === undefined ? [] : snapshots)],
    attributes: {
      spec: fields.spec,
      helmValues: fields.helmValues ?? {},
      claimNames: names,
      volumes: isDeployment ? [{ name: volumeName, persistentVolumeClaim: { claimName } }] : [],
      volumeMounts: mountPath === undefined ? [] : [{ name: volumeName, mountPath }],
    },
    warnings: [],
    artifacts: [],
  };
}

interface ConsumerFields {
  readonly spec: PlainMap;
  readonly helmValues?: PlainMap;
}

/** The fields of each consumer. */
const FIELDS: Readonly<Record<DataConsumer, (props: PersistentDataProps, replicas: number) => ConsumerFields>> = {
  // prometheus-operator, monitoring.coreos.com/v1; the chart calls storage of Prometheus storageSpec
  prometheus: (props, replicas) => {
    const { retention, size } = props;
    const common = {
      replicas,
      ...(retention === undefined ? {} : { retention }),
      retentionSize: props.retentionSize ?? compute(size, (known) => shareOfSize(known, 85)),
      ...deletedWith(props),
    };
    const storage = { volumeClaimTemplate: { spec: claimSpec(props) } };
    return {
      spec: { ...common, storage },
      helmValues: { prometheus: { prometheusSpec: { ...common, storageSpec: storage } } },
    };
  },
  alertmanager: (props, replicas) => {
    const { retention } = props;
    const spec = {
      replicas,
      ...(retention === undefined ? {} : { retention }),
      ...deletedWith(props),
      storage: { volumeClaimTemplate: { spec: claimSpec(props) } },
    };
    return { spec, helmValues: { alertmanager: { alertmanagerSpec: spec } } };
  },
  // by default the operator deletes the data of an Elasticsearch with the object; the name of the template is the one that it mounts
  elasticsearch: (props, replicas) => {
    const spec = {
      volumeClaimDeletePolicy: compute(props.retain ?? true, (retain) =>
        retain ? 'DeleteOnScaledownOnly' : 'DeleteOnScaledownAndClusterDeletion',
      ),
      nodeSets: [
        {
          name: props.nodeSet ?? 'default',
          count: replicas,
          volumeClaimTemplates: [{ metadata: { name: 'elasticsearch-data' }, spec: claimSpec(props) }],
        },
      ],
    };
    return { spec, helmValues: spec };
  },
  // the chart refuses one process beside its scalable targets, of which there are three each by default; the schema of the index is yours
  loki: (props) => {
    const { name, storage, size, retention } = props;
    const none = { replicas: 0 };
    return {
      spec: {},
      helmValues: {
        // the StatefulSet has this name, whatever that of the release is
        fullnameOverride: name,
        deploymentMode: 'SingleBinary',
        read: none,
        write: none,
        backend: none,
        singleBinary: {
          replicas: 1,
          persistence: {
            enabled: true,
            accessModes: ['ReadWriteOnce'],
            storageClass: storage.storageClassName,
            size,
            enableStatefulSetAutoDeletePVC: compute(props.retain ?? true, (retain) => !retain),
          },
        },
        loki: {
          commonConfig: { replication_factor: 1 },
          storage: { type: 'filesystem' },
          ...(retention === undefined
            ? {}
            : {
                limits_config: { retention_period: retention },
                compactor: { retention_enabled: true, delete_request_store: 'filesystem' },
              }),
        },
      },
    };
  },
  statefulSet: (props, replicas) => ({
    spec: {
      replicas,
      ...deletedWith(props),
      volumeClaimTemplates: [{ metadata: { name: props.volumeName ?? 'data' }, spec: claimSpec(props) }],
    },
  }),
  // a rolling update waits for a Pod that waits for the volume of the Pod before it
  deployment: (props, replicas) => ({
    spec: {
      replicas,
      ...(accessModeOf(props) === 'ReadWriteOnce' ? { strategy: { type: 'Recreate' } } : {}),
    },
  }),
};

/** How the volumes are used. */
function accessModeOf({ accessMode, storage }: PersistentDataProps): AccessMode {
  return accessMode ?? (storage.medium === 'block' ? 'ReadWriteOnce' : 'ReadWriteMany');
}

function claimSpec(props: PersistentDataProps): PlainMap {
  const { storage, size, restoreFrom } = props;
  return {
    accessModes: [accessModeOf(props)],
    storageClassName: storage.storageClassName,
    resources: { requests: { storage: size } },
    ...(restoreFrom === undefined
      ? {}
      : { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: restoreFrom } }),
  };
}

/** The field of a StatefulSet that deletes claims with it; without it they stay. */
function deletedWith({ retain }: PersistentDataProps): PlainMap {
  return retain === false
    ? { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } }
    : {};
}

/** Names of claims: of the template, and of the StatefulSet, which the operators name. */
const CLAIMS: Readonly<Record<DataConsumer, (props: PersistentDataProps) => string>> = {
  prometheus: ({ name }) => text`prometheus-${name}-db-prometheus-${name}`,
  alertmanager: ({ name }) => text`alertmanager-${name}-db-alertmanager-${name}`,
  elasticsearch: ({ name, nodeSet = 'default' }) => text`elasticsearch-data-${name}-es-${nodeSet}`,
  loki: ({ name }) => text`storage-${name}`,
  statefulSet: ({ name, volumeName = 'data' }) => text`${volumeName}-${name}`,
  deployment: ({ name }) => name,
};

function claimNames(props: PersistentDataProps, replicas: number): string[] {
  return Array.from({ length: replicas }, (_, index) => text`${CLAIMS[props.consumer](props)}-${index}`);
}
