import type { EdgeWarning, ProblemList } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type AdmissionReport, reportAdmission } from './admission-report.js';
import { GUARANTEES, type PoolGuarantee } from './guarantee.js';
import { type Mechanism, mechanismsOf, settingsOf, wayOut } from './mechanism.js';
import { checkPoolAdmission, type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';
import { listedPoolsData } from './node-label-policy.js';
import { PoolPolicies } from './pool-policies.js';
import { unusedOptions } from './unused-options.js';
import { convertsStoredNodePools } from '../cluster/openyurt-capabilities.js';

/** Everything that holds the guarantees of a cluster. */
export interface PoolAdmissionPlan {
  /** Objects in the order in which they must be applied. */
  readonly objects: readonly KubernetesObject[];
  readonly report: readonly AdmissionReport[];
  readonly warnings: readonly EdgeWarning[];
  /** How the policy for `nodeLabel` knows the pools; undefined when there is no such policy. */
  readonly pools?: 'live' | 'listed';
  /** Pools made elsewhere, as they were named when the plan was made. */
  readonly otherPools?: readonly string[];
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
  const report = reportAdmission(props, mechanisms, policies.names);
  return {
    objects: policies.objects,
    report,
    warnings: warningsOf(props, mechanisms),
    ...(policies.names.has('nodeLabel') ? { pools: poolsOf(props), otherPools: [...(props.otherPools ?? [])] } : {}),
  };
}

function warningsOf(props: PoolAdmissionProps, mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>): EdgeWarning[] {
  const { cluster, templates } = props;
  const has = (guarantee: PoolGuarantee): boolean => mechanisms.get(guarantee)?.kind === 'policy';
  const warnings: EdgeWarning[] = [...mechanisms]
    .filter(([, { kind }]) => kind === 'nothing')
    .map(([guarantee]) => ({
      code: 'EDGE_NOT_GUARANTEED',
      path: `guarantees.${guarantee}`,
      message: `nothing in ${cluster.toString()} gives it`,
      hint: wayOut(props, guarantee, `${GUARANTEES[guarantee].instead}; or write ${guarantee}: false`),
    }));
  if (has('nodeLabel') && poolsOf(props) === 'live' && settingsOf(props, 'nodeLabel').failurePolicy === 'Fail') {
    const old = convertsStoredNodePools(cluster)
      ? ', and while yurt-manager is down, once the API server was restarted, if an older OpenYurt release stored one of the pools'
      : '';
    warnings.push({
      code: 'EDGE_POLICY_COST',
      path: 'guarantees.nodeLabel.failurePolicy',
      message: `with Fail, every write of every node is refused while the NodePool kind is missing${old}`,
      hint: `write Ignore, or pools: 'listed'; never remove the CRD while the binding exists${old === '' ? '' : ', and write old pools once (docs/admission.md)'}`,
    });
  }
  // leaving them out can be meant, because a changed template rolls out anew: so it is said, and not done all the same
  if ((has('strict') || has('annotatedTemplates')) && templates?.includes('daemonsets') === false) {
    warnings.push({
      code: 'EDGE_NOT_GUARANTEED',
      path: 'templates',
      message:
        'Pods of DaemonSets get the affinity and their templates do not: the controller makes a Pod for each host-network node, and it stays Pending',
      hint: "write templates: ['daemonsets', …]",
    });
  }
  return [...warnings, ...unusedOptions(props, mechanisms)];
}

/** Up to how many pools a live lookup costs a node write no more than a few milliseconds (measured: 1 ms at 10 pools, 8 ms at 100, 86 ms at 1,000). */
const LIVE_POOLS = 50;

// core validation: MaxSecretSize, for a ConfigMap's data too
const CONFIG_MAP_LIMIT = 1024 * 1024;

/**
 * Whether the way to know the pools fits their number.
 *
 * @param elsewhere host-network pools of the same program that are declared for another cluster
 */
export function checkPoolCount(
  pools: 'live' | 'listed',
  hostNetworkPools: readonly string[],
  allPools: number,
  problems: ProblemList,
  elsewhere: readonly string[] = [],
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
  if (pools === 'live' || hostNetworkPools.length > 0) {
    return [];
  }
  const message = 'the list of host-network pools is empty, so no node gets the label';
  const others = [...elsewhere].sort().slice(0, 3).join(', ') + (elsewhere.length > 3 ? ' …' : '');
  return [
    {
      code: 'EDGE_NOT_GUARANTEED',
      path: 'pools',
      ...(elsewhere.length > 0
        ? {
            message: `${message}; pools of this app that are declared with another EdgeCluster are not in it: ${others}`,
            hint: 'use one EdgeCluster for the pools and PoolAdmission, or give both the same name',
          }
        : {
            message,
            hint: "declare HostNetworkNodePools in this app, or name pools made elsewhere: otherPools: ['beijing']",
          }),
    },
  ];
}
