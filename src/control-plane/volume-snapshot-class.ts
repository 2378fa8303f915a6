import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean } from '../base/properties.js';
import {
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { compute } from '../base/unknown.js';
import { CINDER_DRIVER, defaultClass } from './cinder-storage-class.js';
import { hasProperties, words } from './class-fields.js';

/**
 * A Secret, by its name.
 *
 * @category Store data on OpenStack
 */
export interface SecretReference {
  /** Name of the Secret. */
  readonly name: string;
  /** Namespace of the Secret. */
  readonly namespace: string;
}

/**
 * Properties of a {@link VolumeSnapshotClass}.
 *
 * @category Store data on OpenStack
 */
export interface VolumeSnapshotClassProps {
  /** Name of the VolumeSnapshotClass. */
  readonly name: string;
  /** Whose volumes it takes snapshots of.
   * @default cinder */
  readonly driver?: 'cinder' | 'manila-nfs' | 'manila-cephfs';
  /** What becomes of the snapshot in OpenStack when its VolumeSnapshot is deleted.
   * @default Retain */
  readonly deletionPolicy?: 'Retain' | 'Delete';
  /** What Cinder makes: a snapshot, which stays beside its volume, or a backup, which survives it.
   * @default snapshot */
  readonly type?: 'snapshot' | 'backup';
  /** Whether Cinder takes snapshots of volumes that are in use. Without it, only of those that no machine has attached.
   * @default true */
  readonly forceCreate?: boolean;
  /** Availability zone of a backup.
   * @default - that of the volume */
  readonly availability?: string;
  /** How long the driver waits for a backup, in seconds for each GiB.
   * @default 20 */
  readonly backupSecondsPerGib?: number;
  /** The Secret with the credentials, for Manila.
   * @default - Cinder needs none */
  readonly secret?: SecretReference;
  /** Whether snapshots without a class get this one.
   * @default false */
  readonly isDefault?: boolean;
}

/** Attributes of a class of snapshots. */
export interface VolumeSnapshotClassAttributes {
  /** Name of the VolumeSnapshotClass. */
  readonly snapshotClassName: string;
}

/** Drivers of cloud-provider-openstack, by what they provide. */
export const DRIVERS = {
  cinder: CINDER_DRIVER,
  'manila-nfs': 'nfs.manila.csi.openstack.org',
  'manila-cephfs': 'cephfs.manila.csi.openstack.org',
} as const;

const PROPERTIES: PropertyTable<VolumeSnapshotClassProps> = {
  name: checkObjectName,
  driver: plain(oneOf(...Object.keys(DRIVERS))),
  deletionPolicy: oneOf('Retain', 'Delete'),
  type: oneOf('snapshot', 'backup'),
  forceCreate: checkBoolean,
  availability: optional(words('nova')),
  backupSecondsPerGib: wholeNumber(1),
  secret: checkSecretReference,
  isDefault: checkBoolean,
};

/** Checks the name of a Secret, which may be absent. */
export function checkSecretReference(secret: unknown, problems: ProblemList): void {
  const hint = "write { name: 'manila', namespace: 'kube-system' }";
  mapWith(
    (map, list) => {
      checkObjectName(map.name, list.at('name'));
      checkNamespace(map.namespace, list.at('namespace'));
    },
    'this must be a map',
    hint,
  )(secret, problems);
}

/**
 * Plans a VolumeSnapshotClass.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planVolumeSnapshotClass(
  props: VolumeSnapshotClassProps,
  scope: Scope,
): Plan<VolumeSnapshotClassAttributes> {
  const subject = `VolumeSnapshotClass ${scope.path}`;
  const problems = problemsOf(scope);
  if (hasProperties(props, 'VolumeSnapshotClass', "{ name: 'snapshots' }", problems)) {
    checkProperties(props, PROPERTIES, problems);
    checkDriver(props, problems);
  }
  problems.throwIfAny(subject);
  const { name, driver = 'cinder', deletionPolicy = 'Retain' } = props;
  const object = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: {
      name,
      labels: { ...OWN_LABELS },
      ...defaultClass(props.isDefault, 'snapshot.storage.kubernetes.io'),
    },
    driver: DRIVERS[driver],
    deletionPolicy,
    parameters: driver === 'cinder' ? ofCinder(props) : ofManila(props.secret),
  };
  return {
    subject,
    objects: [{ object, apply: 'create' }],
    attributes: { snapshotClassName: name },
    warnings: [],
    artifacts: [],
  };
}

/** Values of parameters are text. */
const asText = (value: string | number | boolean): string => compute(value, String);

function ofCinder(props: VolumeSnapshotClassProps): Record<string, string> {
  return {
    type: props.type ?? 'snapshot',
    'force-create': asText(props.forceCreate ?? true),
    ...(props.availability === undefined ? {} : { availability: props.availability }),
    ...(props.backupSecondsPerGib === undefined
      ? {}
      : { 'backup-max-duration-seconds-per-gb': asText(props.backupSecondsPerGib) }),
  };
}

function ofManila(secret: SecretReference | undefined): Record<string, string> {
  return compute(secret, (known) => ({
    'csi.storage.k8s.io/snapshotter-secret-name': known?.name ?? '',
    'csi.storage.k8s.io/snapshotter-secret-namespace': known?.namespace ?? '',
  }));
}

function checkDriver(props: VolumeSnapshotClassProps, problems: ProblemList): void {
  const { driver = 'cinder', secret } = props;
  if (driver === 'cinder') {
    if (secret !== undefined) {
      problems
        .at('secret')
        .add(
          'EDGE_CONTRADICTION',
          'the driver of Cinder has its own credentials',
          "remove it, or write driver: 'manila-nfs'",
        );
    }
    const isBackup = compute(props.type, (type) => type === 'backup');
    for (const field of ['availability', 'backupSecondsPerGib'] as const) {
      if (props[field] !== undefined && isBackup === false) {
        problems
          .at(field)
          .add(
            'EDGE_CONTRADICTION',
            `${field} is for backups, and this class makes snapshots`,
            "write type: 'backup', or remove it",
          );
      }
    }
    return;
  }
  if (!isMap(secret) && secret === undefined) {
    problems
      .at('secret')
      .add(
        'EDGE_MISSING',
        'the driver of Manila reads its credentials from a Secret',
        "write { name: 'manila', namespace: 'kube-system' }",
      );
  }
  for (const field of ['type', 'forceCreate', 'availability', 'backupSecondsPerGib'] as const) {
    if (props[field] !== undefined) {
      problems.at(field).add('EDGE_CONTRADICTION', `the driver of Manila has no ${field}`, 'remove it');
    }
  }
}
