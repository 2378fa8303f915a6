import { ProblemList } from '../base/errors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { allocatableOf } from './allocatable.js';
import { sizeOfDisk, sizesOnDisk } from './disk-size.js';
import { DEFAULT_EVICTION_HARD, shareOf } from './eviction-signal.js';
import type { NodeReservationProps } from './reservation-props.js';

/** With one disk, Pods, logs and images are on it. Image garbage collection does not count inodes. */
const OF_DISK = ['nodefs.available', 'imagefs.available'] as const;

/** A threshold that a disk meets before kubelet removes unused images. */
export interface EarlyEviction {
  readonly property: 'evictionHard' | 'evictionSoft';
  readonly signal: (typeof OF_DISK)[number];
  readonly message: string;
  /** The largest threshold that fits. */
  readonly most: string;
}

/**
 * Thresholds that contradict when unused images are removed from a disk. kubelet removes them from a disk that is used to imageGCHighThresholdPercent
 * (`pkg/kubelet/images/image_gc_manager.go`). A disk that meets a threshold first has DiskPressure: the Node gets no Pods, and kubelet removes all unused
 * images at once, then Pods (`pkg/kubelet/eviction/helpers.go`, buildSignalToNodeReclaimFuncs). Both at the same use is kubelet's default: 85 % and 15 %.
 */
export function earlyEvictions(
  { evictionHard, evictionSoft }: Pick<NodeReservationProps, 'evictionHard' | 'evictionSoft'>,
  diskSize: string | undefined,
): EarlyEviction[] {
  const high = sizesOnDisk(diskSize)?.kubelet.imageGCHighThresholdPercent;
  if (diskSize === undefined || high === undefined) {
    return [];
  }
  const most = `${100 - high}%`;
  return Object.entries({ evictionHard, evictionSoft }).flatMap(([property, thresholds]) =>
    OF_DISK.flatMap((signal) => {
      const threshold = thresholds?.[signal];
      return threshold === undefined || !isMore(threshold, most, sizeOfDisk(diskSize))
        ? []
        : {
            property: property as EarlyEviction['property'],
            signal,
            message: `a disk of ${diskSize} with less than ${threshold} available is under pressure, and unused images are only removed when it has ${most}`,
            most,
          };
    }),
  );
}

/** kubelet ignores 0% and 100% (`parseThresholdStatement`). */
function isMore(threshold: string, most: string, disk: Quantity): boolean {
  if (threshold === '100%') {
    return false;
  }
  const [share, largest = 1] = [shareOf(threshold), shareOf(most)];
  return share === undefined
    ? (Quantity.parse(threshold)?.nano ?? 0n) * 100n > disk.nano * BigInt(Number.parseInt(most, 10))
    : share > largest;
}

/** Checks that what is reserved fits on the disk, if its size is known. The other properties are valid. */
export function checkOnDisk(props: NodeReservationProps, problems: ProblemList): void {
  const { diskSize } = props;
  if (diskSize === undefined) {
    return;
  }
  const full = new ProblemList();
  allocatableOf(props, { ...DEFAULT_EVICTION_HARD, ...props.evictionHard }, { ephemeralStorage: diskSize }, full);
  for (const { code, message } of full.problems) {
    problems
      .at('diskSize')
      .add(code, message, 'reserve less ephemeralStorage, or use this reservation only for larger disks');
  }
  for (const { property, signal, message, most } of earlyEvictions(props, diskSize)) {
    problems
      .at(property, signal)
      .add('EDGE_CONTRADICTION', message, `write '${most}' or less, or leave diskSize out and set both yourself`);
  }
}
