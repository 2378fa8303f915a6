/** Rollouts, Jobs and names of workloads that the API server refuses (apps and batch validation), and neighbours that it accepts. */
import { cronJob, job, ofKind } from './refused-shapes.js';

type Row = [what: string, workload: object, path: string, code: string];
type Fault = [what: string, spec: object, path: string, code?: string];

const rolling = (field: string, rollingUpdate: object): object => ({ [field]: { rollingUpdate } });
const named = (object: object, name: string): object => ({ ...object, metadata: { name } });
const jobOf = (spec: object, restartPolicy = 'Never'): any => {
  const made: any = job({ restartPolicy });
  return { ...made, spec: { ...made.spec, ...spec } };
};
const indexed = { completionMode: 'Indexed', completions: 3 };
const onExit = (onExitCodes: object, rule: object = {}): object => ({
  podFailurePolicy: {
    rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1], ...onExitCodes }, ...rule }],
  },
});

const deployments: Fault[] = [
  [
    'more than all unavailable',
    rolling('strategy', { maxUnavailable: '120%' }),
    'strategy.rollingUpdate.maxUnavailable',
  ],
  ['fewer than none unavailable', rolling('strategy', { maxUnavailable: -1 }), 'strategy.rollingUpdate.maxUnavailable'],
  ['a percentage without its sign', rolling('strategy', { maxSurge: '25' }), 'strategy.rollingUpdate.maxSurge'],
];

const daemonSets: Fault[] = [
  [
    'both amounts',
    rolling('updateStrategy', { maxSurge: 1, maxUnavailable: 1 }),
    'updateStrategy.rollingUpdate.maxSurge',
  ],
  ['surge beside the default', rolling('updateStrategy', { maxSurge: '10%' }), 'updateStrategy.rollingUpdate.maxSurge'],
  [
    'more than all unavailable',
    rolling('updateStrategy', { maxUnavailable: '101%' }),
    'updateStrategy.rollingUpdate.maxUnavailable',
  ],
  [
    'more than all as surge',
    rolling('updateStrategy', { maxSurge: '101%', maxUnavailable: 0 }),
    'updateStrategy.rollingUpdate.maxSurge',
  ],
];

const statefulSets: Fault[] = [
  [
    'a partition below 0',
    rolling('updateStrategy', { partition: -1 }),
    'updateStrategy.rollingUpdate.partition',
    'EDGE_VALUE',
  ],
  ['ordinals below 0', { ordinals: { start: -1 } }, 'ordinals.start', 'EDGE_VALUE'],
  [
    'a policy of claims that there is not',
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'delete' } },
    'persistentVolumeClaimRetentionPolicy.whenDeleted',
    'EDGE_VALUE',
  ],
];

const jobs: Fault[] = [
  ['retries of each index without Indexed', { backoffLimitPerIndex: 1 }, 'backoffLimitPerIndex'],
  ['a limit of indexes alone', { ...indexed, maxFailedIndexes: 1 }, 'backoffLimitPerIndex', 'EDGE_MISSING'],
  ['a policy of replacement', { podReplacementPolicy: 'failed' }, 'podReplacementPolicy', 'EDGE_VALUE'],
  [
    'replacement before failure',
    { ...onExit({}), podReplacementPolicy: 'TerminatingOrFailed' },
    'podReplacementPolicy',
  ],
  ['failure of an unknown action', onExit({}, { action: 'Fail' }), 'podFailurePolicy.rules[0].action', 'EDGE_VALUE'],
  ['failure without action', onExit({}, { action: undefined }), 'podFailurePolicy.rules[0].action', 'EDGE_MISSING'],
  ['failure with success', onExit({ values: [0, 1] }), 'podFailurePolicy.rules[0].onExitCodes.values[0]', 'EDGE_VALUE'],
  ['failure of no code', onExit({ values: [] }), 'podFailurePolicy.rules[0].onExitCodes.values', 'EDGE_MISSING'],
  [
    'failure codes out of order',
    onExit({ values: [2, 1] }),
    'podFailurePolicy.rules[0].onExitCodes.values',
    'EDGE_VALUE',
  ],
  [
    'failure of no such container',
    onExit({ containerName: 'worker' }),
    'podFailurePolicy.rules[0].onExitCodes.containerName',
    'EDGE_MISSING',
  ],
  [
    'failure of nothing',
    { podFailurePolicy: { rules: [{ action: 'Ignore' }] } },
    'podFailurePolicy.rules[0]',
    'EDGE_MISSING',
  ],
  [
    'failure of two things',
    onExit({}, { onPodConditions: [{ type: 'DisruptionTarget' }] }),
    'podFailurePolicy.rules[0]',
  ],
  ['failure of an index without retries', onExit({}, { action: 'FailIndex' }), 'podFailurePolicy.rules[0].action'],
];

