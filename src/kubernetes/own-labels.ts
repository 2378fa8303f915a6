import type { ProblemList } from '../errors.js';
import { isMap, mapAt } from '../validation/plain-data.js';
import { OWN_LABELS } from './labels.js';

/** Refuses the labels that this library sets itself in metadata of the user's. */
export function checkOwnLabels(metadata: unknown, problems: ProblemList): void {
  if (!isMap(metadata)) {
    return;
  }
  Object.keys(mapAt(metadata, 'labels'))
    .filter((key) => Object.hasOwn(OWN_LABELS, key))
    .forEach((key) =>
      problems.at('labels', key).add('EDGE_RESERVED_KEY', `${key} is not the user’s to set`, 'remove it'),
    );
}
