import { type EdgeWarning, ProblemList } from '../errors.js';
import { type AdmissionReport, withEmptyList } from './admission-report.js';
import { checkPoolCount, planPoolAdmission as planPolicies, type PoolAdmissionPlan } from './guaranteed-policies.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { claimAdmissionNames } from './admission-names.js';
import { type Declaration, hostNetworkPoolNames } from '../cluster/fleet.js';

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
  claimAdmissionNames(
    declaration,
    props?.cluster,
    plan.objects,
    { path: ['namePrefix'], hint: 'give one of them another namePrefix' },
    problems,
  );
  problems.throwIfAny(`PoolAdmission ${declaration.path}`);
  return plan;
}

/** The host-network pools that a policy lists: all that are declared by now, and those that the user names. */
export function poolsToList(
  { otherPools = [] }: PoolAdmissionPlan,
  cluster: EdgeCluster,
  { fleets }: Declaration,
): string[] {
  return [...hostNetworkPoolNames(fleets.of(cluster)), ...otherPools];
}

/** The report, as far as the pools are declared by now. */
export function reportNow(
  plan: PoolAdmissionPlan,
  cluster: EdgeCluster,
  declaration: Declaration,
): readonly AdmissionReport[] {
  const isEmpty = plan.pools === 'listed' && poolsToList(plan, cluster, declaration).length === 0;
  return isEmpty ? withEmptyList(plan.report) : plan.report;
}

/** Whether the way to know the pools fits them, as far as they are declared by now. */
export function checkDeclaredPools(
  plan: PoolAdmissionPlan,
  cluster: EdgeCluster,
  declaration: Declaration,
  problems: ProblemList,
): EdgeWarning[] {
  const { pools, otherPools = [] } = plan;
  if (pools === undefined) {
    return [];
  }
  const { fleets } = declaration;
  const declared = fleets.of(cluster).pools;
  otherPools.forEach((name, index) => {
    if (declared.get(name)?.hostNetwork === false) {
      problems
        .at('otherPools', index)
        .add(
          'EDGE_CONTRADICTION',
          `${name} is declared in this app as an ordinary pool, and its nodes would get the label`,
          'remove it from otherPools, or declare a HostNetworkNodePool',
        );
    }
  });
  const elsewhere = fleets.besides(cluster).flatMap(hostNetworkPoolNames);
  return checkPoolCount(pools, poolsToList(plan, cluster, declaration), declared.entries().length, problems, elsewhere);
}
