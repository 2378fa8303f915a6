import { UNKNOWN_MARK } from '../errors.js';
import { isMap } from './plain-data.js';

/**
 * A value that is not there while a plan is made: in a Pulumi program an Output. A rule that only passes it on does so. A rule that needs the value
 * itself says so with {@link compute}.
 */
export class Unknown {
  private static count = 0;

  /** Whether there is any unknown value in this process; without one nothing has to be searched for them. */
  public static get exists(): boolean {
    return Unknown.count > 0;
  }

  private readonly id: number;

  /** @param source what will give the value */
  constructor(public readonly source?: unknown) {
    this.id = ++Unknown.count;
  }

  /** A text that can be found again: text that holds it was made from a value that is not there. */
  public toString(): string {
    return `${UNKNOWN_MARK}${this.id}>`;
  }

  public toJSON(): string {
    return this.toString();
  }
}

/** What a rule makes of values that are unknown, as soon as they are there. */
export class Computed extends Unknown {
  constructor(
    /** What the rule looks at, unknown values in their places. */
    public readonly input: unknown,
    public readonly rule: (input: never) => unknown,
  ) {
    super();
  }
}

/** Names, in an instance that may hold unknown values, the map of those that it holds. */
export const UNKNOWN_FACTS = Symbol('unknown facts');

/** Names, in such an instance, the method that makes the same instance with the true values. */
export const WITH_FACTS = Symbol('with facts');

/** An instance that may hold unknown values. */
export interface HoldsFacts {
  readonly [UNKNOWN_FACTS]: Readonly<Record<string, unknown>>;
  [WITH_FACTS](facts: Readonly<Record<string, unknown>>): HoldsFacts;
}

/** The unknown values of an instance; undefined where it is one that holds none. */
export function unknownFactsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && UNKNOWN_FACTS in value
    ? (value as HoldsFacts)[UNKNOWN_FACTS]
    : undefined;
}

/** Whether a value is unknown. */
export function isUnknown(value: unknown): value is Unknown {
  return value instanceof Unknown;
}

/** Whether an unknown value is anywhere in a value. */
export function holdsUnknown(value: unknown): boolean {
  return Unknown.exists && holds(value);
}

function holds(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(holds);
  }
  if (isMap(value)) {
    return Object.values(value).some(holds);
  }
  return value instanceof Unknown || holds(Object.values(unknownFactsOf(value) ?? {}));
}

/** Whether text was made from a value that is not there. */
export function holdsUnknownText(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes(UNKNOWN_MARK);
  }
  if (Array.isArray(value)) {
    return value.some(holdsUnknownText);
  }
  return isMap(value) && Object.entries(value).some(([key, item]) => holdsUnknownText(key) || holdsUnknownText(item));
}

/**
 * What a rule makes of its input: at once where all of it is there, else as soon as it is.
 *
 * @param input everything that the rule looks at, and what it passes on
 * @param rule a pure function of the input alone
 * @param reads the part of the input that the rule looks at; with that known, the rule runs at once and passes unknown values on
 */
export function compute<I, R>(input: I, rule: (input: I) => R, reads: unknown = input): R {
  return holdsUnknown(reads) ? (new Computed(input, rule) as R) : rule(input);
}

/** A copy of a value with something else in the place of every unknown value. */
export function withKnown(value: unknown, known: (unknown: Unknown) => unknown): unknown {
  if (value instanceof Unknown) {
    return known(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => withKnown(item, known));
  }
  if (isMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withKnown(item, known)]));
  }
  const facts = unknownFactsOf(value) ?? {};
  return Object.keys(facts).length === 0
    ? value
    : (value as HoldsFacts)[WITH_FACTS](withKnown(facts, known) as Record<string, unknown>);
}

/** Maps, one over the other; at once unless one of them is unknown as a whole. */
export function merged<T extends object>(...maps: readonly (T | undefined)[]): T {
  const merge = (all: readonly (T | undefined)[]): T =>
    all.reduce<Partial<T>>((result, map) => ({ ...result, ...map }), {}) as T;
  return compute(maps, merge, maps.filter(isUnknown));
}

/** Text made of parts some of which may be unknown: a tag for template literals. */
export function text(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return compute(values, (known) => strings.map((part, index) => `${part}${known[index] ?? ''}`).join(''));
}

/** Lists, one after the other; at once unless one of them is unknown as a whole. */
export function concatenated<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return compute(lists, (all) => all.flat() as T[], lists.filter(isUnknown));
}
