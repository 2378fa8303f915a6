import type { ProblemList } from '../errors.js';

/** Levenshtein distance, for "did you mean". */
function distance(a: string, b: string): number {
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

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/**
 * The word that was probably meant, if at most two letters differ: closer than {@link nearest}, for lists that may miss words. No field that Kubernetes
 * 1.23 to 1.37 added is as close to an older one.
 */
export function nearMiss(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  const most = word.length > 4 ? 2 : 1;
  return near !== undefined && distance(word.toLowerCase(), near.toLowerCase()) <= most ? near : undefined;
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
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : (JSON.stringify(value) ?? typeof value);
}

export function checkBoolean(value: unknown, problems: ProblemList): void {
  if (value !== undefined && typeof value !== 'boolean') {
    problems.add(
      'EDGE_TYPE',
      `must be true or false, this is ${JSON.stringify(value) ?? typeof value}`,
      'write true or false, without quotes',
    );
  }
}

export function checkOneOf(value: unknown, allowed: readonly string[], problems: ProblemList): void {
  if (value !== undefined && !allowed.includes(value as string)) {
    problems.add(
      'EDGE_VALUE',
      `${JSON.stringify(value) ?? typeof value} is not one of ${allowed.join(', ')}`,
      `write ${allowed.map((word) => `'${word}'`).join(' or ')}`,
    );
  }
}

export function checkWholeNumber(value: unknown, minimum: number, problems: ProblemList): void {
  if (value !== undefined && (typeof value !== 'number' || !Number.isInteger(value) || value < minimum)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(value)} is not a whole number of at least ${minimum}`,
      `write a whole number, ${minimum} or more`,
    );
  }
}
