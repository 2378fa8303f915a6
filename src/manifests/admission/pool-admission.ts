import type { EdgeWarning, ProblemList } from '../../errors.js';
import type { KubernetesObject } from '../kubernetes-object.js';
import { type AdmissionReport, reportAdmission } from './admission-report.js';
import { GUARANTEES } from './guarantee.js';
import { mechanismsOf, settingsOf } from './mechanism.js';
import { checkPoolAdmission, type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';
import { listedPoolsData } from './node-label-policy.js';
import { PoolPolicies } from './pool-policies.js';

/** Everything that holds the guarantees of a cluster. */
export interface PoolAdmissionPlan {
  /** Objects in the order in which they must be applied. */
  readonly objects: readonly KubernetesObject[];
  readonly report: readonly AdmissionReport[];
  readonly warnings: readonly EdgeWarning[];
  /** How the policy for `nodeLabel` knows the pools; undefined when there is no such policy. */
  readonly pools?: 'live' | 'listed';
}

/**
 * Plans the admission objects of a cluster.
 *
 * @param listedData the `data` of the ConfigMap of `pools: 'listed'`, which may be a value that is known later only ({@link listedPoolsData})
 */
export function planPoolAdmission(
  props: PoolAdmissionProps,
  listedData: unknown,
  problems: ProblemList,
): PoolAdmissionPlan {
  checkPoolAdmission(props, problems);
  if (problems.problems.length > 0) {
    return { objects: [], report: [], warnings: [] };
  }
  const mechanisms = mechanismsOf(props, problems);
  const policies = new PoolPolicies(props, mechanisms, listedData);
  const report = reportAdmission(mechanisms, policies.names);
  return {
    objects: policies.objects,
    report,
    warnings: warningsOf(props, report),
    ...(policies.names.has('nodeLabel') ? { pools: poolsOf(props) } : {}),
  };
}

function warningsOf(props: PoolAdmissionProps, report: readonly AdmissionReport[]): EdgeWarning[] {
  const warnings: EdgeWarning[] = report
    .filter(({ mechanism }) => mechanism === 'nothing')
    .map(({ guarantee }) => ({
      code: 'EDGE_NOT_GUARANTEED',
      path: `guarantees.${guarantee}`,
      message: `nothing in ${props.cluster.toString()} gives it`,
      hint: `${GUARANTEES[guarantee].instead}; or write ${guarantee}: false`,
    }));
  const isLabelled = report.some(({ guarantee, policies }) => guarantee === 'nodeLabel' && policies !== '');
  if (isLabelled && poolsOf(props) === 'live' && settingsOf(props, 'nodeLabel').failurePolicy === 'Fail') {
    warnings.push({
      code: 'EDGE_POLICY_COST',
      path: 'guarantees.nodeLabel.failurePolicy',
      message: 'with Fail, every write of every node is refused while the NodePool kind is missing',
      hint: "write Ignore, or pools: 'listed'; never remove the CRD while the binding exists",
    });
  }
  return warnings;
}

/** Up to how many pools a live lookup costs a node write no more than a few milliseconds (measured: 1 ms at 10 pools, 8 ms at 100, 86 ms at 1,000). */
const LIVE_POOLS = 50;

// core validation: MaxSecretSize, for a ConfigMap's data too
const CONFIG_MAP_LIMIT = 1024 * 1024;

/** Whether the way to know the pools fits their number. */
export function checkPoolCount(
  pools: 'live' | 'listed',
  hostNetworkPools: readonly string[],
  allPools: number,
  problems: ProblemList,
): EdgeWarning[] {
  const size = Object.entries(listedPoolsData(hostNetworkPools)).flat().join('').length;
  if (pools === 'listed' && size > CONFIG_MAP_LIMIT) {
    problems
      .at('pools')
      .add('EDGE_VALUE', `${hostNetworkPools.length} pools are more than one ConfigMap holds`, "write pools: 'live'");
  }
  if (pools === 'live' && allPools > LIVE_POOLS) {
    return [
      {
        code: 'EDGE_POLICY_COST',
        path: 'pools',
        message: `every write of a Node looks at each NodePool, and there are ${allPools} here`,
        hint: "write pools: 'listed'",
      },
    ];
  }
  return pools === 'listed' && hostNetworkPools.length === 0
    ? [
        {
          code: 'EDGE_NOT_GUARANTEED',
          path: 'pools',
          message: 'the list of host-network pools is empty, so no node gets the label',
          hint: "declare HostNetworkNodePools in this app, or name pools made elsewhere: otherPools: ['beijing']",
        },
      ]
    : [];
}
