import { type EdgeWarning, joinPath } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../kubernetes/labels.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';

/** Kinds on which somebody may expect the annotation to count for all Pods there. */
const OF_MANY_PODS = ['NodePool.apps.openyurt.io', 'Node', 'Namespace'];

/**
 * Warns of the exclusion annotation in a place where nobody reads it. The webhook of OpenYurt (pkg/yurtmanager/webhook/pod) and the policies of this library read
 * it in the metadata of Pods, which a controller copies from the template.
 *
 * @param object an object that is written by hand
 */
export function misplacedExclusion(object: PlainMap): EdgeWarning[] {
  const warnings: EdgeWarning[] = [];
  const add = (path: readonly (string | number)[], message: string, hint: string): void =>
    void warnings.push({ code: 'EDGE_UNUSED', path: path.reduce<string>(joinPath, ''), message, hint });
  const metadata = mapAt(object, 'metadata');
  const isAnnotated = mapAt(metadata, 'annotations')[EXCLUDE_ANNOTATION] === TRUE;
  if (isAnnotated && OF_MANY_PODS.includes(groupKindOf(object))) {
    add(
      ['metadata', 'annotations', EXCLUDE_ANNOTATION],
      `the annotation excludes Pods, and has no effect on ${nameOf(object)}`,
      'write it in the Pod template of each workload, at spec.template.metadata.annotations',
    );
  }
  for (const { path, isTemplate } of podPlaces(object)) {
    const template = valueAt(object, path);
    const own = isTemplate && isMap(template) ? mapAt(template, 'metadata') : undefined;
    if (own === undefined || mapAt(own, 'annotations')[EXCLUDE_ANNOTATION] !== undefined) {
      continue;
    }
    const place = [...path, 'metadata', 'annotations'].reduce<string>(joinPath, '');
    if (mapAt(own, 'labels')[EXCLUDE_ANNOTATION] !== undefined) {
      add(
        [...path, 'metadata', 'labels', EXCLUDE_ANNOTATION],
        'this is an annotation, and has no effect as a label',
        `write it in ${place}`,
      );
    } else if (isAnnotated) {
      add(
        ['metadata', 'annotations', EXCLUDE_ANNOTATION],
        `the annotation is on ${nameOf(object)} itself, and is read on its Pods: they are not excluded`,
        `write it in ${place}`,
      );
    }
  }
  return warnings;
}
