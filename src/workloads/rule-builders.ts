import type { EdgeCode } from '../error-codes.js';
import type { ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import type { KnownFields } from '../kubernetes/workload-fields.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { checkOneOf, quoted } from '../validation/properties.js';

/**
 * Refuses values of one type.
 *
 * @param fields the fields of the type, if the value is checked for missing ones
 */
export type Rule = (part: PlainMap, problems: ProblemList, fields?: KnownFields) => void;

/** Whether a value has a field that its type does not have, which is reported, and is meant for the missing one. */
const hasUnknown = (part: PlainMap, fields: KnownFields | undefined): boolean =>
  fields !== undefined && Object.keys(part).some((field) => !fields.has(field));

/** The value of a field, if it is there and known. */
export function known(part: PlainMap, field: string): unknown {
  const value = part[field] ?? undefined;
  return holdsUnresolved(value) ? undefined : value;
}

export const texts =
  (field: string, ...values: string[]): Rule =>
  (part, problems) => {
    const value = known(part, field);
    // the API server takes empty text for the default
    if (typeof value === 'string' && value !== '') {
      checkOneOf(value, values, problems.at(field));
    }
  };

export const between =
  (field: string, least: number, most = Number.MAX_SAFE_INTEGER, hint = `write ${least} or more`): Rule =>
  (part, problems) => {
    const value = known(part, field);
    if (typeof value === 'number' && (value < least || value > most)) {
      problems.at(field).add('EDGE_VALUE', `${value} is not valid here`, hint);
    }
  };

/** Text that must be of a form. */
export const formed =
  (
    field: string,
    isRight: (text: string) => boolean,
    what: string,
    hint: string,
    code: EdgeCode = 'EDGE_VALUE',
  ): Rule =>
  (part, problems) => {
    const value = known(part, field);
    if (typeof value === 'string' && value !== '' && !isRight(value)) {
      problems.at(field).add(code, `${quoted(value)} ${what}`, hint);
    }
  };

/** A field without which the API server refuses the value; empty text is none. */
export const needs =
  (what: string, field: string, hint: string): Rule =>
  (part, problems, fields) => {
    const value = part[field];
    if ((isAbsent(value) || value === '') && !hasUnknown(part, fields)) {
      problems.at(field).add('EDGE_MISSING', `${what} needs ${field}`, hint);
    }
  };

/** What needs one of several fields. */
export const oneOf =
  (what: string, fields: readonly string[], hint: string): Rule =>
  (part, problems, known) => {
    if (!fields.some((field) => has(part, field)) && !hasUnknown(part, known)) {
      problems.add('EDGE_MISSING', `${what} needs ${fields.join(' or ')}`, hint);
    }
  };

/** The maps in a list, each with its index. */
export function mapsIn(part: PlainMap, field: string): [index: number, item: PlainMap][] {
  const list = part[field];
  return (Array.isArray(list) ? list : []).flatMap((item: unknown, index): [number, PlainMap][] =>
    isMap(item) ? [[index, item]] : [],
  );
}

/** Permissions of a file: YAML writes them in octal, JSON and TypeScript in decimal. */
export const mode = (field: string): Rule =>
  between(field, 0, 0o777, 'write 420 for rw-r--r-- (0o644 in TypeScript), at most 511');

/** What must not be together. */
export const not =
  (isWrong: (part: PlainMap) => boolean, path: string, message: string, hint: string): Rule =>
  (part, problems) => {
    if (isWrong(part)) {
      problems
        .at(...path.split('.').filter(Boolean))
        .add('EDGE_CONTRADICTION', `conflicting settings: ${message}`, hint);
    }
  };

export const has = (part: PlainMap, field: string): boolean => !isAbsent(part[field]);

/** The fields that are set, of several of which one is allowed. */
export const onlyOne =
  (what: string, fields: readonly string[]): Rule =>
  (part, problems) => {
    const set = fields.filter((field) => has(part, field));
    if (set.length > 1) {
      problems.add('EDGE_CONTRADICTION', `conflicting settings: ${what} has ${set.join(' and ')}`, 'write one of them');
    }
  };

export const counts = (...fields: string[]): Rule[] => fields.map((field) => between(field, 0));

/** Whether text is a name of a port (core validation IsValidPortName). */
export const isPortName = (name: string): boolean => /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);

/** Whether a number is one of a port. */
export const isPortNumber = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65535;
