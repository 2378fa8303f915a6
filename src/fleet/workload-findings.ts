import { type EdgeProblem, ProblemList } from '../base/errors.js';
import { readTexts } from '../kubernetes/field-values.js';
import { objectKind, type ObjectKind } from '../kubernetes/group-kind.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import { nameOf } from '../kubernetes/object.js';
import { isPart, looksLikeWorkload, templatesOf } from '../kubernetes/pod-places.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import { typeOfKind } from '../kubernetes/workload-fields.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';
import {
  addMisspelt,
  asWarning,
  checkFieldTypes,
  checkShape,
  unknownFields,
  type WorkloadShape,
} from '../workloads/workload-shape.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';

/** What the API server refuses of a workload, and what nobody means. A part of one, for server-side apply, lacks most fields. */
export function shapeFindings(each: PlacedObject): Finding[] {
  const { object } = each;
  const kind = objectKind(object);
  const templates = templatesOf(object);
  if (!looksLikeWorkload(object)) {
    return [];
  }
  const refused = new ProblemList();
  const { warnings, unknown } = isPart(object, templates)
    ? checkPart(object, templates, kind, refused)
    : checkWorkload(object, templates, kind, refused);
  // what is known elsewhere in such a workload is not a field of a newer minor
  const misplaced = new Set(
    unknown.filter(({ elsewhere }) => elsewhere !== undefined).map((field) => asWarning(field).path),
  );
  const levelOf = (problem: EdgeProblem): Finding['level'] =>
    refused.problems.includes(problem) || misplaced.has(problem.path) ? 'error' : 'warning';
  const reported = refused.problems.map(({ path }) => path);
  const others = warnings.filter(({ path }) => !reported.includes(path));
  return inRightPlaces([...refused.problems, ...others]).map((problem) => findingAt(each, levelOf(problem), problem));
}

/** A part has only fields that can be there: misspelt ones, and values of another type. */
function checkPart(
  object: PlainMap,
  templates: readonly ObjectPath[],
  { groupKind }: ObjectKind,
  problems: ProblemList,
): WorkloadShape {
  const type = typeOfKind(groupKind);
  const unknown = type === undefined ? [] : unknownFields(object, groupKind, templates);
  if (type !== undefined) {
    addMisspelt(unknown, problems);
    checkFieldTypes(object, type, problems);
  }
  const reported = problems.problems.map(({ path }) => path);
  return { unknown, warnings: unknown.map(asWarning).filter(({ path }) => !reported.includes(path)) };
}

function checkWorkload(
  object: PlainMap,
  templates: readonly ObjectPath[],
  kind: ObjectKind,
  problems: ProblemList,
): WorkloadShape {
  const shape = checkShape(object, templates, problems, false, kind);
  const [path, ...others] = Object.keys(kind.row?.templates ?? {});
  if (templates.length === 0 && path !== undefined && others.length === 0 && typeOfKind(kind.groupKind) !== undefined) {
    const spec = [path, 'spec'].filter(Boolean).join('.');
    problems.at('spec').add('EDGE_NO_POD_TEMPLATE', `${nameOf(object)} has no Pod spec`, `write it at ${spec}`);
  }
  for (const path of templates) {
    const spec = valueAt(object, [...path, 'spec']);
    if (isMap(spec)) {
      checkSchedulingFields(spec, problems.at(...path, 'spec'));
    }
    if (path.length > 0) {
      const { labels, annotations } = mapAt(valueAt(object, path) as PlainMap, 'metadata');
      const at = problems.at(...path, 'metadata');
      checkLabels(readTexts(labels ?? undefined), at.at('labels'));
      checkAnnotations(readTexts(annotations ?? undefined), at.at('annotations'));
    }
  }
  return shape;
}

/** Problems without those of fields below a value that is none of the right type: what stands there is not known. */
function inRightPlaces(problems: readonly EdgeProblem[]): EdgeProblem[] {
  const wrong = problems.filter(({ code }) => code === 'EDGE_TYPE' || code === 'EDGE_AFFINITY').map(({ path }) => path);
  return problems.filter(
    ({ code, path }) =>
      code !== 'EDGE_UNKNOWN_PROPERTY' ||
      !wrong.some((each) => path.startsWith(`${each}.`) || path.startsWith(`${each}[`)),
  );
}
