import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, type Scope, problemsOf } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { type PlainMap, entryOf } from '../base/plain-data.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import {
  DATABASES,
  type DataConsumer,
  type DataVolume,
  type DataVolumeMount,
  OWN_PROPERTIES,
  type PersistentDataProps,
} from './persistent-data-props.js';
import { dataBytes, durationSeconds, shareOfSize } from './retention.js';
import {
  ACCESS_MODES,
  type AccessMode,
  type StorageAttributes,
  checkStorage,
  checkVolumeSize,
} from './storage-attributes.js';
import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName, isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkBoolean, checkKnownProperties, quoted, showValue } from '../base/properties.js';
import {
  type Check,
  type PropertyTable,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  refuseUnknown,
  wholeNumber,
} from '../base/property-table.js';
import { hasProperties } from './class-fields.js';
import { posix } from 'node:path';
import { spellingOf } from '../kubernetes/hosts.js';

/** Names of the consumers in messages. */
const NAMES: Readonly<Record<DataConsumer, string>> = {
  prometheus: 'Prometheus',
  alertmanager: 'Alertmanager',
  elasticsearch: 'Elasticsearch',
  loki: 'Loki',
  statefulSet: 'a StatefulSet',
  deployment: 'a Deployment',
};

/** Longest name of a StatefulSet. */
const LONGEST_SET = 52;

/**
 * Longest names of what has a StatefulSet. The name of a Pod of it is also its host name, without dots, and its label `controller-revision-hash` is the name of
 * the StatefulSet and up to ten digits. The operator of Prometheus puts `prometheus-` and `alertmanager-` before it; that of Elasticsearch takes 36 characters.
 */
const LONGEST_NAMES: Readonly<Partial<Record<DataConsumer, number>>> = {
  prometheus: 41,
  alertmanager: 39,
  elasticsearch: 36,
  loki: LONGEST_SET,
  statefulSet: LONGEST_SET,
};

/** Refuses names of consumers whose Pods would have names or labels that the API server refuses. */
function checkPodNames({ consumer, name, nodeSet }: PersistentDataProps, problems: ProblemList): void {
  if (consumer === 'elasticsearch' && typeof name === 'string' && typeof nodeSet === 'string') {
    // the name of its StatefulSet
    const rest = LONGEST_SET - `${name}-es-`.length;
    if (rest > 0 && nodeSet.length > rest) {
      problems
        .at('nodeSet')
        .add(
          'EDGE_NAME',
          `the Pods of Elasticsearch ${quoted(name)} would have names that the API server refuses`,
          `write a name of at most ${rest} characters here, or a shorter name`,
        );
    }
  }
  const longest = LONGEST_NAMES[consumer];
  if (longest !== undefined && typeof name === 'string' && isDnsSubdomain(name)) {
    if (!isDnsLabel(name) || name.length > longest) {
      problems
        .at('name')
        .add(
          'EDGE_NAME',
          `the Pods of ${NAMES[consumer]} ${quoted(name)} would have names that the API server refuses`,
          `write lower-case letters, digits and '-', at most ${longest} characters, '${consumer === 'statefulSet' ? 'queue' : 'edge'}'`,
        );
    }
  }
}

/** What keeps its data in a folder of a share. */
const FOLDERS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('folders of shares');

/** A share is the same for every cluster and chart of a program. */
const PROGRAM = {};

/** Refuses data in a folder of a share that has data of another declaration, which each would overwrite. What is only read can be shared. */
function noteFolder(
  { storage, accessMode }: PersistentDataProps,
  { declared, path, owner }: Scope,
  problems: ProblemList,
): void {
  const { exportLocation } = storage;
  if (
    exportLocation === undefined ||
    isUnknown(exportLocation) ||
    isUnknown(accessMode) ||
    accessMode === 'ReadOnlyMany'
  ) {
    return;
  }
  const folders = declared.at(PROGRAM, FOLDERS);
  const folder = folderOf(exportLocation);
  const earlier = folders.get(folder);
  if (earlier === undefined) {
    folders.set(folder, { path, owner });
  } else if (earlier.owner !== owner) {
    problems
      .at('storage')
      .add(
        'EDGE_DUPLICATE',
        `${earlier.path} keeps its data in ${folder}, too, and each would overwrite the other`,
        "give each a share or a folder of its own; what only reads the data of another is accessMode: 'ReadOnlyMany'",
      );
  }
}

