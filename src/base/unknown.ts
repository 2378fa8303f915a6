import { UNKNOWN_MARK } from './errors.js';
import { isMap } from './plain-data.js';

/**
 * A value that is unknown while a plan is made: an Output of a Pulumi program. A rule may pass it on as it is. A rule that needs the value itself uses
 * {@link compute}.
 */
export class Unknown {
  private static count = 0;

  /** Whether there is any unknown value so far. If not, searches for unknown values are skipped. */
  public static get exists(): boolean {
    return Unknown.count > 0;
  }

  /** Whether any unknown value was made text so far. If not, searches for such text are skipped. */
  public static get wasText(): boolean {
    return Unknown.texts > 0;
  }

  private static texts = 0;

  private readonly id: number;

  /** @param source the Output that resolves to the value */
  constructor(public readonly source?: unknown) {
    this.id = ++Unknown.count;
  }

  /** A marker: text that contains it was built from an unknown value. */
  public toString(): string {
    Unknown.texts++;
    return `${UNKNOWN_MARK}${this.id}>`;
  }

  public toJSON(): string {
    return this.toString();
  }
}

/** The result of a rule whose input holds unknown values; computed when all of them are known. */
export class Computed extends Unknown {
  constructor(
    /** Input of the rule, with unknown values in place. */
    public readonly input: unknown,
    public readonly rule: (input: never) => unknown,
  ) {
    super();
  }
}

/** Key of the map of unknown values in an instance that may hold some. */
export const UNKNOWN_FACTS = Symbol('unknown facts');

/** Key of the method of such an instance that creates the same instance with known values. */
export const WITH_FACTS = Symbol('with facts');

/** An instance that may hold unknown values. */
export interface HoldsFacts {
  readonly [UNKNOWN_FACTS]: Readonly<Record<string, unknown>>;
  [WITH_FACTS](facts: Readonly<Record<string, unknown>>): HoldsFacts;
}

/** The unknown values of an instance; undefined for a value that cannot hold any. */
export function unknownFactsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && UNKNOWN_FACTS in value
    ? (value as HoldsFacts)[UNKNOWN_FACTS]
    : undefined;
}

/** Whether a value is unknown. */
export function isUnknown(value: unknown): value is Unknown {
  return value instanceof Unknown;
}

/** Whether a value is an Output of Pulumi itself. Plans have an {@link Unknown} in its place, so a rule that meets one was called without a plan. */
export function isPulumiOutput(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { __pulumiOutput?: unknown }).__pulumiOutput === true;
}

/** Whether a value is a resource of Pulumi. */
export function isPulumiResource(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (value as { __pulumiResource?: unknown }).__pulumiResource === true
  );
}

/** Whether a value is unknown or contains an unknown value at any depth. */
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

/** Whether any text in a value was built from an unknown value. */
export function holdsUnknownText(value: unknown): boolean {
  return Unknown.wasText && holdsMark(value);
}

function holdsMark(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes(UNKNOWN_MARK);
  }
  if (Array.isArray(value)) {
    return value.some(holdsMark);
  }
  return isMap(value) && Object.entries(value).some(([key, item]) => holdsMark(key) || holdsMark(item));
}

/**
 * The result of a rule: computed at once if everything that it reads is known, otherwise when it is known.
 *
 * @param input everything that the rule reads or passes on
 * @param rule a pure function of `input` only
 * @param reads the part of the input that the rule reads. If it is known, the rule runs at once, and unknown values in the rest of the input stay
 * unknown values in the result
 */
export function compute<I, R>(input: I, rule: (input: I) => R, reads: unknown = input): R {
  return holdsUnknown(reads) ? (new Computed(input, rule) as R) : rule(input);
}

/** The same for a rule that only needs the input as a whole: unknown values in it stay in the result. */
export function computeWhole<I, R>(input: I, rule: (input: I) => R): R {
  return compute(input, rule, isUnknown(input) && input);
}

/** A copy of a value in which every unknown value is replaced. */
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

/** Merges maps; later ones win. Any of them may be unknown as a whole. */
export function merged<T extends object>(...maps: readonly (T | undefined)[]): T {
  const merge = (all: readonly (T | undefined)[]): T => Object.assign({}, ...all) as T;
  return compute(maps, merge, maps.filter(isUnknown));
}

/** A tag for template literals in which values may be unknown. */
export function text(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return compute(values, (known) => strings.map((part, index) => `${part}${known[index] ?? ''}`).join(''));
}

/** Concatenates lists, any of which may be unknown as a whole. */
export function concatenated<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return compute(lists, (all): readonly T[] => all.flatMap((list) => [...list]), lists.filter(isUnknown));
}
