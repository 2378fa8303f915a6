import { inProgram } from '../validation/program-language.js';
import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { inClusterWarnings, withApiServer } from './in-cluster-client.js';
import { checkHostPorts, hostPortsOf, portTexts, takesPorts, withHostPorts } from './host-ports.js';
import type { PortClaim } from './port-claims.js';
import { readWorkload } from '../kubernetes/object-input.js';
import { compute, isUnknown, text } from '../validation/unknown.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  valueAt,
  withChangeAt,
  withField,
} from '../validation/plain-data.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import { autonomyWarnings, checkBesideAutonomy, type Tolerance, toleranceOf, withTolerance } from './autonomy.js';
import { emptyTermWarnings, fieldsBeforeUnknownTemplates } from './exclusion.js';
import { immutableWarnings } from './controller-warnings.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import { checkDnsConfig, findServiceNames, type HostNetworkDnsPolicy, withPodDns } from './pod-dns.js';
import { checkTemplate } from './host-network-template.js';
import { withPoolSelection, withTolerations } from './pool-selection.js';
import type { PodTemplatePath } from '../kubernetes/pod-places.js';
import { requirePodTemplates } from '../kubernetes/pod-template.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { checkYurtAppPools, yurtAppDaemonWarnings } from './yurt-app-checks.js';
import { checkYurtAppPatches } from './yurt-app-patches.js';
import { mostReplicas } from './yurt-app-tweaks.js';
import { rolloutWarnings } from './rollout-warnings.js';
import { type NodesAway, type Rollout, updaterWarnings, withChosenRollout, withUpdater } from './rollout.js';
import { expectedNodesOf, replicaWarnings, withRollout } from './deployment-rollout.js';
import { demandOf } from './workload-size.js';
import { withWave } from './wave.js';
import { addMisspelt, checkShape } from './workload-shape.js';

/** Options for running a workload on host-network pools. */
export interface HostNetworkWorkloadOptions {
  readonly podTemplatePath?: PodTemplatePath;
  readonly dnsPolicy?: HostNetworkDnsPolicy;
  readonly apiServer?: boolean | string;
  readonly autonomy?: Autonomy;
  readonly rollout?: Rollout;
  readonly nodesAway?: NodesAway;
  readonly wave?: number;
}

/** Options of one Pod spec. */
interface PodOptions extends HostNetworkWorkloadOptions {
  readonly tolerance: Tolerance | undefined;
}

/**
 * One change of a workload, and its reason.
 *
 * @category Run workloads on host-network nodes
 */
export interface WorkloadChange {
  /** Path of the changed field in the workload. */
  readonly path: string;
  /** Reason of the change. */
  readonly why: string;
}

/** A workload that runs on host-network pools. */
export interface HostNetworkResult {
  readonly manifest: PlainMap;
  readonly changes: readonly WorkloadChange[];
  readonly warnings: readonly EdgeWarning[];
  /** `8080/TCP`. */
  readonly ports: readonly string[];
  /** The known ports that it uses on the nodes of its pools. */
  readonly claim: Omit<PortClaim, 'workload'>;
}

/** Changed paths with one reason. */
interface Change {
  readonly paths: readonly string[];
  readonly why: string;
}

/**
 * Changes a workload so that it runs on host-network pools: hostNetwork, DNS, node selection, tolerations, ports, rollout, API server address.
 * Everything else is unchanged. Idempotent.
 *
 * @param workload a copy of the given object; it is not modified
 * @param pools at least one, all of one cluster
 */
