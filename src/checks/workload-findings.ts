import { ProblemList } from '../errors.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { looksLikeWorkload } from '../kubernetes/pod-template.js';
import { type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkShape } from '../workloads/workload-shape.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';

/** What the API server refuses of a workload, and the fields that it may drop. A part of one, for server-side apply, lacks most fields. */
export function shapeFindings(each: PlacedObject): Finding[] {
  const { object } = each;
  const templates = podPlaces(object).flatMap(({ path, isTemplate }) => (isTemplate ? [path] : []));
  if (!looksLikeWorkload(object) || isPart(object, templates)) {
    return [];
  }
  const refused = new ProblemList();
  const { warnings } = checkShape(object, templates, refused);
  return [
    ...refused.problems.map((problem) => findingAt(each, 'error', problem)),
    ...warnings.map((warning) => findingAt(each, 'warning', warning)),
  ];
}

/** Whether an object is only a part of a workload, for server-side apply: placing fields, without what the API server requires. */
function isPart(object: PlainMap, templates: readonly ObjectPath[]): boolean {
  const isWithout = (path: ObjectPath): boolean => (valueAt(object, path) ?? undefined) === undefined;
  return (
    object.kind !== 'Pod' &&
    isWithout(['spec', 'selector']) &&
    templates.every((path) => isWithout([...path, 'spec', 'containers']))
  );
}
