import type { ProblemList } from './errors.js';
import { isMap } from './plain-data.js';

/** Levenshtein distance, for "did you mean"; infinite where the lengths alone say that it is more than `most`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) {
    return Infinity;
  }
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The candidate that a misspelled word most likely means; undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(word.length / 3));
  const lower = word.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, far: distance(lower, candidate.toLowerCase(), most) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  if (best !== undefined && best.far <= 2) {
    return best.candidate;
  }
  // coreDnsCorefile means corefile, although coreDnsService has more letters in common
  const part = candidates.find(
    (candidate) => isEnd(lower, candidate.toLowerCase()) || isEnd(candidate.toLowerCase(), lower),
  );
  return part ?? (best !== undefined && best.far <= most ? best.candidate : undefined);
}

/**
 * The word that was probably meant, if at most two letters differ (in a short word one, or two are swapped): closer than {@link nearest}, for lists that may miss words. No field that Kubernetes
 * 1.23 to 1.37 added is as close to an older one.
 */
export function nearMiss(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  const most = word.length > 4 ? 2 : 1;
  const [a, b] = [word.toLowerCase(), near?.toLowerCase() ?? ''];
  return near !== undefined && (distance(a, b, most) <= most || areSwapped(a, b)) ? near : undefined;
}

/** The key of a map that was probably meant to be a field that is missing. */
export function misspelt(field: string, map: object): string | undefined {
  return Object.keys(map).find((key) => key !== field && nearMiss(key, [field]) !== undefined);
}

/** Whether two words differ by two adjacent letters that are swapped. */
function areSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  return a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2) === b;
}

/**
 * Refuses unknown properties. TypeScript finds them in literals; this finds them in JavaScript, in spread objects and in data from files.
 *
 * @param known names of all properties
 * @param advice hints for likely wrong names
 */
export function checkKnownProperties(
  props: object,
  known: readonly string[],
  problems: ProblemList,
  advice: Readonly<Record<string, string>> = {},
): void {
  for (const name of Object.keys(props)) {
    if (known.includes(name) || (props as Record<string, unknown>)[name] === undefined) {
      continue;
    }
    const near = nearest(name, known);
    const advised = Object.hasOwn(advice, name) ? advice[name] : undefined;
    const hint = advised ?? (near === undefined ? `write one of: ${known.join(', ')}` : `did you mean ${near}?`);
    problems.at(name).add('EDGE_UNKNOWN_PROPERTY', `there is no property ${name}`, hint);
  }
}

/** A value as text for messages: text and numbers unquoted, everything else as JSON. */
export function showValue(value: unknown): string {
  if (value === undefined) {
    return 'nothing';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : quoted(value);
}

/** A value as JSON for messages; what JSON does not have, by its type. */
export function quoted(value: unknown): string {
  if (typeof value === 'bigint') {
    return `${value}n`;
  }
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // a BigInt inside, or an object that contains itself
    return whatIs(value);
  }
}

function isEnd(long: string, short: string): boolean {
  return short.length > 3 && long.endsWith(short);
}

/** What a value is, for messages: `text`, `a number`, `a list`, `an instance of Chart`. */
export function whatIs(value: unknown): string {
  if (value === undefined || value === null) {
    return 'missing';
  }
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return String(value);
    case 'object':
      return Array.isArray(value) ? 'a list' : isMap(value) ? 'a map' : instanceName(value);
    default:
      return `a ${typeof value}`;
  }
}

function instanceName(value: object): string {
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an instance of a class without a name';
}

/** What to say about text where a number is required; undefined if it is something else. */
export function numberAsText(value: unknown): { readonly message: string; readonly hint?: string } | undefined {
  if (typeof value !== 'string') {
    return undefined;
  }
  const isNumber = /^\s*-?\d+\s*$/.test(value);
  return {
    message: `${JSON.stringify(value)} is text, not a number`,
    ...(isNumber ? { hint: `write ${Number(value)}, without quotes` } : {}),
  };
}

/** What to write where a port is required. */
export function portHint(value: unknown): string {
  const hint = numberAsText(value)?.hint;
  return hint === undefined ? 'write a whole number from 1 to 65535' : `${hint} (a whole number from 1 to 65535)`;
}

export function checkBoolean(value: unknown, problems: ProblemList): void {
  if (value !== undefined && typeof value !== 'boolean') {
    problems.add('EDGE_TYPE', `must be true or false, this is ${quoted(value)}`, 'write true or false, without quotes');
  }
}

function didYouMean(value: unknown, allowed: readonly string[]): string {
  const near = typeof value === 'string' && allowed.length > 2 ? nearest(value, allowed) : undefined;
  return near === undefined ? '' : ` (did you mean '${near}'?)`;
}

export function checkOneOf(value: unknown, allowed: readonly string[], problems: ProblemList): void {
  if (value !== undefined && !allowed.includes(value as string)) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(value)} is not one of ${allowed.join(', ')}`,
      `write ${allowed.map((word) => `'${word}'`).join(' or ')}${didYouMean(value, allowed)}`,
    );
  }
}

export function checkWholeNumber(value: unknown, minimum: number, problems: ProblemList): void {
  if (value !== undefined && (typeof value !== 'number' || !Number.isInteger(value) || value < minimum)) {
    const text = numberAsText(value);
    problems.add(
      'EDGE_VALUE',
      text?.message ?? `${showValue(value)} is not a whole number of at least ${minimum}`,
      text?.hint !== undefined && Number(value) >= minimum ? text.hint : `write a whole number, ${minimum} or more`,
    );
  }
}
