import type { ProblemList } from '../base/errors.js';
import { showValue } from '../base/properties.js';

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };

/** A time span in seconds, of text as flags of Kubernetes have it, `'1m30s'`, or a number of seconds; undefined if there is none, or it is not valid. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  }
  if (typeof value !== 'string' || value === '' || value.length > 40) {
    return undefined;
  }
  let [seconds, rest] = [0, value];
  while (rest !== '') {
    const [part, number, unit] = /^(\d{1,12}(?:\.\d{1,12})?)(h|ms|m|s)/.exec(rest) ?? [];
    if (part === undefined) {
      return undefined;
    }
    seconds += Number(number) * (UNITS[unit as string] ?? 0);
    rest = rest.slice(part.length);
  }
  return seconds;
}

/** Checks an optional time span. */
export function checkDuration(value: unknown, problems: ProblemList): void {
  if (value !== undefined && secondsOf(value) === undefined) {
    const shown = showValue(value);
    problems.add(
      'EDGE_VALUE',
      shown.startsWith('-') ? `${shown} is a negative time` : `${shown} is not a time span`,
      "write '10m', '90s' or a number of seconds",
    );
  }
}

/** A time in a report: `45 s`, `6 min`, `2 h`. */
export function timeText(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 120) {
    return `${rounded} s`;
  }
  const minutes = Math.round(rounded / 6) / 10;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}
