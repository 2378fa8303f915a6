import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { holdsUnresolved } from '../kubernetes/field-values.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { fieldsOfType, typeOfKind } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkWholeNumber, nearMiss, showValue } from '../validation/properties.js';
import { holdsUnknown } from '../validation/unknown.js';

/**
 * Warnings about a workload that the API server would refuse, or would change: a selector that does not select its Pods, a number of Pods that is none,
 * and misspelt fields.
 *
 * @param templates paths of its Pod templates
 */
export function shapeWarnings(workload: PlainMap, templates: readonly ObjectPath[]): EdgeWarning[] {
  const list = new ProblemList();
  checkShape(workload, list);
  return [...list.problems, ...misspeltFields(workload, templates).map(asWarning)];
}

/** Refuses a selector that does not select the Pods of its workload, and a number of Pods that is none. */
export function checkShape(workload: PlainMap, problems: ProblemList): void {
  checkSelector(workload, problems.at('spec', 'selector'));
  const counts = podCounts(workload).flatMap((paths) => (paths === 'every node' ? [] : paths));
  for (const path of new Map(counts.map((each) => [each.join(), each])).values()) {
    const count = valueAt(workload, path) ?? undefined;
    if (!holdsUnresolved(count)) {
      checkWholeNumber(count, 0, problems.at(...path));
    }
  }
}

/** Kinds whose selector must select the labels of their template (apps/validation ValidateDeploymentSpec and others). */
const SELECTING = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'ReplicationController'];

function checkSelector(workload: PlainMap, problems: ProblemList): void {
  const kind = groupKindOf(workload);
  const selector = valueAt(workload, ['spec', 'selector']);
  const metadata = valueAt(workload, ['spec', 'template', 'metadata']);
  if (!SELECTING.includes(kind) || !isMap(selector) || holdsUnknown(selector)) {
    return;
  }
  const labels = isMap(metadata) ? metadata.labels : metadata;
  if (holdsUnknown(labels)) {
    return;
  }
  const full = kind === 'ReplicationController' ? { matchLabels: selector } : selector;
  const given = isMap(labels) ? labels : {};
  if (!selectsLabels(full, given)) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the selector ${showValue(selector)} does not select the labels of the Pod template, ${showValue(given)}; the API server refuses the ${String(workload.kind)}`,
      'give spec.template.metadata.labels what the selector requires',
    );
  }
}

/** A field that is likely misspelt, and the one that was meant. */
interface MisspeltField {
  readonly path: ObjectPath;
  readonly near: string;
}

/** Adds the misspelt fields of a workload that has other problems: one of them may be the reason. */
export function explainByFields(workload: PlainMap, templates: readonly ObjectPath[], problems: ProblemList): void {
  for (const misspelt of misspeltFields(workload, templates)) {
    const { code, message, hint } = asWarning(misspelt);
    problems.at(...misspelt.path).add(code, message, hint);
  }
}

function asWarning({ path, near }: MisspeltField): EdgeWarning {
  return {
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: path.reduce<string>(joinPath, ''),
    message: `Kubernetes has no field ${String(path.at(-1))} here: the API server drops or refuses it`,
    hint: `did you mean ${near}?`,
  };
}

/** The fields that are likely misspelt. The API server drops or refuses a field that it does not know. */
function misspeltFields(workload: PlainMap, templates: readonly ObjectPath[]): MisspeltField[] {
  const type = typeOfKind(groupKindOf(workload));
  const typed: [ObjectPath, string][] =
    type === undefined
      ? [[[], 'Object'], ...templates.map((path): [ObjectPath, string] => [path, 'PodTemplateSpec'])]
      : [[[], type]];
  const found: MisspeltField[] = [];
  typed.forEach(([path, of]) => find(valueAt(workload, path), of, [...path], found));
  return found;
}

/** Few fields are misspelt, so `path` is one list, and copied for each of them. */
function find(value: unknown, type: string, path: (string | number)[], found: MisspeltField[]): void {
  const visit = (step: string | number, inner: unknown, of: string): void => {
    path.push(step);
    find(inner, of, path, found);
    path.pop();
  };
  if (Array.isArray(value)) {
    value.forEach((item, index) => visit(index, item, type));
    return;
  }
  const known = fieldsOfType(type);
  for (const [field, inner] of isMap(value) ? Object.entries(value) : []) {
    const of = known.get(field);
    if (of !== undefined) {
      visit(field, inner, of);
    } else if (!known.has(field)) {
      const near = nearMiss(field, [...known.keys()]);
      found.push(...(near === undefined ? [] : [{ path: [...path, field], near }]));
    }
  }
}
