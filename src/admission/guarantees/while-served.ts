import type { PolicyBase } from '../policy.js';
import type { PolicyMaker } from '../policy-maker.js';

/**
 * The part of a check by which it holds only while the mutation that it checks exists and is served: the mutation is its parameter. Without it (deleted
 * first, or an API server that came back without the flags of v1beta1) nothing would meet the check, and every request that it concerns would be refused.
 */
export function whileServed(maker: PolicyMaker, mutation: string): Pick<PolicyBase, 'parameters' | 'failurePolicy'> {
  return {
    parameters: {
      kind: { apiVersion: maker.mutatingApiVersion() as string, kind: 'MutatingAdmissionPolicy' },
      ref: { name: mutation, parameterNotFoundAction: 'Allow' },
    },
    // a kind that is not served is an error of the configuration
    failurePolicy: 'Ignore',
  };
}
