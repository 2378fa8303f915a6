import type { EdgeCode } from '../base/error-codes.js';
import type { ProblemList } from '../base/errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import type { KnownFields } from '../kubernetes/workload-fields.js';
import type { PlainMap } from '../base/plain-data.js';
import { checkOneOf, misspelt, quoted, whatIs } from '../base/properties.js';

/** What a rule is told of the place in which it stands. */
export interface RulePlace {
  /** The fields of the type. */
  readonly fields: KnownFields;
  /** Whether what a host-network Pod needs is checked elsewhere. */
  readonly isHostNetwork: boolean;
  /** Whether the kind is one of an operator whose fields are not known. */
  readonly isOperators: boolean;
  /** Allowed values of restartPolicy; the first of several is not the default, which is Always. */
  readonly restarts: readonly string[];
  /** Names of the volumes that a StatefulSet claims; undefined if they are not known. */
  readonly claims: readonly unknown[] | undefined;
}

/** Refuses values of one type. A rule that another one calls is told of no place. */
export type Rule = (part: PlainMap, problems: ProblemList, place?: RulePlace) => void;

/** Rules by the type of the map that has the values. */
export type RuleTable = Readonly<Record<string, readonly Rule[]>>;

/** Whether a value has a field that its type does not have, which is reported, and is meant for the missing one. */
const hasUnknown = (part: PlainMap, place: RulePlace | undefined): boolean =>
  place !== undefined && Object.keys(part).some((field) => !place.fields.has(field));

export const has = (part: PlainMap, field: string): boolean => !isAbsent(part[field]);

/** The value of a field, if it is there and known. */
export function known(part: PlainMap, field: string): unknown {
  const value = part[field] ?? undefined;
  return holdsUnresolved(value) ? undefined : value;
}

/** A list that is there and known, with the position of each item. */
export function knownItems(part: PlainMap, field: string): [index: number, item: unknown][] {
  const list = known(part, field);
  return Array.isArray(list) ? [...list.entries()] : [];
}

export function conflict(problems: ProblemList, message: string, hint: string): void {
  problems.add('EDGE_CONTRADICTION', `conflicting settings: ${message}`, hint);
}

/** Except for a host-network workload, of which it is checked elsewhere. */
export const unlessHostNetwork =
  (rule: Rule): Rule =>
  (part, problems, place) =>
    place?.isHostNetwork === true ? undefined : rule(part, problems, place);

/** One of some words, whatever the type of the value is. The API server takes empty text for the default. */
export const choice =
  (field: string, ...words: string[]): Rule =>
  (part, problems) => {
    const value = part[field];
    if (!isAbsent(value) && value !== '' && !holdsUnresolved(value)) {
      checkOneOf(value, words, problems.at(field));
    }
  };

/** One of some words, if it is text. */
export const texts = (field: string, ...words: string[]): Rule => {
  const check = choice(field, ...words);
  return (part, problems) => (typeof part[field] === 'string' ? check(part, problems) : undefined);
};

export const between =
  (field: string, least: number, most = Number.MAX_SAFE_INTEGER, hint = `write ${least} or more`): Rule =>
  (part, problems) => {
    const value = known(part, field);
    if (typeof value === 'number' && (value < least || value > most)) {
      problems.at(field).add('EDGE_VALUE', `${value} is not valid here`, hint);
    }
  };

export const counts = (...fields: string[]): Rule[] => fields.map((field) => between(field, 0));

/** Permissions of a file: YAML writes them in octal, JSON and TypeScript in decimal. */
export const mode = (field: string): Rule =>
  between(field, 0, 0o777, 'write 420 for rw-r--r-- (0o644 in TypeScript), at most 511');

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
    const value = part[field];
    if (typeof value === 'string' && value !== '' && !isRight(value)) {
      problems.at(field).add(code, `${quoted(value)} ${what}`, hint);
    }
  };

/** A field without which the API server refuses the value; empty text is none. */
export const needs =
  (what: string, field: string, hint: string): Rule =>
  (part, problems, place) => {
    if ((!has(part, field) || part[field] === '') && !hasUnknown(part, place)) {
      problems.at(field).add('EDGE_MISSING', `${what} needs ${field}`, hint);
    }
  };

/** Text that must be there. */
export const needsText =
  (what: string, field: string, hint: string): Rule =>
  (part, problems) => {
    const value = part[field];
    const at = problems.at(field);
    if (isAbsent(value) || value === '') {
      const near = misspelt(field, part);
      at.add('EDGE_MISSING', `${what} needs ${field}`, near === undefined ? hint : `write ${field} instead of ${near}`);
    } else if (typeof value !== 'string' && !holdsUnresolved(value)) {
      at.add('EDGE_TYPE', `${field} must be text, this is ${whatIs(value)}`, hint);
    }
  };

/** What needs one of several fields. */
export const oneOf =
  (what: string, fields: readonly string[], hint: string): Rule =>
  (part, problems, place) => {
    if (!fields.some((field) => has(part, field)) && !hasUnknown(part, place)) {
      problems.add('EDGE_MISSING', `${what} needs ${fields.join(' or ')}`, hint);
    }
  };

/** The fields that are set, of several of which one is allowed. */
export const onlyOne =
  (what: string, fields: readonly string[]): Rule =>
  (part, problems) => {
    const set = fields.filter((field) => has(part, field));
    if (set.length > 1) {
      conflict(problems, `${what} has ${set.join(' and ')}`, 'write one of them');
    }
  };

/** What must not be together. */
export const not =
  (isWrong: (part: PlainMap) => boolean, path: string, message: string, hint: string): Rule =>
  (part, problems) => {
    if (isWrong(part)) {
      conflict(problems.at(...path.split('.')), message, hint);
    }
  };

/** Refuses a map or text where there must be a list of maps. */
export const listOfMaps =
  (field: string): Rule =>
  (part, problems) => {
    const list = part[field];
    const at = problems.at(field);
    if (isAbsent(list) || holdsUnresolved(list)) {
      return;
    }
    if (!Array.isArray(list)) {
      at.add('EDGE_TYPE', `this must be a list, and is ${whatIs(list)}`, 'write a list of maps: [{ name: … }]');
      return;
    }
    list.forEach((item: unknown, index) => {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        at.at(index).add('EDGE_TYPE', `this must be a map, and is ${whatIs(item)}`, 'write { name: … }');
      }
    });
  };

/** Whether text is a name of a port (core validation IsValidPortName). */
export const isPortName = (name: string): boolean => /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);

/** Whether a number is one of a port. */
export const isPortNumber = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65535;
