import { showValue } from '../base/properties.js';

/** Less memory or disk than any daemon needs, in nano units: the unit is missing, or it is m, thousandths. */
const LEAST = 1_048_576n * 1_000_000_000n;

/** Whether an amount of memory or disk, in nano units, is so small that its unit is missing. */
export function isWithoutUnit(nano: bigint): boolean {
  return nano > 0n && nano < LEAST;
}

/** What is wrong with such an amount, and what to write. */
export function missingUnit(amount: string | number, unit = 'Mi'): [message: string, hint: string] {
  return [
    `${showValue(amount)} is less than 1Mi: without a unit it is a number of bytes`,
    `write '${String(amount).replace(/[A-Za-z]{1,2}$/, '')}${unit}'`,
  ];
}
