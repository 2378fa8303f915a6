import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { nearest, showValue } from '../base/properties.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isWithoutUnit, missingUnit } from './missing-unit.js';

/**
 * Thresholds by signal: a quantity (`100Mi`) or a percentage of the capacity (`10%`). `0%` disables a signal.
 *
 * @category Join nodes
 */
export type EvictionThresholds = Partial<
  Record<
    | 'memory.available'
    | 'nodefs.available'
    | 'nodefs.inodesFree'
    | 'imagefs.available'
    | 'imagefs.inodesFree'
    | 'pid.available',
    string
  >
>;

/** A resource that kubelet monitors for node-pressure eviction (`pkg/kubelet/eviction/api`). */
export type EvictionSignal = keyof EvictionThresholds;

export const EVICTION_SIGNALS: readonly EvictionSignal[] = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];

/**
 * kubelet's default hard thresholds on Linux (`pkg/kubelet/apis/config/v1beta1/defaults_linux.go`). If any of them is set, kubelet uses 0 for the others, so
 * this library always writes all of them.
 */
export const DEFAULT_EVICTION_HARD: Readonly<EvictionThresholds> = Object.freeze({
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
});

const PERCENTAGE = /^(\d{1,3}(\.\d{1,6})?)%$/;

/** The share of a percentage, with the precision of kubelet (float32); undefined for a quantity. */
export function shareOf(threshold: string): number | undefined {
  const [, digits] = PERCENTAGE.exec(threshold) ?? [];
  return digits === undefined ? undefined : Math.fround(Math.fround(Number(digits)) / 100);
}

/** The amount by which a hard threshold reduces an allocatable resource (`hardEvictionReservation` of `pkg/kubelet/cm`). */
export function reservedBy(threshold: string | undefined, capacity: Quantity): Quantity {
  if (threshold === undefined || threshold === '0%' || threshold === '100%') {
    return Quantity.ZERO;
  }
  const share = shareOf(threshold);
  return share === undefined
    ? (Quantity.parse(threshold) ?? Quantity.ZERO)
    : Quantity.ofBytes(BigInt(Math.trunc(Number(capacity.wholeUnits()) * share)));
}

/** Checks a map of thresholds. */
export function checkThresholds(thresholds: unknown, problems: ProblemList): void {
  checkAmounts(
    thresholds,
    ({ share, amount }) => (share === undefined ? amount !== undefined && amount.nano > 0n : share <= 1),
    ['is neither a positive quantity nor a percentage up to 100%', "write '100Mi' or '10%', in quotes"],
    problems,
  );
}

/** Checks a map of minimum reclaims: in contrast to a threshold, one may be 0, but not 0% (`parseMinimumReclaims` of `pkg/kubelet/eviction/helpers.go`). */
export function checkReclaims(reclaims: unknown, problems: ProblemList): void {
  checkAmounts(
    reclaims,
    ({ share, amount }) => (share === undefined ? amount !== undefined && amount.nano >= 0n : share > 0 && share <= 1),
    ['is neither a quantity nor a percentage above 0% and up to 100%', "write '0', '100Mi' or '10%', in quotes"],
    problems,
  );
}

function checkAmounts(
  amounts: unknown,
  fits: (given: { readonly share?: number; readonly amount?: Quantity }) => boolean,
  [wrong, hint]: readonly [string, string],
  problems: ProblemList,
): void {
  if (amounts === undefined) {
    return;
  }
  if (!isMap(amounts)) {
    problems.add('EDGE_TYPE', 'thresholds must be a map by signal', "write { 'memory.available': '100Mi' }");
    return;
  }
  for (const [signal, given] of Object.entries(amounts)) {
    checkSignal(signal, problems.at(signal));
    const read = typeof given === 'string' ? { share: shareOf(given), amount: Quantity.parse(given) } : {};
    if (!fits(read)) {
      problems.at(signal).add('EDGE_VALUE', `${showValue(given)} ${wrong}`, hint);
    } else if (read.share === undefined && read.amount !== undefined) {
      checkUnit(signal, String(given), read.amount, problems.at(signal));
    }
  }
}

/** Refuses an amount whose unit is missing: a part of one, or less memory or disk than anything needs. Process ids and inodes are counted. */
function checkUnit(signal: string, given: string, { nano }: Quantity, problems: ProblemList): void {
  if (nano > 0n && nano < 1_000_000_000n && /^0?\.\d{1,9}$/.test(given)) {
    problems.add(
      'EDGE_QUANTITY',
      `${showValue(given)} is less than one: a share is a percentage`,
      `write '${Number((Number(given) * 100).toFixed(6))}%'`,
    );
  } else if (/\.available$/.test(signal) && signal !== 'pid.available' && isWithoutUnit(nano)) {
    problems.add('EDGE_QUANTITY', ...missingUnit(given));
  }
}

export function checkSignal(signal: string, problems: ProblemList): void {
  if (!EVICTION_SIGNALS.includes(signal as EvictionSignal)) {
    const near = nearest(signal, EVICTION_SIGNALS);
    problems.add(
      'EDGE_VALUE',
      `kubelet has no eviction signal ${signal}`,
      near === undefined ? `write one of ${EVICTION_SIGNALS.join(', ')}` : `did you mean ${near}?`,
    );
  }
}
