import { isAbsent, mapsIn } from '../kubernetes/field-values.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import { CONTAINER_FIELDS } from './containers.js';
import { checkAmount } from './rollout.js';
import {
  between,
  choice,
  conflict,
  counts,
  formed,
  has,
  known,
  needs,
  not,
  oneOf,
  onlyOne,
  type Rule,
  type RuleTable,
  texts,
  unlessHostNetwork,
} from './rule-builders.js';

const isZero = (value: unknown): boolean => value === 0 || value === '0%' || value === '0';

/** Whether its Pods are replaced one after the other, which is the default. */
const isRolling = ({ type }: PlainMap): boolean => isAbsent(type) || type === '' || type === 'RollingUpdate';

const amounts =
  (...atMostAll: string[]): Rule =>
  (part, problems) => {
    for (const field of ['maxSurge', 'maxUnavailable']) {
      checkAmount(known(part, field), problems.at(field), atMostAll.includes(field));
    }
  };

/** Whether an amount is one, so that nothing else is said about it. */
const isAmount = (value: unknown): boolean =>
  typeof value === 'number' ? value >= 0 : /^(?:\d{1,2}|100)%$/.test(String(value));

const NEVER = 'with maxUnavailable 0 no Pod is ever replaced';

/** Of its two amounts a DaemonSet has one (apps validation ValidateRollingUpdateDaemonSet). */
const checkSurge: Rule = (strategy, problems) => {
  const part = mapAt(strategy, 'rollingUpdate');
  if (!isRolling(strategy)) {
    return;
  }
  const at = problems.at('rollingUpdate');
  amounts('maxSurge', 'maxUnavailable')(part, at);
  const [maxSurge, maxUnavailable] = [known(part, 'maxSurge') ?? 0, known(part, 'maxUnavailable')];
  // absent, it is 1 (apps/v1 SetDefaults_DaemonSet)
  const isOther = has(part, 'maxUnavailable') ? maxUnavailable !== undefined && !isZero(maxUnavailable) : true;
  if (!isZero(maxSurge) && isOther && isAmount(maxSurge) && isAmount(maxUnavailable ?? 1)) {
    const message = 'a DaemonSet has maxSurge or maxUnavailable, whose default is 1, and not both';
    at.at('maxSurge').add('EDGE_ROLLOUT', message, 'also write maxUnavailable: 0');
  }
};

/** A DaemonSet of which no Pod is ever replaced. */
const checkSomeGoes: Rule = (strategy, problems) => {
  const { maxSurge, maxUnavailable } = mapAt(strategy, 'rollingUpdate');
  if (isRolling(strategy) && (isAbsent(maxSurge) || isZero(maxSurge)) && isZero(maxUnavailable)) {
    problems.at('rollingUpdate', 'maxUnavailable').add('EDGE_ROLLOUT', NEVER, 'write maxUnavailable: 1');
  }
};

/** The same of a Deployment (apps validation ValidateRollingUpdateDeployment). */
const checkSomeMoves: Rule = ({ maxSurge, maxUnavailable }, problems) => {
  if (isZero(maxSurge) && isZero(maxUnavailable)) {
    problems.add('EDGE_ROLLOUT', 'maxSurge and maxUnavailable are both 0', 'write maxSurge: 0, maxUnavailable: 1');
  }
};

/** Since Kubernetes 1.37 it is read without a feature gate (MaxUnavailableStatefulSet), and 0 is refused. */
const checkUnavailable: Rule = (part, problems) => {
  const amount = known(part, 'maxUnavailable');
  const at = problems.at('maxUnavailable');
  checkAmount(amount, at, true);
  if (isZero(amount) && isAmount(amount)) {
    at.add('EDGE_ROLLOUT', NEVER, 'write maxUnavailable: 1');
  }
};

/** Refuses a time after which the Pods of a controller end: it would start them again. */
const noDeadline: Rule = (part, problems) => {
  if (known(['template', 'spec'].reduce(mapAt, part), 'activeDeadlineSeconds') !== undefined) {
    problems
      .at('template', 'spec', 'activeDeadlineSeconds')
      .add('EDGE_VALUE', 'only a Job and a Pod have activeDeadlineSeconds', 'leave it out, or write a Job');
  }
};

const checkProgress: Rule = (part, problems) => {
  const [ready, deadline] = [known(part, 'minReadySeconds') ?? 0, known(part, 'progressDeadlineSeconds') ?? 600];
  if (typeof ready === 'number' && typeof deadline === 'number' && deadline <= ready) {
    conflict(
      problems.at('progressDeadlineSeconds'),
      `progressDeadlineSeconds ${deadline} is not above minReadySeconds ${ready}`,
      `write progressDeadlineSeconds: ${ready + 600}`,
    );
  }
};

