import { Quantity } from '../kubernetes/quantity.js';
import { showValue } from '../base/properties.js';
import { type Check, optional } from '../base/property-table.js';

/** Fields of the KubeletConfiguration that depend on the size of a disk. */
export interface DiskFields {
  readonly containerLogMaxSize: string;
  readonly containerLogMaxFiles: number;
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
}

/** What is smaller on a small disk. */
export interface DiskSizes {
  /** Limit of the journal, `SystemMaxUse` of journald. */
  readonly journal: string;
  readonly kubelet: DiskFields;
}

/** By the size of a disk: logs of containers and of the system, and when unused images are removed. Ours; kubelet has 10Mi, 5, 85 and 80. */
const DISKS: readonly (readonly [below: string, sizes: DiskSizes])[] = [
  [
    '16Gi',
    {
      journal: '32M',
      kubelet: {
        containerLogMaxSize: '2Mi',
        containerLogMaxFiles: 2,
        imageGCHighThresholdPercent: 70,
        imageGCLowThresholdPercent: 60,
      },
    },
  ],
  [
    '32Gi',
    {
      journal: '64M',
      kubelet: {
        containerLogMaxSize: '5Mi',
        containerLogMaxFiles: 3,
        imageGCHighThresholdPercent: 75,
        imageGCLowThresholdPercent: 65,
      },
    },
  ],
  [
    '64Gi',
    {
      journal: '128M',
      kubelet: {
        containerLogMaxSize: '10Mi',
        containerLogMaxFiles: 3,
        imageGCHighThresholdPercent: 80,
        imageGCLowThresholdPercent: 70,
      },
    },
  ],
];

export const sizeOfDisk = (size: string): Quantity => Quantity.parse(size) ?? Quantity.ZERO;

/** The sizes for a disk; undefined for one on which everything is as by default, or of unknown size. */
export function sizesOnDisk(diskSize: string | undefined): DiskSizes | undefined {
  const bytes = diskSize === undefined ? undefined : sizeOfDisk(diskSize).wholeUnits();
  return bytes === undefined ? undefined : DISKS.find(([below]) => bytes < sizeOfDisk(below).wholeUnits())?.[1];
}

/** Whether two texts are the same size: `32Gi` is `32768Mi`. */
export function isSameSize(a: string, b: string): boolean {
  return sizeOfDisk(a).nano === sizeOfDisk(b).nano;
}

export function isDiskSize(size: unknown): size is string {
  return typeof size === 'string' && /^\d+(\.\d+)?(Ki|Mi|Gi|Ti|k|M|G|T)?$/.test(size);
}

export const checkDiskSize: Check = optional((size, problems) => {
  if (!isDiskSize(size)) {
    problems.add('EDGE_QUANTITY', `${showValue(size)} is not the size of a disk`, "write '32Gi'");
  }
});
