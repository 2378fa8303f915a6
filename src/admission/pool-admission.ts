import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { copyOf } from '../validation/plain-data.js';
import { claimAdmissionNames } from './admission-names.js';
import { type AdmissionReport, reportAdmission } from './admission-report.js';
import { admissionWarnings } from './admission-warnings.js';
import { checkDeclaredPools, isListEmpty, listedData } from './declared-pools.js';
import { frozenNodeLabels } from './guarantees/frozen-node-labels.js';
import { hostNetworkToleration } from './guarantees/host-network-toleration.js';
import { immutablePools } from './guarantees/immutable-pools.js';
import { namespaceGate } from './guarantees/namespace-gate.js';
import { nodeLabel } from './guarantees/node-label.js';
import { podExclusion } from './guarantees/pod-exclusion.js';
import { refusePresetNodeName } from './guarantees/refuse-preset-node-name.js';
import { mechanismsOf } from './mechanism.js';
import { PolicyMaker } from './policy-maker.js';
import { checkPoolAdmission } from './pool-admission-checks.js';
import { type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';

/** What a PoolAdmission answers. */
export interface PoolAdmissionAnswers {
  readonly cluster: EdgeCluster;
  /** How each guarantee is held, as far as the pools are declared when it is asked. */
  readonly report: () => AdmissionReport[];
}

const NAMES = { path: ['namePrefix'], hint: 'give one of them another namePrefix' };

/**
 * Plans the admission objects that hold the guarantees of a cluster.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolAdmission(given: PoolAdmissionProps, scope: Scope): Plan<PoolAdmissionAnswers> {
  // what is read when the program is declared is what was given now
  const props = copyOf(given ?? {});
  const problems = problemsOf(scope);
  const subject = `PoolAdmission ${scope.path}`;
  checkPoolAdmission(props, problems);
  problems.throwIfAny(subject);
  const { cluster } = props;
  const mechanisms = mechanismsOf(props, problems);
  const maker = new PolicyMaker(props, mechanisms);
  const objects = [
    ...immutablePools(maker),
    ...frozenNodeLabels(maker),
    ...nodeLabel(maker, () => listedData(props, scope)),
    ...podExclusion(maker),
    ...hostNetworkToleration(maker),
    ...refusePresetNodeName(maker),
    ...namespaceGate(maker),
  ];
  claimAdmissionNames(scope, cluster, objects, NAMES, problems);
  problems.throwIfAny(subject);
  const isListed = maker.holds('nodeLabel') && poolsOf(props) === 'listed';
  return {
    subject,
    objects,
    cluster,
    answers: {
      cluster,
      report: () => reportAdmission(props, mechanisms, maker.names, isListed && isListEmpty(props, scope)),
    },
    warnings: admissionWarnings(props, mechanisms),
    artifacts: [],
    ...(maker.holds('nodeLabel') ? { atEnd: (late) => checkDeclaredPools(props, scope, late) } : {}),
  };
}
