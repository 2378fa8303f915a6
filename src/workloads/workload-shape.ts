import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { refuseNoTerms } from '../kubernetes/node-affinity.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { isOfKubernetes } from '../kubernetes/pod-traces.js';
import { fieldsOfType, typeOfKind } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkWholeNumber, nearMiss, showValue, whatIs } from '../validation/properties.js';
import { holdsUnknown } from '../validation/unknown.js';
import { checkPodSpecShape } from './pod-spec-shape.js';

/**
 * Warnings about a workload that the API server would refuse, or would change: {@link checkShape}, and fields that Kubernetes does not have.
 *
 * @param templates paths of its Pod templates
 */
export function shapeWarnings(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  isHostNetwork = false,
): EdgeWarning[] {
  const list = new ProblemList();
  checkShape(workload, templates, list, isHostNetwork);
  const told = new Set(list.problems.map(({ path }) => path));
  return [
    ...list.problems,
    ...unknownFields(workload, templates)
      .map(asWarning)
      .filter(({ path }) => !told.has(path)),
  ];
}

/**
 * Refuses what the API server refuses of a workload: a selector that does not select its Pods, a number of Pods that is none, a container without name or
 * image, a required node affinity without terms, and misspelt fields, which it may drop instead.
 *
 * @param templates paths of its Pod templates
 * @param isHostNetwork whether what a host-network Pod needs is checked elsewhere
 */
export function checkShape(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  isHostNetwork = false,
): void {
  checkSelector(workload, problems.at('spec', 'selector'));
  const counts = podCounts(workload).flatMap((paths) => (paths === 'every node' ? [] : paths));
  for (const path of new Map(counts.map((each) => [each.join(), each])).values()) {
    const count = valueAt(workload, path) ?? undefined;
    if (!holdsUnresolved(count)) {
      checkWholeNumber(count, 0, problems.at(...path));
    }
  }
  for (const path of templates) {
    const podSpec = valueAt(workload, [...path, 'spec']);
    if (isMap(podSpec)) {
      refuseNoTerms(podSpec, problems.at(...path, 'spec'));
      // operators complete the containers of their custom resources
      if (isOfKubernetes(workload)) {
        const restartsAlways = SELECTING.includes(groupKindOf(workload));
        checkPodSpecShape(podSpec, { restartsAlways, isHostNetwork }, problems.at(...path, 'spec'));
      }
    }
  }
  if (typeOfKind(groupKindOf(workload)) !== undefined) {
    addMisspelt(unknownFields(workload, templates), problems);
  }
}

/** Kinds whose selector must select the labels of their template (apps/validation ValidateDeploymentSpec and others). */
const SELECTING = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'ReplicationController'];

