import type { ProblemList } from '../errors.js';
import { type EdgeWarning, joinPath } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { apiServerFor, inClusterWarnings, withApiServer } from './in-cluster-client.js';
import { checkHostPorts, type HostPort, hostPortsOf, withHostPorts } from './host-ports.js';
import { nameOf } from '../kubernetes/object.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  valueAt,
  withChangeAt,
  withField,
} from '../validation/plain-data.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { checkTemplateMetadata, emptyTermWarnings, immutableWarnings } from './exclusion.js';
import { checkRequiredAffinity } from '../kubernetes/node-affinity.js';
import { checkShapes } from '../kubernetes/pod-spec.js';
import { findServiceNames, type HostNetworkDnsPolicy, withPodDns } from './pod-dns.js';
import { withPoolSelection, withTolerations } from './pool-selection.js';
import { requirePodTemplates } from '../kubernetes/pod-template.js';
import type { Pool } from '../pools/pool.js';
import { type Demand, demandOf, withRollout } from './rollout.js';

/** How to make a workload run on host-network pools. */
export interface HostNetworkWorkloadOptions {
  readonly podTemplatePath?: string;
  readonly dnsPolicy?: HostNetworkDnsPolicy;
  readonly apiServer?: boolean | string;
}

/**
 * One thing that was changed in a workload, and why.
 *
 * @category Run workloads on host-network nodes
 */
export interface WorkloadChange {
  /** Path in the workload. */
  readonly path: string;
  /** Why it was changed. */
  readonly why: string;
}

/** A workload that runs on host-network pools. */
export interface HostNetworkResult {
  readonly manifest: PlainMap;
  readonly changes: readonly WorkloadChange[];
  readonly warnings: readonly EdgeWarning[];
  readonly ports: readonly HostPort[];
  readonly demand: Demand;
}

/**
 * Makes a workload a good citizen of host-network pools: hostNetwork, DNS, node selection, tolerations, ports, rollout, API server address.
 * Idempotent; everything else stays as it was.
 *
 * @param workload a copy of the user's object; it is not changed
 * @param pools at least one, all of one cluster
 */
export function hostNetworkWorkload(
  cluster: EdgeCluster,
  pools: readonly Pool[],
  workload: PlainMap,
  options: HostNetworkWorkloadOptions,
  problems: ProblemList,
): HostNetworkResult | undefined {
  const found = problems.problems.length;
  const changes: WorkloadChange[] = [];
  const warnings: EdgeWarning[] = [];
  const ports: HostPort[] = [];
  const at = problems.at('workload');
  let manifest = workload;
  for (const path of requirePodTemplates(workload, options.podTemplatePath, at)) {
    const template = valueAt(workload, path) as PlainMap;
    const before = problems.problems.length;
    checkWishes(template, at.at(...path));
    if (problems.problems.length > before) {
      continue;
    }
    const podSpec = podSpecFor(cluster, pools, mapAt(template, 'spec'), path, options, problems, changes, warnings);
    ports.push(...hostPortsOf(podSpec));
    warnings.push(...emptyTermWarnings(template, path));
    manifest = withChangeAt(manifest, path, (current) => withField(current, 'spec', podSpec));
  }
  if (ports.length > 0) {
    const rollout = withRollout(manifest, expectedNodesOf(pools), at);
    manifest = rollout.object;
    changes.push(
      ...rollout.changed.map((path) => ({
        path,
        why: 'a surge Pod would wait for a port that the old Pod still holds',
      })),
    );
  }
  checkYurtAppPools(manifest, pools, at);
  warnings.push(
    ...replicaWarnings(manifest, pools),
    ...yurtAppDaemonWarnings(manifest),
    ...immutableWarnings(manifest, changes.length > 0),
  );
  if (problems.problems.length > found) {
    return undefined;
  }
  return { manifest, changes, warnings, ports, demand: demandOf(manifest) };
}

