import { Quantity } from '../kubernetes/quantity.js';

const MEBIBYTE = 1024n * 1024n;

/** A percentage of a size as Prometheus writes amounts of data: in whole MiB, with B. */
export function shareOfSize(size: string, percent: number): string {
  const bytes = Quantity.parse(size)?.wholeUnits() ?? 0n;
  return `${(bytes * BigInt(percent)) / 100n / MEBIBYTE}MiB`;
}

// as Prometheus reads them (alecthomas/units): with and without i a power of 1024
const POWERS = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** Bytes of an amount of data as Prometheus writes it, `40GB`; undefined if it would refuse the text. */
export function dataBytes(amount: unknown): number | undefined {
  const [, number = '', unit = ''] =
    (typeof amount === 'string' && /^(\d+(?:\.\d+)?)([KMGTPE]?)i?B$/.exec(amount)) || [];
  return number === '' ? undefined : Number(number) * 1024 ** POWERS.indexOf(unit);
}

/** Seconds of each unit of a duration, in the order in which they are written. */
const UNITS: readonly [unit: string, seconds: number][] = [
  ['y', 365 * 24 * 3600],
  ['w', 7 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** Seconds of a duration as Prometheus and Loki write it, `15d` or `1d12h`; undefined if they would refuse the text. */
export function durationSeconds(duration: unknown): number | undefined {
  const pattern = new RegExp(`^${UNITS.map(([unit]) => `(?:(\\d{1,9})${unit})?`).join('')}$`);
  const amounts = typeof duration === 'string' && duration !== '' ? pattern.exec(duration) : null;
  return amounts === null
    ? undefined
    : UNITS.reduce((total, [, seconds], index) => total + Number(amounts[index + 1] ?? 0) * seconds, 0);
}