const rowsOf = (faults: readonly Fault[], of: string, made: (spec: object) => object, code: string): Row[] =>
  faults.map(([what, spec, path, own = code]) => [`${of}: ${what}`, made(spec), `spec.${path}`, own]);

const template = { spec: { template: (job({ restartPolicy: 'Never' }) as any).spec.template } };
const jobTemplate = (spec: object): object =>
  cronJob('@daily', { jobTemplate: { spec: { ...template.spec, ...spec } } });

export const refusedControllers: Row[] = [
  ...rowsOf(deployments, 'a Deployment', (spec) => ofKind('Deployment', spec), 'EDGE_ROLLOUT'),
  ...rowsOf(daemonSets, 'a DaemonSet', (spec) => ofKind('DaemonSet', spec), 'EDGE_ROLLOUT'),
  ...rowsOf(statefulSets, 'a StatefulSet', (spec) => ofKind('StatefulSet', spec), 'EDGE_VALUE'),
  ...rowsOf(jobs, 'a Job', jobOf, 'EDGE_CONTRADICTION'),
  ['a CronJob of 53 characters', named(cronJob('@daily'), 'a'.repeat(53)), 'metadata.name', 'EDGE_NAME'],
  ['a Job of 64 characters', named(jobOf({}), 'a'.repeat(64)), 'metadata.name', 'EDGE_NAME'],
  ['a StatefulSet with a dot', named(ofKind('StatefulSet', {}), 'web.shop'), 'metadata.name', 'EDGE_NAME'],
  ['an indexed Job of 63 characters', named(jobOf(indexed), 'a'.repeat(63)), 'metadata.name', 'EDGE_NAME'],
  [
    'a CronJob with a selector',
    jobTemplate({ selector: { matchLabels: { a: 'b' } }, manualSelector: true }),
    'spec.jobTemplate.spec.selector',
    'EDGE_CONTRADICTION',
  ],
];

/** What only later minors refuse, and earlier ones drop. */
export const controllersRefusedLater: [since: string, ...row: Row][] = [
  // the feature gate JobSuccessPolicy
  [
    '1.31',
    'success without Indexed',
    jobOf({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    'spec.successPolicy',
    'EDGE_CONTRADICTION',
  ],
  [
    '1.31',
    'success without rules',
    jobOf({ ...indexed, successPolicy: { rules: [] } }),
    'spec.successPolicy.rules',
    'EDGE_MISSING',
  ],
  // the feature gate MaxUnavailableStatefulSet
  [
    '1.37',
    'none of a StatefulSet unavailable',
    ofKind('StatefulSet', rolling('updateStrategy', { maxUnavailable: 0 })),
    'spec.updateStrategy.rollingUpdate.maxUnavailable',
    'EDGE_ROLLOUT',
  ],
];

export const acceptedControllers: [what: string, workload: object][] = [
  ['an indexed Job of one Pod', jobOf({ completionMode: 'Indexed' })],
  ['a CronJob of 52 characters', named(cronJob('@daily'), 'a'.repeat(52))],
  ['a Job of 63 characters', named(jobOf({}), 'a'.repeat(63))],
  ['an indexed Job of 61 characters', named(jobOf(indexed), 'a'.repeat(61))],
  ['a StatefulSet', ofKind('StatefulSet', { ...rolling('updateStrategy', { partition: 0 }), ordinals: { start: 1 } })],
  ['all unavailable', ofKind('Deployment', rolling('strategy', { maxUnavailable: '100%', maxSurge: '200%' }))],
  [
    'a DaemonSet without surge',
    ofKind('DaemonSet', rolling('updateStrategy', { maxSurge: 0, maxUnavailable: '100%' })),
  ],
  ['failure rules', jobOf({ ...onExit({ values: [1, 2], containerName: 'web' }), podReplacementPolicy: 'Failed' })],
  ['failure of other codes', jobOf(onExit({ operator: 'NotIn', values: [0] }))],
  [
    'an indexed Job with everything',
    jobOf({
      ...indexed,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 3,
      successPolicy: { rules: [{ succeededCount: 1 }] },
      ...onExit({}, { action: 'FailIndex' }),
    }),
  ],
];
