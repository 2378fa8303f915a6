import type { ProblemList } from '../base/errors.js';
import { checkCapacity, type NodeCapacity, type NodeReservationProps } from './reservation-props.js';
import { type EvictionThresholds, reservedBy } from './eviction-signal.js';
import { Quantity } from '../kubernetes/quantity.js';

const RESOURCES = ['cpu', 'memory', 'ephemeralStorage'] as const;

/** The hard threshold that reduces a resource. All other thresholds only evict Pods. */
const THRESHOLD_OF: Readonly<Record<string, keyof EvictionThresholds>> = {
  memory: 'memory.available',
  ephemeralStorage: 'nodefs.available',
};

export function quantityOf(amount: string | number | undefined): Quantity {
  return amount === undefined ? Quantity.ZERO : (Quantity.parse(String(amount)) ?? Quantity.ZERO);
}

/**
 * The allocatable resources: capacity minus kubeReserved, systemReserved and the hard threshold (`pkg/kubelet/cm`, GetNodeAllocatableReservation).
 * A reservation that exceeds the capacity is a problem: kubelet would not start.
 */
export function allocatableOf(
  reservation: NodeReservationProps,
  evictionHard: EvictionThresholds,
  capacity: NodeCapacity,
  problems: ProblemList,
): Record<string, string> {
  checkCapacity(capacity ?? {}, RESOURCES, problems);
  const found = problems.problems.length;
  const allocatable: Record<string, string> = {};
  for (const resource of found > 0 ? [] : RESOURCES) {
    if (capacity[resource] === undefined) {
      continue;
    }
    const whole = quantityOf(capacity[resource]);
    const threshold = THRESHOLD_OF[resource];
    const reserved = [
      quantityOf(reservation.kubeReserved?.[resource]),
      quantityOf(reservation.systemReserved?.[resource]),
      reservedBy(threshold === undefined ? undefined : evictionHard[threshold], whole),
    ];
    const rest = reserved.reduce((left, part) => left.minus(part), whole);
    if (rest.nano < 0n) {
      problems
        .at(resource)
        .add(
          'EDGE_RESERVATION',
          `${reserved.join(' + ')} is reserved (kubeReserved, systemReserved, hard eviction) of ${whole.toString()}: kubelet would not start`,
          `reserve less ${resource}, or use this reservation only for larger nodes`,
        );
    }
    allocatable[resource] = rest.toString();
  }
  return allocatable;
}
