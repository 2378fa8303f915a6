import type { PolicyBase } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';

/**
 * The part of a check by which it holds only while the mutation that it checks exists and is served: the binding of the mutation is its parameter. Without it
 * (deleted first, or an API server that came back without the flags of v1beta1) nothing would meet the check, and every request that it concerns would be
 * refused. The binding is smaller than the policy, which matters because a parameter is converted for each request.
 */
export function whileServed(maker: PolicyMaker, mutation: string): Pick<PolicyBase, 'parameters' | 'failurePolicy'> {
  return {
    parameters: {
      kind: { apiVersion: maker.mutatingApiVersion() as string, kind: 'MutatingAdmissionPolicyBinding' },
      ref: { name: mutation, parameterNotFoundAction: 'Allow' },
    },
    // a kind that is not served is an error of the configuration
    failurePolicy: 'Ignore',
  };
}

/**
 * Whether a new object may be admitted because the mutation is too new: an API server reads mutating and validating policies once a second, each at its own
 * time, so for about a second it can have the check and not yet the mutation (apiserver pkg/admission/plugin/policy/generic/policy_source.go). The
 * object is the clock: it has its creationTimestamp before it is validated (apiserver pkg/registry/generic/registry/store.go).
 */
export const MUTATION_IS_NEW = `timestamp(object.metadata.creationTimestamp) - timestamp(params.metadata.creationTimestamp) < duration('10s')`;
