import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkObjectName } from '../kubernetes/names.js';
import { checkBoolean } from '../base/properties.js';
import { checkProperties, oneOf, optional, plain, type PropertyTable, setOf } from '../base/property-table.js';
import { compute } from '../base/unknown.js';
import { checkZone, hasProperties, mountOption, plannedClass, type ReclaimPolicy, words } from './class-fields.js';
import type { StorageAttributes } from './storage-attributes.js';

/**
 * Properties of a {@link CinderStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface CinderStorageClassProps {
  /** Name of the StorageClass. */
  readonly name: string;
  /** Volume type of Cinder, as `openstack volume type list` shows it.
   * @default - the default type of the OpenStack project */
  readonly volumeType?: string;
  /** Whether the volume type is an encrypted one. Cinder encrypts by volume type and not by class, so it needs a `volumeType`.
   * @default false */
  readonly encrypted?: boolean;
  /** File system of the volumes.
   * @default ext4 */
  readonly fsType?: 'ext4' | 'xfs';
  /** Zones in which volumes are made (`allowedTopologies`): for an OpenStack whose compute and volume zones have the same names.
   * @default - the zone of the node of the first Pod */
  readonly zones?: string[];
  /** Availability zone of Cinder in which every volume is made, for an OpenStack with other zones for volumes than for machines. The driver then needs
   * `ignore-volume-az=true` in the section `[BlockStorage]` of its cloud.conf.
   * @default - the zone of the node */
  readonly availability?: string;
  /** What becomes of a volume when its claim is deleted.
   * @default Retain */
  readonly reclaimPolicy?: 'Retain' | 'Delete';
  /** When a volume is made: with its first Pod, in the zone of the node; or at once.
   * @default WaitForFirstConsumer */
  readonly volumeBindingMode?: 'WaitForFirstConsumer' | 'Immediate';
  /** Whether claims can grow.
   * @default true */
  readonly allowVolumeExpansion?: boolean;
  /** Whether claims without a class get this one.
   * @default false */
  readonly isDefault?: boolean;
  /** Mount options of the volumes.
   * @default - none */
  readonly mountOptions?: string[];
}

/** Attributes of a class of Cinder. */
export interface CinderStorageClassAttributes extends StorageAttributes {
  readonly storageClassName: string;
  readonly medium: 'block';
  readonly encrypted: boolean;
}

/** Driver of Cinder CSI (cloud-provider-openstack). */
export const CINDER_DRIVER = 'cinder.csi.openstack.org';

const EXAMPLE = "{ name: 'ssd', volumeType: 'ssd' }";

const PROPERTIES: PropertyTable<CinderStorageClassProps> = {
  name: checkObjectName,
  volumeType: optional(words('ssd')),
  encrypted: plain(checkBoolean),
  fsType: oneOf('ext4', 'xfs'),
  zones: setOf(checkZone, "write ['az1']", 'zones must be a list'),
  availability: optional(words('nova')),
  reclaimPolicy: oneOf('Retain', 'Delete'),
  volumeBindingMode: oneOf('WaitForFirstConsumer', 'Immediate'),
  allowVolumeExpansion: checkBoolean,
  isDefault: checkBoolean,
  mountOptions: setOf(mountOption('noatime'), "write ['noatime']", 'mountOptions must be a list'),
};

const ADVICE: Readonly<Record<string, string>> = {
  type: 'did you mean volumeType?',
  encryption: 'did you mean encrypted?',
  parameters: 'write volumeType, availability and fsType: the driver has no other parameters',
  accessModes: 'a claim has access modes; volumes of Cinder are ReadWriteOnce',
};

/**
 * Plans a StorageClass of Cinder CSI.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planCinderStorageClass(
  props: CinderStorageClassProps,
  scope: Scope,
): Plan<CinderStorageClassAttributes> {
  const subject = `CinderStorageClass ${scope.path}`;
  const problems = problemsOf(scope);
  if (hasProperties(props, 'CinderStorageClass', EXAMPLE, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
    checkTogether(props, problems);
  }
  problems.throwIfAny(subject);
  const { name, encrypted = false, reclaimPolicy = 'Retain' satisfies ReclaimPolicy } = props;
  const { volumeBindingMode = 'WaitForFirstConsumer', allowVolumeExpansion = true, zones, mountOptions } = props;
  const object = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, labels: { ...OWN_LABELS }, ...defaultClass(props.isDefault) },
    provisioner: CINDER_DRIVER,
    parameters: {
      ...(props.volumeType === undefined ? {} : { type: props.volumeType }),
      ...(props.availability === undefined ? {} : { availability: props.availability }),
      'csi.storage.k8s.io/fstype': props.fsType ?? 'ext4',
    },
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
    ...(mountOptions === undefined ? {} : { mountOptions }),
    ...(zones === undefined
      ? {}
      : { allowedTopologies: [{ matchLabelExpressions: [{ key: `topology.${CINDER_DRIVER}/zone`, values: zones }] }] }),
  };
  return {
    subject,
    objects: [plannedClass(object)],
    attributes: { storageClassName: name, medium: 'block', encrypted },
    warnings: [],
    artifacts: [],
  };
}

/** The annotation of a default class. */
export function defaultClass(isDefault: boolean | undefined, prefix = 'storageclass.kubernetes.io'): object {
  return isDefault === undefined ? {} : { annotations: { [`${prefix}/is-default-class`]: compute(isDefault, String) } };
}

function checkTogether(props: CinderStorageClassProps, problems: ProblemList): void {
  const { zones, availability, volumeBindingMode, encrypted, volumeType } = props;
  if (zones !== undefined && availability !== undefined) {
    problems
      .at('availability')
      .add(
        'EDGE_CONTRADICTION',
        'the volumes are made in zones and in availability, and a node cannot be in both',
        'write zones if volumes and machines have the same zones, else only availability',
      );
  }
  if (Array.isArray(zones) && zones.length === 0) {
    problems.at('zones').add('EDGE_MATCHES_NOTHING', 'no zone is allowed', 'leave zones out, or name one');
  }
  const isImmediate: boolean = compute(volumeBindingMode, (mode) => mode === 'Immediate');
  if (Array.isArray(zones) && zones.length > 1 && isImmediate === true) {
    problems
      .at('volumeBindingMode')
      .add(
        'EDGE_CONTRADICTION',
        'Immediate takes any of the zones before the scheduler has chosen a node, and the Pod may not fit into that zone',
        "write 'WaitForFirstConsumer', or one zone",
      );
  }
  if (encrypted === true && volumeType === undefined) {
    problems
      .at('volumeType')
      .add(
        'EDGE_MISSING',
        'Cinder encrypts by volume type: without one the volumes may not be encrypted',
        "write volumeType: 'luks'; openstack volume type create --encryption-provider luks … makes one",
      );
  }
}
