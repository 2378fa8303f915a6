import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName, isDnsLabel } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { entryOf } from '../base/plain-data.js';
import { checkBoolean, checkKnownProperties, quoted, showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  refuseUnknown,
  wholeNumber,
} from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { hasProperties } from './class-fields.js';
import { DATABASES, OWN_PROPERTIES, type PersistentDataProps } from './persistent-data-props.js';
import { dataBytes, durationSeconds } from './retention.js';
import { checkPodNames, NAMES } from './pod-names.js';
import { ACCESS_MODES, checkStorage, checkVolumeSize, type StorageAttributes } from './storage-attributes.js';

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
export function checkPersistentData(props: PersistentDataProps, namespace: unknown, problems: ProblemList): void {
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
