import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { CONTAINER_FIELDS } from './containers.js';
import { counts, has, known, mapsIn, needs, not, oneOf, onlyOne, type Rule, texts } from './rule-builders.js';

const isIndexed = (job: PlainMap): boolean => job.completionMode === 'Indexed';

/** Whether it is known that a Job has no indexes, the default. */
const hasNoIndexes = (job: PlainMap): boolean => [undefined, null, 'NonIndexed'].includes(job.completionMode as string);

const checkSuccess: Rule = (job, problems) => {
  const rules = isMap(job.successPolicy) ? (job.successPolicy.rules ?? []) : undefined;
  if (isIndexed(job) && Array.isArray(rules) && rules.length === 0) {
    problems
      .at('successPolicy', 'rules')
      .add('EDGE_MISSING', 'a policy needs rules', 'write rules: [{ succeededCount: 1 }]');
  }
};

/** Rules for failed Pods that need something of the Job (batch validation validatePodFailurePolicyRule). */
const checkFailures: Rule = (job, problems) => {
  const pod = valueAt(job, ['template', 'spec']);
  const lists = CONTAINER_FIELDS.map((field) =>
    isMap(pod) ? (known(pod, field) ?? (has(pod, field) ? undefined : [])) : undefined,
  );
  const names = lists.every(Array.isArray)
    ? lists.flat().map((container: unknown) => (isMap(container) ? container.name : undefined))
    : undefined;
  for (const [index, rule] of mapsIn(mapAt(job, 'podFailurePolicy'), 'rules')) {
    const at = problems.at('podFailurePolicy', 'rules', index);
    const name = isMap(rule.onExitCodes) ? known(rule.onExitCodes, 'containerName') : undefined;
    if (typeof name === 'string' && names?.includes(name) === false) {
      at.at('onExitCodes', 'containerName').add(
        'EDGE_MISSING',
        `there is no container ${name}`,
        `write one of ${names.join(', ')}, or leave it out`,
      );
    }
    if (rule.action === 'FailIndex' && !has(job, 'backoffLimitPerIndex')) {
      at.at('action').add(
        'EDGE_CONTRADICTION',
        'conflicting settings: FailIndex without backoffLimitPerIndex',
        'write backoffLimitPerIndex: 1',
      );
    }
  }
};

const checkExitCodes: Rule = (part, problems) => {
  const values = known(part, 'values') ?? (has(part, 'values') ? undefined : []);
  if (!Array.isArray(values)) {
    return;
  }
  const at = problems.at('values');
  if (values.length === 0) {
    at.add('EDGE_MISSING', 'onExitCodes needs values', 'write values: [1]');
  } else if (values.some((value, index) => index > 0 && Number(values[index - 1]) >= Number(value))) {
    at.add('EDGE_VALUE', 'exit codes are in ascending order, each once', 'sort them');
  }
  values.forEach((value: unknown, index) => {
    if (value === 0 && part.operator === 'In') {
      at.at(index).add('EDGE_VALUE', '0 is not a failure', 'leave it out');
    }
  });
};

const FAILURES = ['onExitCodes', 'onPodConditions'];

/** Whether a list has items; a value that is not a list counts. */
const isFilled = (part: PlainMap, field: string): boolean =>
  has(part, field) && !(Array.isArray(part[field]) && part[field].length === 0);

/** A rule of failure is about exit codes or conditions (batch validation validatePodFailurePolicyRule). */
const checkReasons: Rule = (rule, problems) => {
  const part = Object.fromEntries(FAILURES.filter((field) => isFilled(rule, field)).map((field) => [field, true]));
  oneOf('a rule', FAILURES, "write onExitCodes: { operator: 'In', values: [1] }")(part, problems);
  onlyOne('a rule', FAILURES)(part, problems);
};

/** A limit of failed indexes needs that indexes can fail. */
const checkLimit: Rule = (job, problems) => {
  if (isIndexed(job) && has(job, 'maxFailedIndexes')) {
    needs('maxFailedIndexes', 'backoffLimitPerIndex', 'write backoffLimitPerIndex: 1')(job, problems);
  }
};

/** What the API server refuses in Jobs (batch validation validateJobSpec), by type. */
export const JOB_RULES: Readonly<Record<string, readonly Rule[]>> = {
  JobSpec: [
    ...counts('parallelism', 'completions', 'backoffLimit', 'ttlSecondsAfterFinished', 'activeDeadlineSeconds'),
    ...counts('backoffLimitPerIndex', 'maxFailedIndexes'),
    not(
      (job) => isIndexed(job) && has(job, 'parallelism') && !has(job, 'completions'),
      'completions',
      'completionMode Indexed with parallelism, without completions',
      'write completions: the number of indexes',
    ),
    ...['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'].map((field) =>
      not(
        (job) => hasNoIndexes(job) && has(job, field),
        field,
        `${field} without completionMode Indexed`,
        "write completionMode: 'Indexed' and completions, or leave it out",
      ),
    ),
    checkLimit,
    checkSuccess,
    checkFailures,
    texts('podReplacementPolicy', 'Failed', 'TerminatingOrFailed'),
    not(
      (job) => has(job, 'podFailurePolicy') && job.podReplacementPolicy === 'TerminatingOrFailed',
      'podReplacementPolicy',
      'podFailurePolicy with podReplacementPolicy TerminatingOrFailed',
      "write podReplacementPolicy: 'Failed', or leave it out",
    ),
    not(
      (job) => has(job, 'selector') && job.manualSelector !== true && !isGeneratedSelector(job),
      'selector',
      'a selector without manualSelector',
      'leave it out: the API server makes it',
    ),
    not(
      (job) => has(job, 'podFailurePolicy') && valueAt(job, ['template', 'spec', 'restartPolicy']) === 'OnFailure',
      'podFailurePolicy',
      'podFailurePolicy with restartPolicy OnFailure',
      "write restartPolicy: 'Never', or leave podFailurePolicy out",
    ),
  ],
  JobTemplateSpec: [
    not(
      ({ spec }) => isMap(spec) && has(spec, 'selector') && spec.manualSelector === true,
      'spec.selector',
      'a selector of the Jobs of a CronJob',
      'leave it and manualSelector out: the API server makes it',
    ),
  ],
  PodFailurePolicyRule: [
    needs('a rule', 'action', "write action: 'FailJob'"),
    texts('action', 'Count', 'FailIndex', 'FailJob', 'Ignore'),
    checkReasons,
  ],
  PodFailurePolicyOnExitCodesRequirement: [
    needs('onExitCodes', 'operator', "write operator: 'In'"),
    texts('operator', 'In', 'NotIn'),
    checkExitCodes,
  ],
};

/** Whether the API server has made the selector: of a Job that was read from a cluster (pkg/registry/batch/job, generateSelector). */
function isGeneratedSelector(job: PlainMap): boolean {
  const labels = valueAt(job, ['template', 'metadata', 'labels']);
  const selected = valueAt(job, ['selector', 'matchLabels']);
  return ['batch.kubernetes.io/controller-uid', 'controller-uid'].some(
    (key) => isMap(labels) && isMap(selected) && selected[key] !== undefined && selected[key] === labels[key],
  );
}