function checkSelector(workload: PlainMap, problems: ProblemList): void {
  const kind = groupKindOf(workload);
  const selector = valueAt(workload, ['spec', 'selector']);
  const metadata = valueAt(workload, ['spec', 'template', 'metadata']);
  if (!SELECTING.includes(kind) || holdsUnresolved(selector) || isAbsent(valueAt(workload, ['spec', 'template']))) {
    return;
  }
  // a ReplicationController gets the labels of its template (core/v1 SetDefaults_ReplicationController)
  if (!isMap(selector) && kind !== 'ReplicationController') {
    addNoSelector(
      isAbsent(selector) ? 'a selector is required' : `the selector is ${whatIs(selector)}`,
      workload,
      problems,
    );
    return;
  }
  if (!isMap(selector)) {
    return;
  }
  if (kind !== 'ReplicationController' && isEmptySelector(selector)) {
    addNoSelector('the selector is empty', workload, problems);
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

function addNoSelector(message: string, workload: PlainMap, problems: ProblemList): void {
  const labels = valueAt(workload, ['spec', 'template', 'metadata', 'labels']);
  const given = isMap(labels) && Object.keys(labels).length > 0 && !holdsUnresolved(labels);
  problems.add(
    'EDGE_MISSING',
    `${message}: the API server refuses the ${String(workload.kind)}`,
    given
      ? `write selector: { matchLabels: ${showValue(labels)} }, labels of the Pod template`
      : "write selector: { matchLabels: { app: 'web' } }, and the same labels in spec.template.metadata.labels",
  );
}

function isEmptySelector({ matchLabels, matchExpressions }: PlainMap): boolean {
  const isEmpty = (part: unknown): boolean =>
    isAbsent(part) || (Array.isArray(part) ? part.length === 0 : isMap(part) && Object.keys(part).length === 0);
  return isEmpty(matchLabels) && isEmpty(matchExpressions);
}

/** A field that Kubernetes does not have here: misspelt, or in the wrong place. */
interface UnknownField {
  readonly path: ObjectPath;
  /** The one that was meant.
   * @default - none is close */
  readonly near?: string;
  /** Paths of the fields of this name in such a workload.
   * @default - there is none */
  readonly elsewhere?: string;
}

/** Adds the misspelt fields of a workload that has other problems: one of them may be the reason. */
export function explainByFields(workload: PlainMap, templates: readonly ObjectPath[], problems: ProblemList): void {
  addMisspelt(unknownFields(workload, templates), problems);
}

/** Adds what is surely misspelt, once. A field that is like no other may be one of a newer minor. */
function addMisspelt(fields: readonly UnknownField[], problems: ProblemList): void {
  for (const field of fields.filter(({ near }) => near !== undefined)) {
    const { code, message, hint } = asWarning(field);
    const at = problems.at(...field.path);
    if (!problems.problems.some((problem) => problem.code === code && problem.path === at.path)) {
      at.add(code, message, hint);
    }
  }
}

function asWarning({ path, near, elsewhere }: UnknownField): EdgeWarning {
  return {
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: path.reduce<string>(joinPath, ''),
    message: `Kubernetes has no field ${String(path.at(-1))} here: the API server drops or refuses it`,
    hint:
      near !== undefined
        ? `did you mean ${near}?`
        : elsewhere !== undefined
          ? `did you mean ${elsewhere}?`
          : 'remove it, unless your Kubernetes is newer than this library',
  };
}

/** The fields that Kubernetes does not have. Of other kinds than those of Kubernetes and OpenYurt only what is likely misspelt. */
function unknownFields(workload: PlainMap, templates: readonly ObjectPath[]): UnknownField[] {
  const type = typeOfKind(groupKindOf(workload));
  const found: UnknownField[] = [];
  if (type !== undefined) {
    find(workload, type, [], found);
    return found.map((field) =>
      field.near === undefined ? { ...field, elsewhere: placeOfField(type, String(field.path.at(-1))) } : field,
    );
  }
  find(workload, 'Object', [], found);
  templates.forEach((path) => find(valueAt(workload, path), 'PodTemplateSpec', [...path], found));
  return found.filter(({ near }) => near !== undefined);
}

/** The shortest path from the fields of a type to a field: `spec.template.spec.containers.image`. */
function placeOfField(type: string, field: string): string | undefined {
  const seen = new Set([type]);
  let open: { readonly of: string; readonly path: string }[] = [{ of: type, path: '' }];
  while (open.length > 0) {
    const next: typeof open = [];
    for (const { of, path } of open) {
      for (const [name, inner] of fieldsOfType(of)) {
        const at = joinPath(path, name);
        if (name === field) {
          return at;
        }
        if (inner !== undefined && !seen.has(inner)) {
          seen.add(inner);
          next.push({ of: inner, path: at });
        }
      }
    }
    open = next;
  }
  return undefined;
}

/** Few fields are unknown, so `path` is one list, and copied for each of them. */
function find(value: unknown, type: string, path: (string | number)[], found: UnknownField[]): void {
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
    } else if (!known.has(field) && !isAbsent(inner)) {
      const near = nearMiss(field, [...known.keys()]) ?? beginsAs(field, [...known.keys()]);
      found.push({ path: [...path, field], ...(near === undefined ? {} : { near }) });
    }
  }
}

/** The long name of which a word is the beginning: of requiredDuringSchedulingIgnoredDuringExecution people write the first half. */
function beginsAs(word: string, names: readonly string[]): string | undefined {
  const found = word.length < 8 ? [] : names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}
