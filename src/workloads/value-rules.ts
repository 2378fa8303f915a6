import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { fieldsOfType } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { POD_VALUE_RULES } from './pod-value-rules.js';
import { counts, formed, has, known, not, type Rule } from './value-rule.js';

/**
 * Refuses values that the API server refuses, by the type of the object that has them (core, apps and batch validation). Values that are not known yet are
 * not read.
 *
 * @param type type of the object, as in {@link fieldsOfType}
 * @param isHostNetwork whether its Pods get hostNetwork, which it need not say
 */
export function checkValues(object: unknown, type: string, problems: ProblemList, isHostNetwork = false): void {
  visit(object, type, [], problems, isHostNetwork);
}

/** Few values are wrong, so `path` is one list. */
function visit(
  value: unknown,
  type: string,
  path: (string | number)[],
  problems: ProblemList,
  isHostNetwork: boolean,
): void {
  const inside = (step: string | number, inner: unknown, of: string): void => {
    path.push(step);
    visit(inner, of, path, problems, isHostNetwork);
    path.pop();
  };
  if (Array.isArray(value)) {
    value.forEach((item, index) => inside(index, item, type));
  } else if (isMap(value)) {
    const part = isHostNetwork && type === 'PodSpec' ? { ...value, hostNetwork: true } : value;
    RULES[type]?.forEach((rule) => rule(part, problems.at(...(path as ObjectPath))));
    const known = fieldsOfType(type);
    Object.entries(value).forEach(([field, inner]) => {
      const of = known.get(field);
      if (of !== undefined && inner !== null && typeof inner === 'object') {
        inside(field, inner, of);
      }
    });
  }
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

const isRecreate = ({ type }: PlainMap): boolean => type === 'Recreate';
const isZero = (value: unknown): boolean => value === 0 || value === '0%' || value === '0';

/** What the API server refuses in workloads (apps and batch validation), and in their Pods. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  ...POD_VALUE_RULES,
  DeploymentSpec: [
    ...counts('minReadySeconds', 'revisionHistoryLimit'),
    (part, problems) => {
      const [ready, deadline] = [known(part, 'minReadySeconds') ?? 0, known(part, 'progressDeadlineSeconds') ?? 600];
      if (typeof ready === 'number' && typeof deadline === 'number' && deadline <= ready) {
        problems
          .at('progressDeadlineSeconds')
          .add(
            'EDGE_CONTRADICTION',
            `conflicting settings: progressDeadlineSeconds ${deadline} is not above minReadySeconds ${ready}`,
            `write progressDeadlineSeconds: ${ready + 600}`,
          );
      }
    },
  ],
  DeploymentStrategy: [
    not(
      (strategy) => isRecreate(strategy) && has(strategy, 'rollingUpdate'),
      'rollingUpdate',
      'strategy Recreate with rollingUpdate',
      'leave one of them out',
    ),
  ],
  RollingUpdateDeployment: [
    ({ maxSurge, maxUnavailable }, problems) => {
      if (isZero(maxSurge) && isZero(maxUnavailable)) {
        problems.add('EDGE_ROLLOUT', 'maxSurge and maxUnavailable are both 0', 'write maxSurge: 0, maxUnavailable: 1');
      }
    },
  ],
  DaemonSetSpec: counts('minReadySeconds', 'revisionHistoryLimit'),
  RollingUpdateDaemonSet: [
    ({ maxSurge, maxUnavailable }, problems) => {
      if ((isAbsent(maxSurge) || isZero(maxSurge)) && isZero(maxUnavailable)) {
        problems
          .at('maxUnavailable')
          .add('EDGE_ROLLOUT', 'with maxUnavailable 0 no Pod is ever replaced', 'write maxUnavailable: 1');
      }
    },
  ],
  StatefulSetSpec: counts('minReadySeconds', 'revisionHistoryLimit'),
  StatefulSetUpdateStrategy: [
    not(
      (strategy) => strategy.type === 'OnDelete' && has(strategy, 'rollingUpdate'),
      'rollingUpdate',
      'OnDelete with rollingUpdate',
      'leave one of them out',
    ),
  ],
  JobSpec: [
    ...counts('parallelism', 'completions', 'backoffLimit', 'ttlSecondsAfterFinished', 'activeDeadlineSeconds'),
    not(
      (job) => job.completionMode === 'Indexed' && has(job, 'parallelism') && !has(job, 'completions'),
      'completions',
      'completionMode Indexed with parallelism, without completions',
      'write completions: the number of indexes',
    ),
    not(
      (job) => has(job, 'selector') && job.manualSelector !== true,
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
  CronJobSpec: [
    ...counts('startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
    formed('timeZone', isTimeZone, 'is no time zone', "write a name of the IANA database, 'Asia/Shanghai'"),
  ],
};