function checkWishes(template: PlainMap, problems: ProblemList): void {
  const spec = mapAt(template, 'spec');
  const at = problems.at('spec');
  checkTemplateMetadata(template, problems.at('metadata'));
  checkShapes(spec, ['nodeSelector', 'dnsConfig'], ['tolerations', 'containers', 'initContainers'], at);
  checkEnvironments(spec, at);
  if (spec.hostNetwork === false) {
    at.at('hostNetwork').add(
      'EDGE_CONTRADICTION',
      'the Pod says hostNetwork: false, and a host-network pool runs only hostNetwork Pods',
      'remove hostNetwork, or use ExcludedWorkload to keep the workload off such pools',
    );
  } else if (spec.hostNetwork !== undefined && spec.hostNetwork !== null && spec.hostNetwork !== true) {
    at.at('hostNetwork').add(
      'EDGE_TYPE',
      `hostNetwork is ${JSON.stringify(spec.hostNetwork)}`,
      'write hostNetwork: true, without quotes',
    );
  }
  if (mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === 'true') {
    problems
      .at('metadata', 'annotations', EXCLUDE_ANNOTATION)
      .add(
        'EDGE_CONTRADICTION',
        'the annotation keeps the Pod off host-network pools',
        'remove the annotation, or use ExcludedWorkload instead',
      );
  }
  const containers = spec.containers;
  if (!Array.isArray(containers) || containers.length === 0 || !containers.every(isMap)) {
    at.at('containers').add(
      'EDGE_MISSING',
      'a Pod needs at least one container',
      "write containers: [{ name: 'app', image: '…' }]",
    );
  }
  if (spec.hostUsers === false) {
    at.at('hostUsers').add(
      'EDGE_CONTRADICTION',
      'a Pod in a user namespace (hostUsers: false) can not use the host network',
      'remove hostUsers',
    );
  }
}

function checkEnvironments(spec: PlainMap, problems: ProblemList): void {
  for (const field of ['initContainers', 'containers']) {
    const containers = spec[field];
    (Array.isArray(containers) ? containers : []).forEach((container: unknown, index) => {
      if (isMap(container)) {
        checkShapes(container, [], ['env', 'ports'], problems.at(field, index));
      }
    });
  }
}

function podSpecFor(
  cluster: EdgeCluster,
  pools: readonly Pool[],
  original: PlainMap,
  templatePath: ObjectPath,
  options: HostNetworkWorkloadOptions,
  problems: ProblemList,
  changes: WorkloadChange[],
  warnings: EdgeWarning[],
): PlainMap {
  const at = problems.at('workload', ...templatePath, 'spec');
  const path = [...templatePath, 'spec'].reduce<string>(joinPath, '');
  const note = (paths: readonly string[], why: string): void => {
    changes.push(...paths.map((changed) => ({ path: changed, why })));
  };
  let podSpec = original;
  if (podSpec.hostNetwork !== true) {
    podSpec = withField(podSpec, 'hostNetwork', true);
    note([joinPath(path, 'hostNetwork')], 'the pool has no Pod network');
  }
  const dns = withPodDns(podSpec, options.dnsPolicy, path, problems);
  note(dns.changed, 'no cluster DNS is reachable on these nodes');
  warnings.push(...dns.warnings);

  const before = problems.problems.length;
  checkRequiredAffinity(dns.podSpec, at);
  const selected =
    problems.problems.length > before
      ? { podSpec: dns.podSpec, changed: [] }
      : withPoolSelection(cluster, pools, dns.podSpec, path, at);
  note(selected.changed, `runs on ${pools.map((pool) => pool.poolName).join(', ')} only`);
  const tolerant = withTolerations(pools, selected.podSpec, path);
  note(tolerant.changed, 'tolerates the taints of the pool');

  warnings.push(
    ...checkHostPorts(tolerant.podSpec, at).map((warning) => ({ ...warning, path: `${path}.${warning.path}` })),
  );
  const filled = withHostPorts(tolerant.podSpec);
  note(
    filled.changed.map((changed) => `${path}.${changed}`),
    'on the host network hostPort is containerPort; written out, every Kubernetes minor stores the same',
  );
  const reachable = withApiServer(
    filled.podSpec,
    apiServerFor(cluster, options.apiServer, problems.at('apiServer')),
    path,
  );
  note(reachable.changed, 'no kube-proxy serves the ClusterIP of the API server');
  warnings.push(
    ...inClusterWarnings(cluster, reachable.podSpec, path),
    ...findServiceNames(reachable.podSpec, cluster.clusterDomain, path),
  );
  return reachable.podSpec;
}

