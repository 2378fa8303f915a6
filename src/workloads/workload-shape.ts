import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { refuseNoTerms } from '../kubernetes/node-affinity.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { fieldsOfType, typeOfKind } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkOneOf, checkWholeNumber, nearMiss, quoted, showValue, whatIs } from '../validation/properties.js';
import { holdsUnknown } from '../validation/unknown.js';
import { faultOfSchedule } from './cron-schedule.js';
import { checkFieldTypes } from './field-types.js';
import { checkValues } from './value-rules.js';
import { checkPodSpecShape, type PodSpecKind } from './pod-spec-shape.js';

/**
 * Warnings about a workload that the API server would refuse, or would change: {@link checkShape}, and fields that Kubernetes does not have.
 *
 * @param templates paths of its Pod templates
 */
export function shapeWarnings(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  isHostNetwork = false,
  kind = objectKind(workload),
): EdgeWarning[] {
  const list = new ProblemList();
  checkShape(workload, templates, list, isHostNetwork, kind);
  const told = new Set(list.problems.map(({ path }) => path));
  return [
    ...list.problems,
    ...unknownFields(workload, kind.groupKind, templates)
      .map(asWarning)
      .filter(({ path }) => !told.has(path)),
  ];
}

/**
 * Refuses what the API server refuses of a workload: a selector that does not select its Pods, a number of Pods that is none, a container without name or
 * image, a required node affinity without terms, values of another type, and misspelt fields, which it may drop instead.
 *
 * @param templates paths of its Pod templates
 * @param isHostNetwork whether what a host-network Pod needs is checked elsewhere
 */
export function checkShape(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  isHostNetwork = false,
  { groupKind, row, isOfKubernetes } = objectKind(workload),
): void {
  const isSelecting = SELECTING.includes(groupKind);
  if (isSelecting) {
    checkSelector(workload, groupKind === 'ReplicationController', problems.at('spec', 'selector'));
  }
  const counts = podCounts(workload, row).flatMap((paths) => (paths === 'every node' ? [] : paths));
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
      if (isOfKubernetes) {
        const kind = { restarts: restartsOf(groupKind), isHostNetwork, claims: claimsOf(workload) };
        checkPodSpecShape(podSpec, kind, problems.at(...path, 'spec'));
      }
    }
  }
  // the rollout of a host-network Deployment is checked with its ports
  checkChoices(workload, isHostNetwork && groupKind === 'Deployment.apps' ? '' : groupKind, problems);
  const type = typeOfKind(groupKind);
  if (type !== undefined) {
    addMisspelt(unknownFields(workload, groupKind, templates), problems);
    checkFieldTypes(workload, type, problems);
    checkValues(workload, type, problems, isHostNetwork);
  }
}

/** Kinds whose selector must select the labels of their template (apps/validation ValidateDeploymentSpec and others). */
const SELECTING = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'ReplicationController'];

/** Values that a field of a kind may have (apps and batch validation); absent, each has a default. */
const CHOICES: Readonly<Record<string, readonly [path: ObjectPath, values: readonly string[]][]>> = {
  'Deployment.apps': [
    [
      ['spec', 'strategy', 'type'],
      ['RollingUpdate', 'Recreate'],
    ],
  ],
  'DaemonSet.apps': [
    [
      ['spec', 'updateStrategy', 'type'],
      ['RollingUpdate', 'OnDelete'],
    ],
  ],
  'StatefulSet.apps': [
    [
      ['spec', 'updateStrategy', 'type'],
      ['RollingUpdate', 'OnDelete'],
    ],
    [
      ['spec', 'podManagementPolicy'],
      ['OrderedReady', 'Parallel'],
    ],
  ],
  'Job.batch': [
    [
      ['spec', 'completionMode'],
      ['NonIndexed', 'Indexed'],
    ],
  ],
  'CronJob.batch': [
    [
      ['spec', 'concurrencyPolicy'],
      ['Allow', 'Forbid', 'Replace'],
    ],
    [
      ['spec', 'jobTemplate', 'spec', 'completionMode'],
      ['NonIndexed', 'Indexed'],
    ],
  ],
};

