import { type EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type HostNetworkResult, hostNetworkWorkload, type WorkloadChange } from './host-network-pods.js';
import { showPort } from './host-ports.js';
import { nameOf } from '../kubernetes/object.js';
import { mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import type { HostNetworkDnsPolicy } from './pod-dns.js';
import { checkTemplatePath, podTemplatePaths } from '../kubernetes/pod-template.js';
import type { Pool } from '../pools/pool.js';
import { checkKnownProperties, checkOneOf } from '../validation/properties.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { compareClaims, nodeSelectorOf, type PortClaim } from './port-claims.js';
import type { Declaration, Fleet } from '../cluster/fleet.js';

/**
 * What a {@link HostNetworkWorkload} can be told, besides its pools.
 *
 * @category Run workloads on host-network nodes
 */
export interface HostNetworkWorkloadSettings {
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadInput;
  /** Where the Pod template is, for kinds that this library does not know, for example `spec.template`.
   * @default - known for Pod, Deployment, DaemonSet, StatefulSet, ReplicaSet, Job, CronJob, YurtAppSet and more */
  readonly podTemplatePath?: string;
  /** The Pods' dnsPolicy.
   * @default - None if the template says so, else Default (the node's resolv.conf) */
  readonly dnsPolicy?: HostNetworkDnsPolicy;
  /** Tell in-cluster clients where the API server is (environment variables KUBERNETES_SERVICE_HOST and _PORT), since no kube-proxy serves its
   * ClusterIP: `true` for the cluster's `apiServer`, or `host:port`.
   * @default false */
  readonly apiServer?: boolean | string;
  /** What to do when another workload takes the same port of the same pool: refuse it, or only warn, if something that is not looked at (such as
   * node affinity) keeps the two on different nodes.
   * @default error */
  readonly portConflicts?: 'error' | 'warn';
}

/** What a host-network workload is made from. */
export interface HostNetworkWorkloadInput extends HostNetworkWorkloadSettings {
  readonly pool?: Pool;
  readonly pools?: readonly Pool[];
}

/** A workload that runs on host-network pools. */
export interface HostNetworkWorkloadPlan {
  readonly cluster: EdgeCluster;
  readonly manifest: PlainMap;
  readonly changes: readonly WorkloadChange[];
  /** `8080/TCP`. */
  readonly ports: readonly string[];
  readonly warnings: readonly EdgeWarning[];
}

const PROPERTIES = ['pool', 'pools', 'workload', 'podTemplatePath', 'dnsPolicy', 'apiServer', 'portConflicts'];

/**
 * Plans a workload on host-network pools.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planHostNetworkWorkload(
  props: HostNetworkWorkloadInput,
  declaration: Declaration,
): HostNetworkWorkloadPlan {
  props ??= {} as HostNetworkWorkloadInput;
  const problems = new ProblemList();
  checkKnownProperties(props, PROPERTIES, problems);
  checkTemplatePath(props.podTemplatePath, problems.at('podTemplatePath'));
  checkOneOf(props.portConflicts, ['error', 'warn'], problems.at('portConflicts'));
  const pools = poolsOf(props, problems);
  const workload = readWorkload(props.workload, problems.at('workload'));
  const cluster = pools[0]?.cluster;
  let result: HostNetworkResult | undefined;
  const warnings: EdgeWarning[] = [];
  if (cluster !== undefined && workload !== undefined && problems.problems.length === 0) {
    result = hostNetworkWorkload(cluster, pools, workload, props, problems);
    if (result !== undefined) {
      const [path = []] = podTemplatePaths(result.manifest, props.podTemplatePath);
      const claim: PortClaim = {
        workload: `${nameOf(result.manifest)} (${declaration.path})`,
        ports: result.ports,
        demand: result.demand,
        nodeSelector: nodeSelectorOf(mapAt(valueAt(result.manifest, path) as PlainMap, 'spec')),
      };
      claimPorts(claim, declaration.fleets.of(cluster), pools, props, problems, warnings);
    }
  }
  problems.throwIfAny(`HostNetworkWorkload ${declaration.path}`);
  const { manifest, changes, ports, warnings: found } = result as HostNetworkResult;
  return {
    cluster: cluster as EdgeCluster,
    manifest,
    changes,
    ports: ports.map(showPort),
    warnings: [...found, ...warnings],
  };
}

/** Two workloads on one port of one pool: refused when they can not both run, whichever was declared first. */
function claimPorts(
  claim: PortClaim,
  { claims }: Fleet,
  pools: readonly Pool[],
  props: HostNetworkWorkloadInput,
  problems: ProblemList,
  warnings: EdgeWarning[],
): void {
  const keys = pools.flatMap((pool) =>
    [...new Set(claim.ports.map(({ port }) => port))].map((port) => ({ pool, key: `${pool.poolName}:${port}` })),
  );
  for (const { pool, key } of keys) {
    for (const other of claims.get(key) ?? []) {
      const verdict = compareClaims(claim, other, pool.expectedNodes);
      if (verdict.kind === 'free') {
        continue;
      }
      const message = `port ${verdict.port} on the pool ${pool.poolName} is also taken by ${other.workload}`;
      if (verdict.kind === 'conflict' && props.portConflicts !== 'warn') {
        problems.at('workload').add('EDGE_PORT_CONFLICT', message, remedyFor(claim, other, pool));
      } else {
        warnings.push({
          code: 'EDGE_PORT_CONFLICT',
          path: 'workload',
          message,
          hint: 'they fit only while no node runs both: give one of them another port',
        });
      }
    }
  }
  if (problems.problems.length === 0) {
    keys.forEach(({ key }) => claims.set(key, [...(claims.get(key) ?? []), claim]));
  }
}

function remedyFor(a: PortClaim, b: PortClaim, pool: Pool): string {
  const mayFit = a.demand !== 'every node' && b.demand !== 'every node' && pool.expectedNodes === undefined;
  return [
    'give one of them another port or another pool',
    ...(mayFit ? ['say expectedNodes on the pool if there is a node for each Pod'] : []),
    "write portConflicts: 'warn' if something else keeps them on different nodes",
  ].join(', or ');
}

function poolsOf(props: HostNetworkWorkloadInput, problems: ProblemList): Pool[] {
  const { pool, pools } = props;
  if ((pool === undefined) === (pools === undefined)) {
    problems
      .at('pool')
      .add(
        pool === undefined ? 'EDGE_MISSING' : 'EDGE_CONTRADICTION',
        pool === undefined ? 'there is no pool' : 'pool and pools are both given',
        'write pool: beijing, or pools: [beijing, hangzhou]',
      );
    return [];
  }
  const list = pools ?? [pool];
  if (!Array.isArray(list) || list.length === 0) {
    problems.at('pools').add('EDGE_MISSING', 'pools is not a list with at least one pool', 'write pools: [beijing]');
    return [];
  }
  list.forEach((candidate: Pool | undefined, index) => {
    const at = pools === undefined ? problems.at('pool') : problems.at('pools', index);
    if (candidate?.poolName === undefined || candidate.cluster === undefined || !Array.isArray(candidate.taints)) {
      at.add(
        'EDGE_TYPE',
        'this is not a pool',
        'give a HostNetworkNodePool, or HostNetworkNodePool.fromPoolName(…) for one that is made elsewhere',
      );
    } else if (!candidate.hostNetwork) {
      at.add(
        'EDGE_CONTRADICTION',
        `${candidate.poolName} is an ordinary pool`,
        'give a HostNetworkNodePool; on an ordinary pool a workload needs none of this',
      );
    } else if (list[0] !== undefined && candidate.cluster.identity() !== list[0].cluster.identity()) {
      at.add(
        'EDGE_CONTRADICTION',
        `${candidate.poolName} is in another cluster (${clusterText(candidate)}) than ${list[0].poolName} (${clusterText(list[0])})`,
        'make one HostNetworkWorkload per cluster',
      );
    } else if (list.findIndex((other) => other?.poolName === candidate.poolName) !== index) {
      at.add('EDGE_DUPLICATE', `${candidate.poolName} is named twice`, 'name each pool once');
    }
  });
  return list.filter((candidate): candidate is Pool => candidate !== undefined);
}

function clusterText({ cluster }: Pool): string {
  return cluster.name ?? cluster.toString();
}
