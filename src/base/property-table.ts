import { OUTPUT_REFUSED, type ProblemList } from './errors.js';
import { isMap } from './plain-data.js';
import { checkKnownProperties, checkOneOf, checkWholeNumber, showValue, whatIs } from './properties.js';
import { holdsUnknown, isPulumiOutput, Unknown, unknownFactsOf } from './unknown.js';

/** Checks one value, which may be absent; the list of problems has its path. */
export type Check = (value: unknown, problems: ProblemList) => void;

/** A check for each property; a missing one is a compile error. */
export type PropertyTable<Props> = { readonly [Name in keyof Required<Props>]: Check };

/**
 * Runs the check of every property, in the order of the table, and refuses properties that are not in the table.
 *
 * @param advice hints for likely wrong names
 */
export function checkProperties<Props>(
  props: object,
  table: PropertyTable<Props>,
  problems: ProblemList,
  advice: Readonly<Record<string, string>> = {},
): void {
  const names = Object.keys(table);
  // an EdgeCluster, for example, or text: what these have are no misspelled properties
  if (unknownFactsOf(props) === undefined && typeof props === 'object' && !Array.isArray(props)) {
    checkKnownProperties(props, names, problems, advice);
  } else {
    problems.add('EDGE_TYPE', `the properties are ${whatIs(props)}, not a map`, `write { ${names[0]}, … }`);
  }
  for (const name of names) {
    const value = (props as Record<string, unknown>)[name];
    const at = problems.at(name);
    if (!refuseOutput(value, at)) {
      table[name as keyof Props](value, at);
    }
  }
}

/** Refuses an Output where no plan can wait for its value; returns whether it is one. */
export function refuseOutput(value: unknown, problems: ProblemList): boolean {
  if (isPulumiOutput(value)) {
    problems.add('EDGE_KNOWN_LATER', OUTPUT_REFUSED.message, OUTPUT_REFUSED.hint);
    return true;
  }
  return false;
}

/** An optional property. */
export function optional(check: Check): Check {
  return (value, problems) => {
    if (value !== undefined) {
      check(value, problems);
    }
  };
}

/** A property that the rule itself checks, usually together with others. */
export const checkedElsewhere: Check = () => undefined;

/**
 * A property that must be plain, because it determines what is made: an Output is refused. An instance that may hold Outputs, such as an
 * EdgeCluster, checks its own properties.
 */
export function plain(check: Check): Check {
  return (value, problems) => {
    if (holdsUnknown(value) && unknownFactsOf(value) === undefined) {
      refuseUnknown(problems);
    } else {
      check(value, problems);
    }
  };
}

/** A map that must be plain itself; values in it may be Outputs. */
export function plainMap(check: Check): Check {
  return (value, problems) => (value instanceof Unknown ? refuseUnknown(problems) : check(value, problems));
}

/** Reports an Output where a plain value is required. */
export function refuseUnknown(problems: ProblemList): void {
  problems.add('EDGE_KNOWN_LATER', MUST_BE_PLAIN.message, MUST_BE_PLAIN.hint);
}

/** Message and hint for an Output that determines what is made. */
export const MUST_BE_PLAIN = {
  message: `${OUTPUT_REFUSED.message}: it determines what is made`,
  hint: OUTPUT_REFUSED.hint,
} as const;

/** One of the given words. */
export function oneOf(...words: readonly string[]): Check {
  return (value, problems) => checkOneOf(value, words, problems);
}

/** A whole number of at least `minimum`. */
export function wholeNumber(minimum: number, maximum = Infinity): Check {
  return (value, problems) => {
    checkWholeNumber(value, minimum, problems);
    if (typeof value === 'number' && value > maximum) {
      problems.add('EDGE_VALUE', `${value} is more than ${maximum}`, `write at most ${maximum}`);
    }
  };
}

/**
 * A list whose items pass a check.
 *
 * @param hint what to write if the value is not a list
 */
export function listOf(check: Check, hint: string, message = 'this must be a list'): Check {
  return optional((value, problems) => {
    if (!Array.isArray(value)) {
      problems.add('EDGE_TYPE', message, hint);
      return;
    }
    value.forEach((item: unknown, index) => check(item, problems.at(index)));
  });
}

/** A list without duplicates. */
export function setOf(check: Check, hint: string, message?: string): Check {
  const list = listOf(check, hint, message);
  return (value, problems) => {
    list(value, problems);
    const seen = new Set<unknown>();
    (Array.isArray(value) ? (value as unknown[]) : []).forEach((item, index) => {
      if (seen.has(item)) {
        problems.at(index).add('EDGE_DUPLICATE', `${showValue(item)} is listed twice`, 'name it once');
      }
      seen.add(item);
    });
  };
}

/** A map that passes a check. */
export function mapWith(
  check: (map: Record<string, unknown>, problems: ProblemList) => void,
  message: string,
  hint: string,
): Check {
  return optional((value, problems) => {
    if (!isMap(value)) {
      problems.add('EDGE_TYPE', message, hint);
      return;
    }
    check(value, problems);
  });
}

/** A list of single words. */
export function listOfWords(form: RegExp, example: string): Check {
  return listOf((word, problems) => {
    if (typeof word !== 'string' || !form.test(word)) {
      problems.add('EDGE_VALUE', `${showValue(word)} is not valid here`, `write ${example}`);
    }
  }, `write ${example}`);
}