const withoutRolling = (type: string, message: string): Rule =>
  not(
    (strategy) => strategy.type === type && has(strategy, 'rollingUpdate'),
    'rollingUpdate',
    message,
    'leave one of them out',
  );

/** Refuses names with which a controller cannot name what it makes (apps and batch validation). */
const named =
  (what: string, isName: (name: string, object: PlainMap) => boolean, hint: string): Rule =>
  (object, problems) => {
    const { name } = mapAt(object, 'metadata');
    if (typeof name === 'string' && isDnsSubdomain(name) && !isName(name, object)) {
      problems.at('metadata', 'name').add('EDGE_NAME', `${quoted(name)} is not a name of a ${what}`, hint);
    }
  };

const isIndexed = (job: PlainMap): boolean => job.completionMode === 'Indexed';

/** Digits of the largest index of a Job with indexes, and their "-", which the names of its Pods end with. */
function indexLength(object: PlainMap): number {
  const spec = mapAt(object, 'spec');
  const completions = isIndexed(spec) ? spec.completions : undefined;
  return typeof completions === 'number' && completions > 0 ? `-${completions - 1}`.length : 0;
}

/** Whether it is known that a Job has no indexes, the default. */
const hasNoIndexes = (job: PlainMap): boolean => [undefined, null, 'NonIndexed'].includes(job.completionMode as string);

