import { type EdgeWarning, ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { objectKind, type ObjectKind } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { refuseNoTerms } from '../kubernetes/node-affinity.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { typeOfKind } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkOneOf, checkWholeNumber, quoted, showValue, whatIs } from '../validation/properties.js';
import { holdsUnknown } from '../validation/unknown.js';
import { faultOfSchedule } from './cron-schedule.js';
import { checkFieldTypes } from './field-types.js';
import { addMisspelt, asWarning, type UnknownField, unknownFields } from './unknown-fields.js';
import { addUnlikelyValues } from './unlikely-values.js';
import { checkValues } from './value-rules.js';
import { checkPodSpecShape, type PodSpecKind } from './pod-spec-shape.js';

/** What is odd about a workload, besides what the API server refuses. */
export interface WorkloadShape {
  /** What nobody means, and fields that Kubernetes does not have, with paths in the workload. */
  readonly warnings: readonly EdgeWarning[];
  /** All fields that Kubernetes does not have: a misspelt one may be the reason of another problem. */
  readonly unknown: readonly UnknownField[];
}

/**
 * Refuses what the API server refuses of a workload: a selector that does not select its Pods, a number of Pods that is none, a container without name or
 * image, a required node affinity without terms, values of another type, and misspelt fields, which it may drop instead.
 *
 * @param templates paths of its Pod templates
 * @param problems gets what is refused; where it is only a warning, a list of its own
 * @param isHostNetwork whether what a host-network Pod needs is checked elsewhere
 */
export function checkShape(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  isHostNetwork = false,
  kind = objectKind(workload),
): WorkloadShape {
  const unknown = unknownFields(workload, kind.groupKind, templates);
  refuseShape(workload, templates, problems, isHostNetwork, kind, unknown);
  const unlikely = new ProblemList();
  addUnlikelyValues(workload, templates, unlikely);
  const refused = new Set(problems.problems.map(({ path }) => path));
  const unlikelyAt = new Set(unlikely.problems.map(({ path }) => path));
  const fields = unknown
    .filter(({ path }) => !refused.has(problems.at(...path).path))
    .map(asWarning)
    .filter(({ path }) => !unlikelyAt.has(path));
  return { warnings: [...unlikely.problems, ...fields], unknown };
}

function refuseShape(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  isHostNetwork: boolean,
  { groupKind, row, isOfKubernetes }: ObjectKind,
  unknown: readonly UnknownField[],
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
    addMisspelt(unknown, problems);
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
      .add('EDGE_VALUE', `${quoted(schedule)} is not a valid schedule: ${fault}`, "write '*/5 * * * *' or '@hourly'");
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
  const chosen = isMap(selector) && !isDefaulted ? selector.matchLabels : undefined;
  if (!isAbsent(chosen) && !isMap(chosen) && !holdsUnresolved(chosen)) {
    problems
      .at('matchLabels')
      .add(
        'EDGE_TYPE',
        `matchLabels must be a map, and is ${whatIs(chosen)}: the API server refuses the ${String(kind)}`,
        isMap(labels) ? `write matchLabels: ${showValue(labels)}` : "write matchLabels: { app: 'web' }",
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
