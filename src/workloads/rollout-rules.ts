import { isAbsent } from '../kubernetes/field-values.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkAmount } from './deployment-rollout.js';
import { between, counts, known, not, type Rule, texts, has } from './rule-builders.js';

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
const checkedAmount = (value: unknown): boolean =>
  typeof value === 'number' ? value >= 0 : /^(?:\d{1,2}|100)%$/.test(String(value));

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
  if (!isZero(maxSurge) && isOther && checkedAmount(maxSurge) && checkedAmount(maxUnavailable ?? 1)) {
    at.at('maxSurge').add(
      'EDGE_ROLLOUT',
      'a DaemonSet has maxSurge or maxUnavailable, whose default is 1, and not both',
      'also write maxUnavailable: 0',
    );
  }
};

/** Amounts of a rollout, by type. Those of a host-network workload are checked with its ports (deployment-rollout.ts). */
export const AMOUNT_RULES: Readonly<Record<string, readonly Rule[]>> = {
  RollingUpdateDeployment: [amounts('maxUnavailable')],
  DaemonSetUpdateStrategy: [checkSurge],
};

/** A Deployment of which no Pod is ever replaced (apps validation ValidateRollingUpdateDeployment). */
const checkSomeMoves: Rule = ({ maxSurge, maxUnavailable }, problems) => {
  if (isZero(maxSurge) && isZero(maxUnavailable)) {
    problems.add('EDGE_ROLLOUT', 'maxSurge and maxUnavailable are both 0', 'write maxSurge: 0, maxUnavailable: 1');
  }
};

/** The same of a DaemonSet. */
const checkSomeGoes: Rule = (strategy, problems) => {
  const { maxSurge, maxUnavailable } = mapAt(strategy, 'rollingUpdate');
  if (isRolling(strategy) && (isAbsent(maxSurge) || isZero(maxSurge)) && isZero(maxUnavailable)) {
    problems
      .at('rollingUpdate', 'maxUnavailable')
      .add('EDGE_ROLLOUT', 'with maxUnavailable 0 no Pod is ever replaced', 'write maxUnavailable: 1');
  }
};

/** Since Kubernetes 1.37 it is read without a feature gate (MaxUnavailableStatefulSet), and 0 is refused. */
const checkUnavailable: Rule = (part, problems) => {
  const amount = known(part, 'maxUnavailable');
  checkAmount(amount, problems.at('maxUnavailable'), true);
  if (isZero(amount) && checkedAmount(amount)) {
    problems
      .at('maxUnavailable')
      .add('EDGE_ROLLOUT', 'with maxUnavailable 0 no Pod is ever replaced', 'write maxUnavailable: 1');
  }
};

/** What the API server refuses in rollouts (apps validation ValidateDeploymentStrategy, ValidateRollingUpdateDaemonSet and others), by type. */
export const ROLLOUT_RULES: Readonly<Record<string, readonly Rule[]>> = {
  DeploymentStrategy: [
    not(
      (strategy) => strategy.type === 'Recreate' && has(strategy, 'rollingUpdate'),
      'rollingUpdate',
      'strategy Recreate with rollingUpdate',
      'leave one of them out',
    ),
  ],
  RollingUpdateDeployment: [checkSomeMoves],
  DaemonSetUpdateStrategy: [checkSomeGoes],
  StatefulSetUpdateStrategy: [
    not(
      (strategy) => strategy.type === 'OnDelete' && has(strategy, 'rollingUpdate'),
      'rollingUpdate',
      'OnDelete with rollingUpdate',
      'leave one of them out',
    ),
  ],
  RollingUpdateStatefulSetStrategy: [...counts('partition'), checkUnavailable],
  StatefulSetOrdinals: [between('start', 0)],
  StatefulSetPersistentVolumeClaimRetentionPolicy: ['whenDeleted', 'whenScaled'].map((field) =>
    texts(field, 'Retain', 'Delete'),
  ),
};

/** Refuses a time after which the Pods of a controller end: it would start them again. */
export const noDeadline: Rule = (part, problems) => {
  const template = part.template;
  const spec = isMap(template) && isMap(template.spec) ? template.spec : {};
  if (known(spec, 'activeDeadlineSeconds') !== undefined) {
    problems
      .at('template', 'spec', 'activeDeadlineSeconds')
      .add('EDGE_VALUE', 'only a Job and a Pod have activeDeadlineSeconds', 'leave it out, or write a Job');
  }
};
