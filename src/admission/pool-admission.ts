import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { copyOf } from '../base/plain-data.js';
import { claimAdmissionNames } from './admission-names.js';
import { type AdmissionReport, reportAdmission } from './admission-report.js';
import { admissionWarnings } from './admission-warnings.js';
import { gatedWorkloads } from './gated-workloads.js';
import { checkDeclaredPools, partByPools, isListEmpty, untaintedWarnings } from './pool-list.js';
import { appliedAgain } from './applied-again.js';
import { frozenNodeLabels } from './frozen-node-labels.js';
import { hostNetworkToleration } from './host-network-toleration.js';
import { immutablePools } from './immutable-pools.js';
import { namespaceGate } from './namespace-gate.js';
import { nodeLabel } from './node-label.js';
import { podExclusion } from './pod-exclusion.js';
import { refusePresetNodeName } from './refuse-preset-node-name.js';
import { mechanismsOf } from './mechanism.js';
import { PolicyMaker } from './policy-maker.js';
import { checkPoolAdmission } from './pool-admission-checks.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';

/** Attributes of a PoolAdmission. */
export interface PoolAdmissionAttributes {
  readonly cluster: EdgeCluster;
  /** What enforces each guarantee, with the pools that are declared when it is called. */
  readonly report: () => AdmissionReport[];
}

/** Guarantees about what the whole program declares. */
const LOOKS_AT_END = ['nodeLabel', 'namespaceGate', 'hostNetworkToleration'] as const;

const NAMES = { path: ['namePrefix'], hint: 'give one of them another namePrefix' };

/**
 * Plans the admission policies and bindings that enforce the guarantees in a cluster.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolAdmission(given: PoolAdmissionProps, scope: Scope): Plan<PoolAdmissionAttributes> {
  // a copy: callbacks at the end of the program read the properties as they are now
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
    ...nodeLabel(maker, (part) => partByPools(props, scope, part)),
    ...podExclusion(maker),
    ...hostNetworkToleration(maker),
    ...appliedAgain(maker),
    ...refusePresetNodeName(maker),
    ...namespaceGate(maker),
  ];
  claimAdmissionNames(scope, cluster, objects, NAMES, problems);
  problems.throwIfAny(subject);
  const isListed = maker.holds('nodeLabel') && props.pools !== 'live';
  return {
    subject,
    objects,
    cluster,
    attributes: {
      cluster,
      report: () => reportAdmission(props, mechanisms, maker.names, isListed && isListEmpty(props, scope)),
    },
    warnings: admissionWarnings(props, mechanisms),
    artifacts: [],
    ...(LOOKS_AT_END.some((guarantee) => maker.holds(guarantee))
      ? {
          atEnd: (late) => [
            ...(maker.holds('nodeLabel') ? checkDeclaredPools(props, scope, late) : []),
            ...(maker.holds('namespaceGate') ? gatedWorkloads(props, scope) : []),
            ...(maker.holds('hostNetworkToleration') ? untaintedWarnings(props, scope) : []),
          ],
        }
      : {}),
  };
}