const checkSuccess: Rule = (job, problems) => {
  const rules = isMap(job.successPolicy) ? (job.successPolicy.rules ?? []) : undefined;
  if (isIndexed(job) && Array.isArray(rules) && rules.length === 0) {
    const at = problems.at('successPolicy', 'rules');
    at.add('EDGE_MISSING', 'a policy needs rules', 'write rules: [{ succeededCount: 1 }]');
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
    const name = mapAt(rule, 'onExitCodes').containerName;
    if (typeof name === 'string' && names?.includes(name) === false) {
      const hint = `write one of ${names.join(', ')}, or leave it out`;
      at.at('onExitCodes', 'containerName').add('EDGE_MISSING', `there is no container ${name}`, hint);
    }
    if (rule.action === 'FailIndex' && !has(job, 'backoffLimitPerIndex')) {
      conflict(at.at('action'), 'FailIndex without backoffLimitPerIndex', 'write backoffLimitPerIndex: 1');
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

/** A rule of failure is about exit codes or conditions (batch validation validatePodFailurePolicyRule). An empty list is none. */
const checkReasons: Rule = (rule, problems) => {
  const isFilled = (field: string): boolean =>
    has(rule, field) && !(Array.isArray(rule[field]) && rule[field].length === 0);
  const part = Object.fromEntries(FAILURES.filter(isFilled).map((field) => [field, true]));
  oneOf('a rule', FAILURES, "write onExitCodes: { operator: 'In', values: [1] }")(part, problems);
  onlyOne('a rule', FAILURES)(part, problems);
};

/** A limit of failed indexes needs that indexes can fail. */
const checkLimit: Rule = (job, problems) => {
  if (isIndexed(job) && has(job, 'maxFailedIndexes')) {
    needs('maxFailedIndexes', 'backoffLimitPerIndex', 'write backoffLimitPerIndex: 1')(job, problems);
  }
};

/** Whether the API server has made the selector: of a Job that was read from a cluster (pkg/registry/batch/job, generateSelector). */
function isGeneratedSelector(job: PlainMap): boolean {
  const labels = valueAt(job, ['template', 'metadata', 'labels']);
  const selected = valueAt(job, ['selector', 'matchLabels']);
  return ['batch.kubernetes.io/controller-uid', 'controller-uid'].some(
    (key) => isMap(labels) && isMap(selected) && selected[key] !== undefined && selected[key] === labels[key],
  );
}

function isTimeZone(name: string): boolean {
  try {
    // IANA names only, not "+01:00", and not the zone of whoever reads it
    return (
      /^[A-Za-z]/.test(name) && name !== 'Local' && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
    );
  } catch {
    return false;
  }
}

/**
 * Fields of a schedule with their lowest and highest values, and names (robfig/cron v3 `ParseStandard`, with which
 * Kubernetes reads schedules).
 */
const CRON_FIELDS: readonly { readonly from: number; readonly to: number; readonly names?: readonly string[] }[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { from: 0, to: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** A duration of Go. */
const EVERY = /^@every [+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|[smh]))+)$/;

/** What is wrong with the schedule of a CronJob; undefined for one that Kubernetes can read. */
function faultOfSchedule(schedule: string): string | undefined {
  if (schedule.startsWith('@')) {
    return DESCRIPTORS.includes(schedule) || EVERY.test(schedule) ? undefined : 'no such descriptor is known';
  }
  if (/^(?:CRON_)?TZ=/.test(schedule)) {
    return 'a time zone is a field of its own, timeZone';
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== CRON_FIELDS.length) {
    return `it has ${fields.length} fields, and needs 5: minute, hour, day of the month, month, day of the week`;
  }
  const wrong = fields.find((field, index) => !field.split(',').every((part) => isRange(part, index)));
  return wrong === undefined ? undefined : `${wrong} is not valid there`;
}

/** `*`, `?`, a value, a range of values, each with a step. */
function isRange(part: string, index: number): boolean {
  const { from, to, names = [] } = CRON_FIELDS[index] as (typeof CRON_FIELDS)[number];
  const [range = '', step, ...more] = part.split('/');
  const [low = '', high, ...others] = range.split('-');
  const valueOf = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    return named >= 0 ? named + from : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  const isStep = step === undefined || (/^\d+$/.test(step) && Number(step) > 0);
  const isAny = (low === '*' || low === '?') && high === undefined;
  const begin = isAny ? from : valueOf(low);
  const end = isAny ? to : high === undefined ? begin : valueOf(high);
  return more.length === 0 && others.length === 0 && isStep && begin >= from && end <= to && begin <= end;
}

const checkSchedule: Rule = ({ schedule }, problems) => {
  const fault = typeof schedule === 'string' ? faultOfSchedule(schedule) : undefined;
  if (fault !== undefined) {
    const hint = "write '*/5 * * * *' or '@hourly'";
    problems.at('schedule').add('EDGE_VALUE', `${quoted(schedule)} is not a valid schedule: ${fault}`, hint);
  }
};

/** Values that a field of Kubernetes' own kinds may have (apps and batch validation); absent, each has a default. */
export const OWN_CONTROLLER_RULES: RuleTable = {
  // the rollout of a host-network Deployment is checked with its ports
  DeploymentStrategy: [unlessHostNetwork(choice('type', 'RollingUpdate', 'Recreate'))],
  DaemonSetUpdateStrategy: [choice('type', 'RollingUpdate', 'OnDelete')],
  StatefulSetUpdateStrategy: [choice('type', 'RollingUpdate', 'OnDelete')],
  StatefulSetSpec: [choice('podManagementPolicy', 'OrderedReady', 'Parallel')],
  JobSpec: [choice('completionMode', 'NonIndexed', 'Indexed')],
  CronJobSpec: [choice('concurrencyPolicy', 'Allow', 'Forbid', 'Replace'), checkSchedule],
};

/** What the API server refuses in workloads beside their Pods (apps and batch validation). */
export const CONTROLLER_RULES: RuleTable = {
  DeploymentSpec: [...counts('minReadySeconds', 'revisionHistoryLimit'), noDeadline, checkProgress],
  DaemonSetSpec: [...counts('minReadySeconds', 'revisionHistoryLimit'), noDeadline],
  StatefulSetSpec: [...counts('minReadySeconds', 'revisionHistoryLimit'), noDeadline],
  ReplicaSetSpec: [...counts('minReadySeconds'), noDeadline],
  ReplicationControllerSpec: [...counts('minReadySeconds'), noDeadline],
  DeploymentStrategy: [withoutRolling('Recreate', 'strategy Recreate with rollingUpdate')],
  // amounts of a host-network workload are checked with its ports
  RollingUpdateDeployment: [checkSomeMoves, unlessHostNetwork(amounts('maxUnavailable'))],
  DaemonSetUpdateStrategy: [checkSomeGoes, unlessHostNetwork(checkSurge)],
  StatefulSetUpdateStrategy: [withoutRolling('OnDelete', 'OnDelete with rollingUpdate')],
  RollingUpdateStatefulSetStrategy: [...counts('partition'), checkUnavailable],
  StatefulSetOrdinals: [between('start', 0)],
  StatefulSetPersistentVolumeClaimRetentionPolicy: ['whenDeleted', 'whenScaled'].map((field) =>
    texts(field, 'Retain', 'Delete'),
  ),
  StatefulSet: [named('StatefulSet', (name) => !name.includes('.'), 'write it without "."')],
  Job: [
    named(
      'Job',
      (name, job) => name.length + indexLength(job) <= 63,
      'write at most 63 characters, with the indexes of its Pods',
    ),
  ],
  CronJob: [named('CronJob', (name) => name.length <= 52, 'write at most 52 characters: its Jobs have 11 more')],
  CronJobSpec: [
    ...counts('startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
    formed('timeZone', isTimeZone, 'is not a time zone', "write a name of the IANA database, 'Asia/Shanghai'"),
  ],
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
