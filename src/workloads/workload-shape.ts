import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { holdsUnresolved } from '../kubernetes/field-values.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import {
  CONTAINER_FIELDS,
  CONTAINER_LISTS,
  JOB_FIELDS,
  POD_SPEC_FIELDS,
  POD_TEMPLATE_FIELDS,
  WORKLOAD_FIELDS,
} from '../kubernetes/pod-fields.js';
import { podCounts } from '../kubernetes/pod-places.js';
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
  return [...list.problems, ...misspeltFields(workload, templates)];
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

/** Warns of fields that are likely misspelt. The API server drops or refuses a field that it does not know. */
function misspeltFields(workload: PlainMap, templates: readonly ObjectPath[]): EdgeWarning[] {
  const found: EdgeWarning[] = [];
  const look = (at: ObjectPath, known: ReadonlySet<string> | undefined): void => {
    const map = valueAt(workload, at);
    for (const field of isMap(map) && known !== undefined ? Object.keys(map) : []) {
      const near = known?.has(field) === true ? undefined : nearMiss(field, [...(known ?? [])]);
      if (near !== undefined) {
        found.push({
          code: 'EDGE_UNKNOWN_PROPERTY',
          path: [...at, field].reduce<string>(joinPath, ''),
          message: `Kubernetes has no field ${field} here: the API server drops or refuses it`,
          hint: `did you mean ${near}?`,
        });
      }
    }
  };
  const lookInList = (at: ObjectPath, known: ReadonlySet<string>): ObjectPath[] => {
    const list = valueAt(workload, at);
    const items = (Array.isArray(list) ? list : []).map((_, index) => [...at, index]);
    items.forEach((item) => look(item, known));
    return items;
  };
  look(['spec'], WORKLOAD_FIELDS[groupKindOf(workload)]);
  if (groupKindOf(workload) === 'CronJob.batch') {
    look(['spec', 'jobTemplate', 'spec'], JOB_FIELDS);
  }
  for (const path of templates) {
    if (path.length > 0) {
      look(path, POD_TEMPLATE_FIELDS);
    }
    look([...path, 'spec'], POD_SPEC_FIELDS);
    for (const field of ['initContainers', 'containers', 'ephemeralContainers']) {
      for (const container of lookInList([...path, 'spec', field], CONTAINER_FIELDS)) {
        Object.entries(CONTAINER_LISTS).forEach(([list, known]) => lookInList([...container, list], known));
      }
    }
  }
  return found;
}
