import type { ProblemList } from '../base/errors.js';
import { checkObjectName } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { quoted, showValue, whatIs } from '../base/properties.js';
import { type Check, refuseUnknown } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';

/**
 * What a volume is: a block device with a file system of its own, which one node mounts at a time; or a share that many nodes mount.
 *
 * @category Store data on OpenStack
 */
export type StorageMedium = 'block' | 'nfs' | 'cephfs';

/**
 * Where data is stored: a class of this library (a {@link CinderStorageClass}, a {@link ManilaStorageClass}), or one that is created elsewhere, by its
 * name; or an existing claim, for example that of an {@link NfsVolume}.
 *
 * @category Store data on OpenStack
 */
export interface StorageAttributes {
  /** What its volumes are. */
  readonly medium: StorageMedium;
  /** Name of the StorageClass.
   * @default - claimName */
  readonly storageClassName?: string;
  /** Name of an existing claim in the namespace of its consumer.
   * @default - claims are made from the StorageClass */
  readonly claimName?: string;
  /** Namespace of claimName: Pods use claims of their own namespace only, so the consumer is checked to be there.
   * @default - not checked */
  readonly claimNamespace?: string;
  /** Size of the volume of claimName: data that is declared larger is refused.
   * @default - not checked */
  readonly size?: string;
  /** Where the share of claimName is, server and folder: data of two programs in one folder is refused.
   * @default - not checked */
  readonly exportLocation?: string;
  /** Whether its volumes are encrypted.
   * @default false */
  readonly encrypted?: boolean;
}

/** How a Pod may use a volume: by one node, or by many nodes at once. */
export type AccessMode = 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';

export const ACCESS_MODES: readonly AccessMode[] = ['ReadWriteOnce', 'ReadWriteMany', 'ReadOnlyMany'];

const MEDIA: readonly unknown[] = ['block', 'nfs', 'cephfs'] satisfies readonly StorageMedium[];

/** Checks where data is stored. */
export function checkStorage(storage: unknown, problems: ProblemList): void {
  const hint = "write a CinderStorageClass or a ManilaStorageClass, or { storageClassName: 'ssd', medium: 'block' }";
  if (isUnknown(storage)) {
    refuseUnknown(problems);
    return;
  }
  if (typeof storage !== 'object' || storage === null || Array.isArray(storage)) {
    problems.add(
      storage === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      storage === undefined ? 'the storage is missing' : `this is ${whatIs(storage)}, not a storage`,
      hint,
    );
    return;
  }
  const { medium, storageClassName, claimName } = storage as StorageAttributes;
  if (isUnknown(medium)) {
    refuseUnknown(problems.at('medium'));
  } else if (!MEDIA.includes(medium)) {
    problems
      .at('medium')
      .add(
        medium === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
        medium === undefined ? 'the medium is missing' : `${quoted(medium)} is not one of ${MEDIA.join(', ')}`,
        "write 'block' for volumes of Cinder, 'nfs' or 'cephfs' for shares",
      );
  }
  if (storageClassName === '') {
    problems
      .at('storageClassName')
      .add(
        'EDGE_NAME',
        'without a class nothing makes the volume',
        'write the name of the class; for a volume that exists already, use an NfsVolume, or the claimName of its claim',
      );
  } else if (storageClassName !== undefined) {
    checkObjectName(storageClassName, problems.at('storageClassName'));
  }
  if (claimName !== undefined) {
    checkObjectName(claimName, problems.at('claimName'));
  }
  if ((storageClassName === undefined) === (claimName === undefined)) {
    problems.add('EDGE_MISSING', 'a storage has either a storageClassName or a claimName', hint);
  }
}

/** Smallest volume of Cinder and smallest share of Manila: both count in whole GiB. */
const LEAST = Quantity.parse('1Gi') as Quantity;

/** Checks the size of a volume. */
export const checkVolumeSize: Check = (size, problems) => {
  const quantity = typeof size === 'string' ? Quantity.parse(size) : undefined;
  const hint = "write '50Gi'";
  if (size === undefined) {
    problems.add('EDGE_MISSING', 'the size is missing', hint);
  } else if (quantity === undefined) {
    problems.add('EDGE_QUANTITY', `${showValue(size)} is not a Kubernetes quantity`, `${hint}: text, with a unit`);
  } else if (quantity.nano < LEAST.nano) {
    problems.add('EDGE_VALUE', `${showValue(size)} is less than the smallest volume of OpenStack, 1Gi`, hint);
  }
};
