import type { ProblemList } from '../base/errors.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { numberAsText, quoted, showValue } from '../base/properties.js';

/**
 * Fields of a Pod spec as the API server decodes them: null is the same as absent, and as the empty value in a list or map; a value of another type is
 * a problem. What contains an unresolved value (a cdk8s token, an Output) is not read.
 */

/** Whether a value is absent to the API server. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Whether a value is, or contains, one that is not resolved yet. */
export function holdsUnresolved(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(holdsUnresolved);
  }
  return isMap(value) ? Object.values(value).some(holdsUnresolved) : typeof value === 'object' && value !== null;
}

/** The items of a list; none of what is no list. */
export function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** The items of the list in a field. */
export function listAt(map: unknown, field: string): readonly unknown[] {
  return isMap(map) ? itemsOf(map[field]) : [];
}

/** The maps in a list, each with its position. */
export function mapsIn(map: unknown, field: string): [index: number, item: PlainMap][] {
  return listAt(map, field).flatMap((item, index): [number, PlainMap][] => (isMap(item) ? [[index, item]] : []));
}

/** A map of text as the API server decodes it: an entry that is null has the empty text. What is not a map is returned as it is. */
export function readTexts<T>(value: T): T {
  const isWhole = !isMap(value) || Object.values(value).every((text) => text !== null);
  return isWhole ? value : (Object.fromEntries(Object.entries(value).map(([key, text]) => [key, text ?? ''])) as T);
}

/** Maps of text wherever an object has them. */
const TEXT_MAPS = new Set(['annotations', 'labels', 'matchLabels', 'nodeSelector', 'volumeAttributes']);

/**
 * An object whose maps of text have empty text in place of null, which means the same; cdk8s and Pulumi would leave these entries out.
 *
 * @param object a copy, which is changed
 */
export function withTexts<T>(object: T): T {
  if (Array.isArray(object)) {
    object.forEach(withTexts);
  } else if (isMap(object)) {
    for (const [field, value] of Object.entries(object)) {
      (object as PlainMap)[field] = TEXT_MAPS.has(field) ? readTexts(value) : withTexts(value);
    }
  }
  return object;
}

function wrongType(value: unknown, wanted: string, problems: ProblemList, hint?: string): undefined {
  const meant = tolerationOf(value);
  const written =
    meant === undefined ? `write ${wanted}, or leave it out` : `write ${wanted === 'a list' ? `[${meant}]` : meant}`;
  const shown = hint === undefined ? showValue(value) : `the text ${quoted(value)}`;
  problems.add('EDGE_TYPE', `this must be ${wanted}, and is ${shown}`, hint ?? written);
  return undefined;
}

/** The toleration that is meant by the text of a taint, as kubectl and kubelet take it: `site=hz:NoSchedule`. */
function tolerationOf(text: unknown): string | undefined {
  const [, key, value, effect] =
    (typeof text === 'string' ? /^([^=:\s]+)(?:=([^:\s]*))?:(\w+)$/.exec(text) : undefined) ?? [];
  return key === undefined
    ? undefined
    : `{ key: '${key}', ${value === undefined ? "operator: 'Exists'" : `value: '${value}'`}, effect: '${effect}' }`;
}

/** Text, empty if it is absent; undefined if it cannot be read. */
export function readText(value: unknown, problems: ProblemList): string | undefined {
  return isAbsent(value) ? '' : typeof value === 'string' ? value : wrongType(value, 'text in quotes', problems);
}

/** A whole number; undefined if it is absent or cannot be read. */
export function readInteger(value: unknown, problems: ProblemList): number | undefined {
  return isAbsent(value)
    ? undefined
    : typeof value === 'number' && Number.isInteger(value)
      ? value
      : wrongType(value, 'a whole number', problems, numberAsText(value)?.hint);
}

/** A list, empty if it is absent or cannot be read. */
export function readList(value: unknown, problems: ProblemList): readonly unknown[] {
  return isAbsent(value) ? [] : Array.isArray(value) ? value : (wrongType(value, 'a list', problems) ?? []);
}

/** A map; undefined if it is absent or cannot be read. */
export function readMap(value: unknown, problems: ProblemList): PlainMap | undefined {
  return isAbsent(value) ? undefined : isMap(value) ? value : wrongType(value, 'a map', problems);
}

/** Calls a check with every item of a list of maps; an absent item is an empty map. */
export function eachMap(
  value: unknown,
  problems: ProblemList,
  check: (item: PlainMap, at: ProblemList, index: number) => void,
): void {
  readList(value, problems).forEach((item, index) => {
    const at = problems.at(index);
    const map = isAbsent(item) ? {} : readMap(item, at);
    if (map !== undefined) {
      check(map, at, index);
    }
  });
}

/**
 * Refuses fields of a Pod spec that the rules cannot read: wrong types, and unresolved values (cdk8s tokens), which would otherwise be overlooked or
 * lost.
 *
 * @param maps fields that must be maps, if they are there
 * @param lists fields that must be lists, if they are there
 */
export function checkShapes(
  podSpec: PlainMap,
  maps: readonly string[],
  lists: readonly string[],
  problems: ProblemList,
): void {
  for (const field of [...maps, ...lists]) {
    const value = podSpec[field];
    const wanted = maps.includes(field) ? 'map' : 'list';
    if (value === undefined || value === null || (wanted === 'map' ? isMap(value) : Array.isArray(value))) {
      continue;
    }
    const what =
      typeof value === 'object' && !Array.isArray(value) && !isMap(value) ? 'an unresolved value' : showValue(value);
    const hint = `write ${field} as a ${wanted}: it is read when the construct is created`;
    problems.at(field).add('EDGE_TYPE', `${field} is ${what}`, hint);
  }
}
