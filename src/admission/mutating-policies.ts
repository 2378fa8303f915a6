import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { mutatingAdmissionPolicySupport } from '../cluster/kubernetes-capabilities.js';
import { checkOneOf } from '../base/properties.js';
import { ADMISSION_GROUP } from './policy.js';

/** Flags with which the API server of a minor serves a policy kind that is off by default. */
function flagsFor(version: string): string {
  return `--feature-gates=MutatingAdmissionPolicy=true --runtime-config=${ADMISSION_GROUP}/${version}=true`;
}

/** API version of the mutating policies of a cluster; undefined if it has none, or they are off by default and were not requested. */
export function mutatingPolicies(
  cluster: EdgeCluster,
  optIn: 'v1beta1' | undefined,
): { readonly apiVersion: string; readonly flags?: string } | undefined {
  const support = mutatingAdmissionPolicySupport(cluster);
  if (support?.byDefault === true) {
    return { apiVersion: `${ADMISSION_GROUP}/${support.version}` };
  }
  return support !== undefined && support.version === optIn
    ? { apiVersion: `${ADMISSION_GROUP}/${optIn}`, flags: flagsFor(optIn) }
    : undefined;
}

/** What to write if the cluster has mutating policies that are off by default and were not requested; undefined otherwise. */
export function missedOptIn(cluster: EdgeCluster, optIn: 'v1beta1' | undefined): string | undefined {
  const support = mutatingAdmissionPolicySupport(cluster);
  return optIn === undefined && support?.byDefault === false && support.version === 'v1beta1'
    ? `write mutatingAdmissionPolicy: '${support.version}' (the API server then needs ${flagsFor(support.version)})`
    : undefined;
}

/** Checks whether the opt-in fits the minor. */
export function checkOptIn(cluster: EdgeCluster, optIn: unknown, problems: ProblemList): void {
  checkOneOf(optIn, ['v1beta1'], problems);
  if (optIn !== 'v1beta1') {
    return;
  }
  const support = mutatingAdmissionPolicySupport(cluster);
  if (support?.byDefault === true) {
    problems.add(
      'EDGE_CONTRADICTION',
      `Kubernetes ${cluster.kubernetes} serves MutatingAdmissionPolicy ${support.version} by default`,
      'leave mutatingAdmissionPolicy out',
    );
  } else if (support?.version !== optIn) {
    problems.add(
      'EDGE_NOT_GUARANTEED',
      `Kubernetes ${cluster.kubernetes} does not serve MutatingAdmissionPolicy ${optIn}`,
      'leave mutatingAdmissionPolicy out',
    );
  }
}