export function hostNetworkPods(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  workload: PlainMap,
  options: HostNetworkWorkloadOptions,
  problems: ProblemList,
): HostNetworkResult | undefined {
  const blocked = fieldsBeforeUnknownTemplates(workload, options.podTemplatePath);
  if (blocked.length > 0) {
    return runLater({ cluster, pools, workload, options }, blocked);
  }
  const found = problems.problems.length;
  const changes: Change[] = [];
  const warnings: EdgeWarning[] = [];
  const podSpecs: PlainMap[] = [];
  const at = problems.at('workload');
  let manifest = workload;
  const paths = requirePodTemplates(workload, options.podTemplatePath, at);
  const kind = objectKind(workload);
  if (kind.groupKind === 'YurtStaticSet.apps.openyurt.io') {
    at.at('kind').add(
      'EDGE_VALUE',
      'a YurtStaticSet replaces static Pods, which no scheduler places',
      inProgram("write new YurtStaticSet(chart, 'agent', { … })", 'declare a YurtStaticSet'),
    );
    return undefined;
  }
  const shape = checkShape(workload, paths, at, true, kind);
  warnings.push(...shape.warnings);
  const tolerance = toleranceOf(cluster, pools, workload, options.autonomy, problems);
  const ofPods: PodOptions = { ...options, tolerance };
  for (const path of paths) {
    const template = valueAt(workload, path) as PlainMap;
    const before = problems.problems.length;
    checkTemplate(template, kind.isOfKubernetes, at.at(...path));
    const { tolerations } = mapAt(template, 'spec');
    checkBesideAutonomy(cluster, pools, workload, tolerations, at.at(...path, 'spec', 'tolerations'));
    if (problems.problems.length > before) {
      continue;
    }
    const podSpec = podSpecFor(cluster, pools, mapAt(template, 'spec'), path, ofPods, problems, changes, warnings);
    podSpecs.push(podSpec);
    warnings.push(
      ...emptyTermWarnings(mapAt(template, 'spec'), [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms']),
    );
    manifest = withChangeAt(manifest, path, (current) => withField(current, 'spec', podSpec));
  }
  const chosen = withChosenRollout(manifest, cluster, pools, options, problems);
  const ordered = withWave(chosen.object, options.wave, at);
  manifest = ordered.object;
  changes.push({ paths: chosen.changed, why: `rollout ${String(options.rollout)}, with nodes that are unreachable` });
  changes.push({ paths: ordered.changed, why: 'the order in which workloads are rolled out' });
  const taking = podSpecs.map(takesPorts);
  const takes = taking.includes(true) || compute(taking, (known) => known.includes(true));
  const rollout = withRollout(manifest, takes, expectedNodesOf(pools), at);
  manifest = rollout.object;
  changes.push({ paths: rollout.changed, why: 'a surge Pod would wait for a port that the old Pod still uses' });
  checkYurtAppPools(manifest, pools, at);
  if (problems.problems.length === found) {
    const why = (podSpec: PlainMap): string | undefined => whyOff(cluster, pools, podSpec, ofPods);
    checkYurtAppPatches(manifest, paths, { undoes: 'the placement on host-network nodes', why }, at);
  }
  const list = compute(changes, flatChanges);
  warnings.push(
    ...replicaWarnings(manifest, pools),
    ...updaterWarnings(manifest, cluster),
    ...rolloutWarnings(manifest, pools, options),
    ...autonomyWarnings(manifest, pools, options.autonomy, takes === true),
    ...yurtAppDaemonWarnings(manifest),
    ...immutableWarnings(manifest, !isUnknown(list) && list.length > 0),
  );
  if (problems.problems.length > found) {
    // a misspelt field may be the reason
    addMisspelt(shape.unknown, at);
    return undefined;
  }
  const [podSpec = {}] = podSpecs;
  const demand = demandOf(manifest);
  return {
    manifest,
    changes: list,
    warnings,
    ports: compute(podSpecs.map(portTexts), (texts) => texts.flat()),
    claim: {
      ports: podSpecs.flatMap(hostPortsOf),
      demand: demand === 'every node' ? demand : Math.max(demand, mostReplicas(manifest)),
      nodeSelector: isMap(podSpec.nodeSelector) ? podSpec.nodeSelector : {},
    },
  };
}

function flatChanges(changes: readonly Change[]): WorkloadChange[] {
  return changes.flatMap(({ paths, why }) => paths.map((path) => ({ path, why })));
}

/** Why a Pod spec that was changed later does not run as it should on the pools; undefined if it does, or if it is not known yet. */
function whyOff(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  podSpec: PlainMap,
  options: PodOptions,
): string | undefined {
  const changes: Change[] = [];
  const problems = new ProblemList();
  podSpecFor(cluster, pools, podSpec, [], options, problems, changes, []);
  const list = compute(changes, flatChanges);
  const [undone] = isUnknown(list) ? [] : neededChanges(list, [podSpec], options);
  return problems.problems[0]?.message ?? (undone === undefined ? undefined : `${undone.path} is gone, ${undone.why}`);
}

/**
 * The changes without which the Pods do not run as they should. A hostPort is what the API server would set, and with hostNetwork `ClusterFirst` is `Default`
 * (pkg/kubelet/network/dns, getPodDNSType).
 *
 * @param podSpecs as they are now
 */
export function neededChanges(
  changes: readonly WorkloadChange[],
  podSpecs: readonly PlainMap[],
  { dnsPolicy: chosen }: Pick<HostNetworkWorkloadOptions, 'dnsPolicy'>,
): readonly WorkloadChange[] {
  const isOfNode =
    chosen === undefined && podSpecs.every(({ dnsPolicy = '' }) => ['', 'ClusterFirst'].includes(dnsPolicy as string));
  return changes.filter(({ path }) => !path.endsWith('.hostPort') && !(isOfNode && path.endsWith('dnsPolicy')));
}

/** Input of a workload whose Pod templates are unknown. */
interface LaterInput {
  readonly cluster: EdgeCluster;
  readonly pools: readonly NodePoolAttributes[];
  readonly workload: PlainMap;
  readonly options: HostNetworkWorkloadOptions;
}

/** The same for a workload whose Pod templates are unknown: the top-level fields that contain them are computed later. */
function runLater(input: LaterInput, fields: readonly string[]): HostNetworkResult {
  const changed = fields.map((field): [string, unknown] => [
    field,
    compute(input, (known) => runKnown(known).manifest[field]),
  ]);
  const { workload, options } = input;
  // what becomes of the metadata depends on no template; what it contradicts is refused with the rest, later
  const updater = withUpdater(workload, options, new ProblemList());
  const { metadata } = withWave(updater.object, options.wave, new ProblemList()).object;
  return {
    manifest: { ...workload, metadata, ...Object.fromEntries(changed) },
    changes: compute(input, (known) => runKnown(known).changes),
    warnings: [],
    ports: compute(input, (known) => runKnown(known).ports),
    claim: { ports: [], demand: 0, nodeSelector: {} },
  };
}

/** The same for a workload that was unknown as a whole, as an object or as text. */
export function runKnown({
  cluster,
  pools,
  workload: input,
  options,
}: Omit<LaterInput, 'workload'> & { readonly workload: unknown }): HostNetworkResult {
  const problems = new ProblemList();
  const workload = readWorkload(input, problems);
  const result = workload === undefined ? undefined : hostNetworkPods(cluster, pools, workload, options, problems);
  problems.throwIfAny('the workload');
  return result as HostNetworkResult;
}

function podSpecFor(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  original: PlainMap,
  templatePath: ObjectPath,
  options: PodOptions,
  problems: ProblemList,
  changes: Change[],
  warnings: EdgeWarning[],
): PlainMap {
  const at = problems.at('workload', ...templatePath, 'spec');
  const path = [...templatePath, 'spec'].reduce<string>(joinPath, '');
  const note = (paths: readonly string[], why: string): void => {
    changes.push({ paths, why });
  };
  let podSpec = original;
  if (podSpec.hostNetwork !== true) {
    podSpec = withField(podSpec, 'hostNetwork', true);
    const at = joinPath(path, 'hostNetwork');
    note(
      compute(original.hostNetwork, (written) => (written === true ? [] : [at])),
      'the pool has no Pod network',
    );
  }
  const dns = withPodDns(podSpec, options.dnsPolicy, path, problems, at);
  note(dns.changed, 'no cluster DNS is reachable on these nodes');
  warnings.push(...dns.warnings);

  const before = problems.problems.length;
  checkDnsConfig(podSpec.dnsConfig, at.at('dnsConfig'));
  checkSchedulingFields(dns.podSpec, at);
  const selected =
    problems.problems.length > before
      ? { podSpec: dns.podSpec, changed: [] }
      : withPoolSelection(cluster, pools, dns.podSpec, path, at);
  const names = compute(
    pools.map((pool) => pool.poolName),
    (known) => known.join(', '),
  );
  note(selected.changed, text`runs on ${names} only`);
  const ofPools = withTolerations(pools, selected.podSpec, path);
  note(ofPools.changed, 'tolerates the taints of the pool');
  const tolerant = withTolerance(options.tolerance, ofPools.podSpec, path, at);
  note(tolerant.changed, `stays on a node that lost its network: autonomy ${String(options.tolerance?.autonomy)}`);

  warnings.push(
    ...checkHostPorts(tolerant.podSpec, at).map((warning) => ({ ...warning, path: `${path}.${warning.path}` })),
  );
  const filled = withHostPorts(tolerant.podSpec);
  note(
    compute(filled.changed, (paths) => paths.map((steps) => steps.reduce<string>(joinPath, path))),
    'with hostNetwork, hostPort equals containerPort; set explicitly, every Kubernetes minor stores the same object',
  );
  const reachable = withApiServer(filled.podSpec, cluster, options.apiServer);
  note(
    compute(reachable.changed, (paths) => paths.map((steps) => steps.reduce<string>(joinPath, path))),
    'the ClusterIP of the API server is not reachable without kube-proxy',
  );
  warnings.push(
    ...inClusterWarnings(cluster, reachable.podSpec, path),
    ...findServiceNames(reachable.podSpec, cluster.clusterDomain, path),
  );
  return reachable.podSpec;
}
