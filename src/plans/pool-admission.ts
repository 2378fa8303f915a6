import { type EdgeWarning, ProblemList } from '../errors.js';
import {
  checkPoolCount,
  planPoolAdmission as planPolicies,
  type PoolAdmissionPlan,
} from '../manifests/admission/pool-admission.js';
import type { PoolAdmissionProps } from '../manifests/admission/pool-admission-props.js';
import { claimAdmissionNames } from './admission-names.js';
import { type Declaration, hostNetworkPoolNames } from './fleet.js';

/**
 * Plans the admission objects of a cluster.
 *
 * @param listedData the `data` of the ConfigMap of `pools: 'listed'`, a value that is known when all pools are declared
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolAdmission(
  props: PoolAdmissionProps,
  listedData: unknown,
  declaration: Declaration,
): PoolAdmissionPlan {
  const problems = new ProblemList();
  const plan = planPolicies(props ?? {}, listedData, problems);
  claimAdmissionNames(declaration, props?.cluster, plan.objects, 'namePrefix', problems);
  problems.throwIfAny(`PoolAdmission ${declaration.path}`);
  return plan;
}

/** The host-network pools that a policy lists: all that are declared by now, and those that the user names. */
export function poolsToList({ cluster, otherPools = [] }: PoolAdmissionProps, { fleets }: Declaration): string[] {
  return [...hostNetworkPoolNames(fleets.of(cluster)), ...otherPools];
}

/** Whether the way to know the pools fits their number, as far as they are declared by now. */
export function checkDeclaredPools(
  { pools }: PoolAdmissionPlan,
  props: PoolAdmissionProps,
  declaration: Declaration,
  problems: ProblemList,
): EdgeWarning[] {
  return pools === undefined
    ? []
    : checkPoolCount(pools, poolsToList(props, declaration), declaration.fleets.of(props.cluster).pools.size, problems);
}