/** Refuses values that a field of the kind does not have, and a schedule that cannot be read. */
function checkChoices(workload: PlainMap, groupKind: string, problems: ProblemList): void {
  for (const [path, values] of CHOICES[groupKind] ?? []) {
    const value = valueAt(workload, path);
    if (!isAbsent(value) && value !== '' && !holdsUnresolved(value)) {
      checkOneOf(value, values, problems.at(...path));
    }
  }
  const schedule = valueAt(workload, ['spec', 'schedule']);
  const fault =
    groupKind === 'CronJob.batch' && typeof schedule === 'string' && !holdsUnresolved(schedule)
      ? faultOfSchedule(schedule)
      : undefined;
  if (fault !== undefined) {
    problems
      .at('spec', 'schedule')
      .add('EDGE_VALUE', `${quoted(schedule)} is no schedule: ${fault}`, "write '*/5 * * * *' or '@hourly'");
  }
}

/** What restartPolicy a kind allows (apps and batch validation). */
function restartsOf(groupKind: string): PodSpecKind['restarts'] {
  return SELECTING.includes(groupKind)
    ? ['Always']
    : ['Job.batch', 'CronJob.batch'].includes(groupKind)
      ? ['OnFailure', 'Never']
      : ['Always', 'OnFailure', 'Never'];
}

/** Names of the claims of a StatefulSet, which become volumes of its Pods. */
function claimsOf(workload: PlainMap): readonly unknown[] | undefined {
  const claims = valueAt(workload, ['spec', 'volumeClaimTemplates']);
  return holdsUnresolved(claims)
    ? undefined
    : (Array.isArray(claims) ? claims : []).map((claim: unknown) => valueAt(claim as PlainMap, ['metadata', 'name']));
}

/** @param isDefaulted whether the API server makes one of the labels of the template (core/v1 SetDefaults_ReplicationController) */
function checkSelector({ kind, spec }: PlainMap, isDefaulted: boolean, problems: ProblemList): void {
  const { selector, template } = isMap(spec) ? spec : {};
  const metadata = isMap(template) ? template.metadata : undefined;
  const labels = isMap(metadata) ? metadata.labels : metadata;
  if (isAbsent(template) || holdsUnresolved(selector) || (isDefaulted && !isMap(selector))) {
    return;
  }
  const isEmpty = isMap(selector) && isNothing(selector.matchLabels) && isNothing(selector.matchExpressions);
  if (!isDefaulted && (!isMap(selector) || isEmpty)) {
    const what = isEmpty ? 'the selector is empty' : `the selector is ${whatIs(selector)}`;
    problems.add(
      'EDGE_MISSING',
      `${isAbsent(selector) ? 'a selector is required' : what}: the API server refuses the ${String(kind)}`,
      isMap(labels) && !isNothing(labels) && !holdsUnresolved(labels)
        ? `write selector: { matchLabels: ${showValue(labels)} }, labels of the Pod template`
        : "write selector: { matchLabels: { app: 'web' } }, and the same labels in spec.template.metadata.labels",
    );
    return;
  }
  const given = isMap(labels) ? labels : {};
  if (!holdsUnknown(labels) && !selectsLabels(isDefaulted ? { matchLabels: selector } : selector, given)) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the selector ${showValue(selector)} does not select the labels of the Pod template, ${showValue(given)}; the API server refuses the ${String(kind)}`,
      'give spec.template.metadata.labels what the selector requires',
    );
  }
}

/** Whether a list or a map is absent or empty. */
function isNothing(value: unknown): boolean {
  return (
    isAbsent(value) || (Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0)
  );
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
export function explainByFields(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  { groupKind } = objectKind(workload),
): void {
  addMisspelt(unknownFields(workload, groupKind, templates), problems);
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
function unknownFields(workload: PlainMap, groupKind: string, templates: readonly ObjectPath[]): UnknownField[] {
  const type = typeOfKind(groupKind);
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