/** Server and folder in one spelling. */
function folderOf(location: string): string {
  const at = location.indexOf(':/');
  const server = location.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const folder = posix.normalize(location.slice(at + 1)).replace(/(.)\/$/, '$1');
  return `${String(spellingOf(server)).toLowerCase()}:${folder}`;
}

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

const CONSUMERS = Object.keys(OWN_PROPERTIES);

const checkNodeSet: Check = (name, problems) => {
  if (typeof name !== 'string' || !/^[a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?$/.test(name)) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not the name of a node set`,
      "write at most 23 lower-case letters, digits and '-', 'default'",
    );
  }
};

/** A volume of a Pod has a label as its name, not the name of an object. */
const checkVolumeName: Check = (name, problems) => {
  if (typeof name !== 'string' || !isDnsLabel(name)) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not the name of a volume of a Pod`,
      "write at most 63 lower-case letters, digits and '-', 'data'",
    );
  }
};

const checkMountPath: Check = (path, problems) => {
  if (typeof path !== 'string' || !/^\/[^:\p{Cc}]*[^:/\p{Cc}]$/u.test(path) || path.split('/').includes('..')) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(path)} is not a folder in which a volume can be mounted`,
      "write '/var/lib/data', absolute and without ':'",
    );
  }
};

const checkRetention: Check = (retention, problems) => {
  if (durationSeconds(retention) === undefined) {
    problems.add('EDGE_VALUE', `${showValue(retention)} is not a duration`, "write '15d' or '36h'");
  }
};

const checkRetentionSize: Check = (size, problems) => {
  if (dataBytes(size) === undefined) {
    problems.add(
      'EDGE_QUANTITY',
      `${showValue(size)} is not an amount of data as Prometheus reads it`,
      "write '40GB', with B",
    );
  }
};

const checkSnapshots: Check = (snapshots, problems) =>
  isUnknown(snapshots) ? refuseUnknown(problems) : checkSnapshotNames(snapshots, problems);

const checkSnapshotNames = mapWith(
  (map, problems) => {
    checkKnownProperties(map, ['name', 'className'], problems, { class: 'did you mean className?' });
    checkObjectName(map.name, problems.at('name'));
    checkObjectName(map.className, problems.at('className'));
  },
  'snapshots must be a map',
  "write { name: 'before-upgrade', className: 'snapshots' }",
);

const PROPERTIES: PropertyTable<PersistentDataProps> = {
  consumer: plain((consumer, problems) =>
    consumer === undefined
      ? problems.add('EDGE_MISSING', 'the consumer is missing', `write one of ${CONSUMERS.join(', ')}`)
      : oneOf(...CONSUMERS)(consumer, problems),
  ),
  name: checkObjectName,
  namespace: optional(checkNamespace),
  storage: checkStorage,
  size: checkVolumeSize,
  replicas: plain(wholeNumber(1)),
  accessMode: plain(oneOf(...ACCESS_MODES)),
  retain: plain(checkBoolean),
  encrypted: plain(checkBoolean),
  retention: optional(checkRetention),
  retentionSize: optional(checkRetentionSize),
  samplesPerSecond: wholeNumber(1),
  nodeSet: optional(checkNodeSet),
  volumeName: optional(checkVolumeName),
  mountPath: optional(checkMountPath),
  restoreFrom: optional(checkObjectName),
  snapshots: checkSnapshots,
};

const ADVICE: Readonly<Record<string, string>> = {
  accessModes: 'did you mean accessMode?',
  storageClassName: "write storage: { storageClassName: 'ssd', medium: 'block' }",
};

/** Checks where a program keeps its data: each property, and whether storage, consumer and amounts fit together. */
function checkPersistentData(props: PersistentDataProps, namespace: unknown, problems: ProblemList): void {
  const example = "{ consumer: 'prometheus', name: 'k8s', storage, size: '50Gi' }";
  if (!hasProperties(props, 'PersistentData', example, problems)) {
    return;
  }
  checkProperties(props, PROPERTIES, problems, ADVICE);
  const own = entryOf(OWN_PROPERTIES, String(props.consumer));
  if (own === undefined) {
    return;
  }
  checkOwn(props, own, problems);
  if (typeof props.storage === 'object' && props.storage !== null && !isUnknown(props.storage)) {
    checkMedium(props, problems);
    checkClaim(props.storage, props.namespace ?? namespace, problems);
    checkRoom(props, problems);
  }
  checkPodNames(props, problems);
  if (props.consumer === 'prometheus') {
    checkPrometheus(props, problems);
  }
  if (['statefulSet', 'deployment'].includes(props.consumer) && props.mountPath === undefined) {
    problems
      .at('mountPath')
      .add('EDGE_MISSING', 'the container must mount the volume', "write mountPath: '/var/lib/data'");
  }
  if (props.consumer === 'alertmanager' && typeof props.retention === 'string' && /[ywd]/.test(props.retention)) {
    problems
      .at('retention')
      .add('EDGE_VALUE', 'Alertmanager does not read days, weeks or years', "write it in hours: '120h' for 5 days");
  }
  if (props.consumer === 'loki' && typeof props.retention === 'string') {
    const seconds = durationSeconds(props.retention) ?? 0;
    if (seconds < 24 * 3600 || seconds % (24 * 3600) !== 0) {
      problems.at('retention').add('EDGE_VALUE', 'Loki deletes whole days', "write '31d', at least '1d'");
    }
  }
}

/** The claim of a Pod is in its namespace. */
function checkClaim({ claimName, claimNamespace }: StorageAttributes, namespace: unknown, problems: ProblemList): void {
  if (typeof claimNamespace === 'string' && typeof namespace === 'string' && claimNamespace !== namespace) {
    problems
      .at('namespace')
      .add(
        'EDGE_CONTRADICTION',
        `the Pods are in ${namespace}, and the claim ${showValue(claimName)} is in ${claimNamespace}`,
        `write namespace: '${claimNamespace}', or declare the volume in ${namespace}`,
      );
  }
}

/** An existing volume has the size that it has. */
function checkRoom({ size, storage }: PersistentDataProps, problems: ProblemList): void {
  const [wanted, there] = [size, storage.claimName === undefined ? undefined : storage.size].map((given: unknown) =>
    typeof given === 'string' ? Quantity.parse(given) : undefined,
  );
  if (wanted !== undefined && there !== undefined && wanted.nano > there.nano) {
    problems
      .at('size')
      .add(
        'EDGE_CONTRADICTION',
        `the data needs ${size}, and the claim ${showValue(storage.claimName)} has ${showValue(storage.size)}`,
        `write size: '${storage.size}', or make the share larger and declare that size there`,
      );
  }
}

function checkOwn(props: PersistentDataProps, own: readonly string[], problems: ProblemList): void {
  const all = Object.values(OWN_PROPERTIES).flat();
  for (const name of new Set(all)) {
    if (props[name] !== undefined && !own.includes(name)) {
      problems
        .at(name)
        .add(
          'EDGE_UNKNOWN_PROPERTY',
          `data of ${NAMES[props.consumer]} has no ${name}`,
          name === 'replicas'
            ? 'remove it: with a volume Loki runs as one replica; more replicas need an object store'
            : 'remove it',
        );
    }
  }
}

function checkMedium(props: PersistentDataProps, problems: ProblemList): void {
  const { consumer, storage, replicas = 1, accessMode, restoreFrom } = props;
  const isBlock = storage.medium === 'block';
  if (DATABASES.includes(consumer) && !isBlock && storage.medium !== undefined) {
    problems
      .at('storage')
      .add(
        'EDGE_CONTRADICTION',
        `${NAMES[consumer]} keeps a database, which a share (${showValue(storage.medium)}) can damage: it needs locks and writes of a local file system`,
        'use a CinderStorageClass',
      );
  }
  if (isBlock && accessMode !== undefined && accessMode !== 'ReadWriteOnce') {
    problems
      .at('accessMode')
      .add(
        'EDGE_CONTRADICTION',
        `a volume of Cinder is mounted by one node, not ${accessMode}`,
        "write 'ReadWriteOnce', or use a ManilaStorageClass",
      );
  }
  if (
    consumer === 'deployment' &&
    replicas > 1 &&
    (accessMode ?? (isBlock ? 'ReadWriteOnce' : '')) === 'ReadWriteOnce'
  ) {
    problems
      .at('replicas')
      .add(
        'EDGE_CONTRADICTION',
        `${replicas} replicas of a Deployment share one volume, and only one node can mount it`,
        'use a ManilaStorageClass, forStatefulSet with a volume for each replica, or one replica',
      );
  }
  if (consumer !== 'deployment' && storage.claimName !== undefined) {
    problems
      .at('storage')
      .add(
        'EDGE_CONTRADICTION',
        `${NAMES[consumer]} makes a claim for each replica, and this is one existing claim`,
        "use a class: { storageClassName: 'ssd', medium: 'block' }; a Deployment can use a claim",
      );
  }
  if (props.encrypted === true && storage.encrypted !== true) {
    problems
      .at('storage')
      .add(
        'EDGE_CONTRADICTION',
        'the data must be encrypted, and this storage is not',
        'use a CinderStorageClass with encrypted: true and an encrypted volumeType',
      );
  }
  if (restoreFrom !== undefined && consumer !== 'deployment' && replicas > 1) {
    problems
      .at('restoreFrom')
      .add(
        'EDGE_CONTRADICTION',
        `each of ${replicas} replicas would start with the data of one`,
        'restore one replica first, and raise replicas later',
      );
  }
  if (restoreFrom !== undefined && consumer === 'loki') {
    problems
      .at('restoreFrom')
      .add(
        'EDGE_UNKNOWN_PROPERTY',
        'the chart of Loki cannot fill its volume from a snapshot',
        `make the claim 'storage-${showValue(props.name)}-0' yourself, with the snapshot as its dataSource, before you install the chart`,
      );
  }
  if (restoreFrom !== undefined && storage.claimName !== undefined) {
    problems
      .at('restoreFrom')
      .add('EDGE_CONTRADICTION', 'the claim exists already', 'use a class instead of the claim');
  }
}

/** Space that Prometheus needs besides its blocks: the write-ahead log, chunks of the head, and a compaction. */
const MOST = 0.9;

/** Bytes of a sample (storage page of the documentation of Prometheus: 1 to 2). */
const SAMPLE = 2;

function checkPrometheus(props: PersistentDataProps, problems: ProblemList): void {
  const { retention, retentionSize, samplesPerSecond } = props;
  const volume = Number(typeof props.size === 'string' ? (Quantity.parse(props.size)?.wholeUnits() ?? 0n) : 0n);
  const kept = dataBytes(retentionSize) ?? volume * 0.85;
  if (volume === 0 || isUnknown(retentionSize)) {
    return;
  }
  if (retentionSize !== undefined && kept > volume * MOST) {
    problems
      .at('retentionSize')
      .add(
        'EDGE_CONTRADICTION',
        `Prometheus keeps ${retentionSize} on a volume of ${props.size}, and its write-ahead log and compaction have no space`,
        'leave it out (85 % of the size), or raise the size',
      );
  }
  if (samplesPerSecond === undefined || typeof samplesPerSecond !== 'number') {
    return;
  }
  if (retention === undefined) {
    problems
      .at('retention')
      .add('EDGE_MISSING', 'samplesPerSecond is for the check of a retention', "write retention: '15d'");
    return;
  }
  const needed = (durationSeconds(retention) ?? 0) * samplesPerSecond * SAMPLE;
  if (needed > kept) {
    const gibibytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 3);
    problems
      .at('retention')
      .add(
        'EDGE_CONTRADICTION',
        `${retention} of ${samplesPerSecond} samples a second take about ${gibibytes(needed)} GiB, and Prometheus keeps ${gibibytes(kept)} GiB: older data is deleted earlier`,
        `write size: '${gibibytes(needed / 0.85)}Gi', or a shorter retention`,
      );
  }
}
