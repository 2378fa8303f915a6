import type { ProblemList } from '../errors.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';

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
    problems
      .at(field)
      .add(
        'EDGE_TYPE',
        `${field} is ${what}`,
        `write ${field} as a ${wanted}: it is read when the construct is created`,
      );
  }
}
