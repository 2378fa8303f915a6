import type { ProblemList } from '../errors.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { fieldsOfType } from '../kubernetes/workload-fields.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { quoted } from '../validation/properties.js';
import { JOB_RULES } from './job-rules.js';
import { POD_VALUE_RULES } from './pod-value-rules.js';
import { AMOUNT_RULES, noDeadline, ROLLOUT_RULES } from './rollout-rules.js';
import { checkHostUsers } from './security-rules.js';
import { counts, formed, known, type Rule } from './rule-builders.js';

/**
 * Refuses values that the API server refuses, by the type of the object that has them (core, apps and batch validation). Values that are not known yet are
 * not read.
 *
 * @param type type of the object, as in {@link fieldsOfType}
 * @param isHostNetwork whether its Pods get hostNetwork, which it need not say
 */
export function checkValues(value: unknown, type: string, problems: ProblemList, isHostNetwork = false): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkValues(item, type, problems.at(index), isHostNetwork));
  } else if (isMap(value)) {
    const part = isHostNetwork && type === 'PodSpec' ? { ...value, hostNetwork: true } : value;
    const known = fieldsOfType(type);
    const check = (rule: Rule): void => rule(part, problems, known);
    RULES[type]?.forEach(check);
    if (!isHostNetwork) {
      OTHER_RULES[type]?.forEach(check);
    }
    for (const field of Object.keys(value)) {
      const [of, inner] = [known.get(field), value[field]];
      if (of !== undefined && inner !== null && typeof inner === 'object') {
        checkValues(inner, of, problems.at(field), isHostNetwork);
      }
    }
  }
}

/** What is checked elsewhere for a host-network workload. */
const OTHER_RULES: Readonly<Record<string, readonly Rule[]>> = { ...AMOUNT_RULES, PodSpec: [checkHostUsers] };

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

/** Refuses names with which a controller cannot name what it makes (apps and batch validation). */
const named =
  (what: string, isName: (name: string, object: PlainMap) => boolean, hint: string): Rule =>
  (object, problems) => {
    const name = isMap(object.metadata) ? known(object.metadata, 'name') : undefined;
    if (typeof name === 'string' && isDnsSubdomain(name) && !isName(name, object)) {
      problems.at('metadata', 'name').add('EDGE_NAME', `${quoted(name)} is not a name of a ${what}`, hint);
    }
  };

/** Digits of the largest index of a Job with indexes, and their "-", which the names of its Pods end with. */
function indexLength({ spec }: PlainMap): number {
  const completions = isMap(spec) && spec.completionMode === 'Indexed' ? known(spec, 'completions') : undefined;
  return typeof completions === 'number' && completions > 0 ? `-${completions - 1}`.length : 0;
}

/** What the API server refuses in workloads (apps and batch validation), and in their Pods. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  ...POD_VALUE_RULES,
  ...ROLLOUT_RULES,
  ...JOB_RULES,
  DeploymentSpec: [
    ...counts('minReadySeconds', 'revisionHistoryLimit'),
    noDeadline,
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
  DaemonSetSpec: [...counts('minReadySeconds', 'revisionHistoryLimit'), noDeadline],
  StatefulSetSpec: [...counts('minReadySeconds', 'revisionHistoryLimit'), noDeadline],
  ReplicaSetSpec: [...counts('minReadySeconds'), noDeadline],
  ReplicationControllerSpec: [...counts('minReadySeconds'), noDeadline],
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
};