/** Nodes of all pools together; undefined when one of them does not say. */
export function expectedNodesOf(pools: readonly Pool[]): number | undefined {
  return pools.reduce<number | undefined>(
    (sum, pool) => (sum === undefined || pool.expectedNodes === undefined ? undefined : sum + pool.expectedNodes),
    0,
  );
}

function replicaWarnings(object: PlainMap, pools: readonly Pool[]): EdgeWarning[] {
  const demand = demandOf(object);
  // a YurtAppSet wants its replicas in each pool
  const perPool = object.kind === 'YurtAppSet';
  const nodes = perPool
    ? Math.min(...pools.map(({ expectedNodes }) => expectedNodes ?? Infinity))
    : expectedNodesOf(pools);
  if (demand === 'every node' || nodes === undefined || demand <= nodes) {
    return [];
  }
  return [
    {
      code: 'EDGE_REPLICAS',
      path:
        { Job: 'spec.parallelism', CronJob: 'spec.jobTemplate.spec.parallelism' }[String(object.kind)] ??
        'spec.replicas',
      message: `${nameOf(object)} wants ${demand} Pods, and ${pools.map((pool) => pool.poolName).join(' and ')} ${pools.length === 1 ? 'has' : 'have'} ${nodes} nodes`,
      hint: 'Pods that hold the same port need a node each: lower the number, or use a DaemonSet',
    },
  ];
}

/** The controller of YurtAppDaemon replaces nodeSelector and required affinity by those of each pool that its own selector chooses. */
function yurtAppDaemonWarnings(object: PlainMap): EdgeWarning[] {
  return object.kind !== 'YurtAppDaemon'
    ? []
    : [
        {
          code: 'EDGE_AFFINITY_DROPPED',
          path: 'spec.nodepoolSelector',
          message:
            'the controller of YurtAppDaemon drops nodeSelector and required affinity of the template and chooses pools by spec.nodepoolSelector',
          hint: 'let spec.nodepoolSelector choose host-network pools only, or use a DaemonSet',
        },
      ];
}

/**
 * The controller of YurtAppSet replaces the pool in the nodeSelector by each pool that the object names (OpenYurt 1.5 to 1.7,
 * workloadmanager/deployment_manager.go), so it must name the pools of the workload and no others.
 */
function checkYurtAppPools(object: PlainMap, pools: readonly Pool[], problems: ProblemList): void {
  if (object.kind !== 'YurtAppSet') {
    return;
  }
  const spec = mapAt(object, 'spec');
  const topology = mapAt(spec, 'topology').pools;
  const named: [path: (string | number)[], name: unknown][] = [
    ...(Array.isArray(spec.pools) ? (spec.pools as unknown[]) : []).map(
      (name, index): [(string | number)[], unknown] => [['spec', 'pools', index], name],
    ),
    ...(Array.isArray(topology) ? (topology as unknown[]) : []).map((pool, index): [(string | number)[], unknown] => [
      ['spec', 'topology', 'pools', index, 'name'],
      isMap(pool) ? pool.name : pool,
    ]),
  ];
  for (const [path, name] of named) {
    if (!pools.some(({ poolName }) => poolName === name)) {
      problems
        .at(...path)
        .add(
          'EDGE_CONTRADICTION',
          `the YurtAppSet runs on ${JSON.stringify(name)}, the workload is for ${pools.map(({ poolName }) => poolName).join(', ')}`,
          'name the same pools in both',
        );
    }
  }
}
