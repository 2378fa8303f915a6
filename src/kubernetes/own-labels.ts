import type { ProblemList } from '../errors.js';
import { isMap, mapAt } from '../validation/plain-data.js';
import { compute, isUnknown, merged } from '../validation/unknown.js';
import { OWN_LABELS } from './labels.js';
import type { ObjectMetadata } from './object.js';

/** Refuses the labels of this library in given metadata. */
export function checkOwnLabels(metadata: unknown, problems: ProblemList): void {
  if (!isMap(metadata)) {
    return;
  }
  Object.keys(mapAt(metadata, 'labels'))
    .filter((key) => Object.hasOwn(OWN_LABELS, key))
    .forEach((key) =>
      problems.at('labels', key).add('EDGE_RESERVED_KEY', `${key} is reserved: managed by edge-nodepools`, 'remove it'),
    );
}

/**
 * Metadata of an object that this library creates: the given metadata with the labels of this library.
 *
 * @param own fields that this library sets; they win over given ones, and annotations are merged
 */
export function ownMetadata(given: ObjectMetadata | undefined, own: ObjectMetadata = {}): ObjectMetadata {
  return compute(
    { given, own },
    (all) => {
      const { annotations, ...fields } = all.own;
      return {
        ...all.given,
        ...fields,
        labels: merged(all.given?.labels, OWN_LABELS),
        ...(annotations === undefined ? {} : { annotations: merged(all.given?.annotations, annotations) }),
      };
    },
    isUnknown(given) && given,
  );
}
