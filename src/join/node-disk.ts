import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { earlyEvictions } from '../pools/disk-checks.js';
import { isDiskSize, isSameSize, sizesOnDisk } from '../pools/disk-size.js';
import { NodeReservation } from '../pools/node-reservation.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import type { MachineSettings } from './machine-settings.js';
import type { NodeSettings } from './node-join-props.js';

/** A join or a template; only a join has a machine. */
type OnDisk = Pick<NodeSettings, 'reservation' | 'kubeletConfiguration'> & {
  readonly pool: Pick<NodePoolAttributes, 'reservation'>;
  readonly machineSettings?: MachineSettings;
};

/** The reservation of a node: its own, else that of its pool. */
export function reservationOf({ reservation, pool }: OnDisk): NodeReservation | undefined {
  return reservation ?? pool.reservation;
}

/** The machine of a join, which has the disk of the reservation. */
export function withReservedDisk<Input extends OnDisk>(input: Input): Input {
  const diskSize = input.machineSettings?.diskSize ?? reservationOf(input)?.diskSize;
  return diskSize === undefined ? input : { ...input, machineSettings: { ...input.machineSettings, diskSize } };
}

/** Fields of the KubeletConfiguration that the size of the disk determines. */
export function diskFields(input: OnDisk): PlainMap {
  return { ...sizesOnDisk(input.machineSettings?.diskSize ?? reservationOf(input)?.diskSize)?.kubelet };
}

/** Checks what is said about a disk in several places. What is not a size, or not a reservation, is reported
 * elsewhere. */
export function checkDisk(input: OnDisk, problems: ProblemList): void {
  const given: unknown = isMap(input.machineSettings) ? input.machineSettings.diskSize : undefined;
  const own = isDiskSize(given) ? given : undefined;
  const reservation: unknown = reservationOf(input);
  const reserved = reservation instanceof NodeReservation ? reservation.diskSize : undefined;
  if (own !== undefined && reserved !== undefined && !isSameSize(own, reserved)) {
    const whose = input.reservation === undefined ? 'the reservation of the pool' : 'the reservation';
    problems
      .at('machineSettings', 'diskSize')
      .add(
        'EDGE_CONTRADICTION',
        `this is ${own}, and ${whose} is for a disk of ${reserved}`,
        `leave it out, or give this join its own reservation, with diskSize: '${own}'`,
      );
  }
  checkPercentages(own ?? reserved, input.kubeletConfiguration, problems.at('kubeletConfiguration'));
}

/** With a low percentage that is not below the high one, kubelet does not start
 * (`pkg/kubelet/apis/config/validation`). */
function checkPercentages(diskSize: string | undefined, configuration: unknown, problems: ProblemList): void {
  const sizes = sizesOnDisk(diskSize);
  if (sizes === undefined || !isMap(configuration)) {
    return;
  }
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = { ...sizes.kubelet, ...configuration };
  if (typeof high === 'number' && typeof low === 'number' && low >= high) {
    const [given, other] =
      'imageGCHighThresholdPercent' in configuration ? (['High', 'Low'] as const) : (['Low', 'High'] as const);
    problems
      .at(`imageGC${given}ThresholdPercent`)
      .add(
        'EDGE_CONTRADICTION',
        `for a disk of ${diskSize} unused images are removed from ${high} % down to ${low} %: kubelet would not start`,
        `also write imageGC${other}ThresholdPercent`,
      );
  }
}

/** Warns that the thresholds of a reservation that does not know the disk do not fit the disk of the machine. */
export function diskWarnings(input: OnDisk): readonly EdgeWarning[] {
  const warnings = new ProblemList();
  const reservation = reservationOf(input);
  // one that knows it is checked when it is made
  if (reservation !== undefined && reservation.diskSize === undefined) {
    for (const { message, signal, most } of earlyEvictions(reservation, input.machineSettings?.diskSize)) {
      warnings
        .at('machineSettings', 'diskSize')
        .add('EDGE_CONTRADICTION', message, `write '${most}' or less for ${signal} in the reservation`);
    }
  }
  return warnings.problems;
}
