import { ProblemList, type EdgeWarning, joinPath } from '../base/errors.js';
import { checkShapes, isAbsent, itemsOf } from '../kubernetes/field-values.js';
import { EXCLUDE_ANNOTATION, SYNC_WAVE_ANNOTATION, WAVE_LABEL } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap, type ObjectPath, valueAt, withChangeAt, withField } from '../base/plain-data.js';
import { checkTemplateMetadata, emptyTermWarnings, fieldsBeforeUnknownTemplates } from './exclusion.js';
import { type Changed, withMetadata } from '../kubernetes/object-checks.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { compute, holdsUnknown, isUnknown, text } from '../base/unknown.js';
import { type CompletedContainers, CONTAINER_FIELDS, withCompletedContainers } from './containers.js';
import { quoted } from '../base/properties.js';
import { inProgram } from '../base/program-language.js';
import { checkHostPorts, hostPortsOf, portTexts, takesPorts, withHostPorts, type PortClaim } from './host-ports.js';
import { readWorkload } from '../kubernetes/object-input.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import { autonomyWarnings, checkBesideAutonomy, type Tolerance, toleranceOf, withTolerance } from './autonomy.js';
import { immutableWarnings } from './controller-warnings.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import { checkDnsConfig, findServiceNames, type HostNetworkDnsPolicy, withPodDns } from './pod-dns.js';
import { withPoolSelection, withTolerations } from './pool-selection.js';
import { type PodTemplatePath, requirePodTemplates } from '../kubernetes/pod-places.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { checkYurtAppPools, yurtAppDaemonWarnings, checkYurtAppPatches, mostReplicas } from './yurt-app.js';
import {
  rolloutWarnings,
  type NodesAway,
  type Rollout,
  updaterWarnings,
  withChosenRollout,
  withUpdater,
  expectedNodesOf,
  replicaWarnings,
  withRollout,
} from './rollout.js';
import { demandOf } from './workload-size.js';
import { addMisspelt, checkShape } from './workload-shape.js';

/** Checks a Pod template for host-network pools: what contradicts them, and what this library reads. */
function checkTemplate(template: PlainMap, hasCheckedContainers: boolean, problems: ProblemList): void {
  const spec = mapAt(template, 'spec');
  const at = problems.at('spec');
  checkTemplateMetadata(template, problems.at('metadata'));
  checkShapes(spec, ['nodeSelector', 'dnsConfig'], ['tolerations', 'containers', 'initContainers'], at);
  checkEnvironments(spec, at);
  if (spec.hostNetwork === false) {
    at.at('hostNetwork').add(
      'EDGE_CONTRADICTION',
      'conflicting settings: the Pod has hostNetwork: false, and a host-network pool runs only hostNetwork Pods',
      'remove hostNetwork, or use ExcludedWorkload to exclude the workload from such pools',
    );
  } else if (spec.hostNetwork !== undefined && spec.hostNetwork !== null && spec.hostNetwork !== true) {
    at.at('hostNetwork').add(
      'EDGE_TYPE',
      `hostNetwork must be true, this is ${JSON.stringify(spec.hostNetwork)}`,
      'write hostNetwork: true, without quotes',
    );
  }
  if (mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === 'true') {
    const message = 'conflicting scheduling constraints: the annotation excludes the Pod from host-network pools';
    const hint = 'remove the annotation, or use ExcludedWorkload instead';
    problems.at('metadata', 'annotations', EXCLUDE_ANNOTATION).add('EDGE_CONTRADICTION', message, hint);
  }
  const containers = spec.containers;
  const isMissing = isAbsent(containers) || (Array.isArray(containers) && containers.length === 0);
  if (isMissing ? !hasCheckedContainers : !Array.isArray(containers) || !containers.every(isMap)) {
    at.at('containers').add(
      'EDGE_MISSING',
      'at least one container is required',
      "write containers: [{ name: 'app', image: '…' }]",
    );
  }
  if (spec.hostUsers === false) {
    at.at('hostUsers').add(
      'EDGE_CONTRADICTION',
      'a Pod in a user namespace (hostUsers: false) cannot use the host network',
      'remove hostUsers',
    );
  }
}

function checkEnvironments(spec: PlainMap, problems: ProblemList): void {
  for (const field of ['initContainers', 'containers']) {
    const containers = spec[field];
    itemsOf(containers).forEach((container: unknown, index) => {
      if (isMap(container)) {
        checkShapes(container, [], ['env', 'ports'], problems.at(field, index));
      }
    });
  }
}

/** Writes the place of a workload in the order of rollouts on the object, not into its Pods: another place does not replace them. */
function withWave(object: PlainMap, wave: number | undefined, problems: ProblemList): Changed {
  if (wave === undefined) {
    return { object, changed: [] };
  }
  const labelled = withMetadata(object, 'labels', { [WAVE_LABEL]: String(wave) }, problems);
  const noted = withMetadata(labelled.object, 'annotations', { [SYNC_WAVE_ANNOTATION]: String(wave) }, problems);
  return { object: noted.object, changed: [...labelled.changed, ...noted.changed] };
}

const HOST = 'KUBERNETES_SERVICE_HOST';
const PORT = 'KUBERNETES_SERVICE_PORT';

/** Checks the address of the API server for in-cluster clients: `true` for `apiServer` of the cluster, or `host:port`. */
export function checkApiServer(cluster: EdgeCluster | undefined, wanted: unknown, problems: ProblemList): void {
  if (wanted === undefined || wanted === false) {
    return;
  }
  if (wanted === true) {
    if (cluster !== undefined && cluster.apiServer === undefined) {
      problems.add(
        'EDGE_API_SERVER',
        'the cluster has no apiServer',
        "write apiServer: '10.0.0.1:6443' in the cluster, or the address here",
      );
    }
  } else if (typeof wanted !== 'string' || parseEndpoint(wanted) === undefined) {
    problems.add(
      'EDGE_API_SERVER',
      `${quoted(wanted)} is not host:port`,
      "write true, or '10.0.0.1:6443' (no scheme, no path; IPv6 in brackets)",
    );
  }
}

/** Host or port of the API server address for in-cluster clients. */
function addressPart(cluster: EdgeCluster, wanted: boolean | string, part: 'host' | 'port'): string {
  return compute(
    { cluster, wanted },
    (known) => {
      const endpoint = known.wanted === true ? known.cluster.apiServerEndpoint() : parseEndpoint(String(known.wanted));
      return String(endpoint?.[part]);
    },
    [wanted, wanted === true && cluster.apiServer],
  );
}

function eachContainer(
  podSpec: PlainMap,
): { readonly field: string; readonly index: number; readonly container: PlainMap }[] {
  return CONTAINER_FIELDS.flatMap((field) => {
    const list = podSpec[field];
    return itemsOf(list).flatMap((container: unknown, index) =>
      isMap(container) ? [{ field, index, container }] : [],
    );
  });
}

function envOf(container: { readonly env?: unknown }): PlainMap[] {
  return Array.isArray(container.env) ? container.env.filter(isMap) : [];
}

function setsHost(container: { readonly env?: unknown }): boolean {
  return envOf(container).some((variable) => variable.name === HOST);
}

/**
 * Sets the address of the API server for in-cluster clients. Kubelet injects the ClusterIP of default/kubernetes, which is not reachable on a node
 * without kube-proxy; an explicit variable wins over the injected one. Containers that set the host themselves are skipped.
 *
 * @param wanted `true` for `apiServer` of the cluster, or `host:port`
 */
function withApiServer(
  podSpec: PlainMap,
  cluster: EdgeCluster,
  wanted: boolean | string | undefined,
): CompletedContainers {
  if (wanted === undefined || wanted === false) {
    return { podSpec, changed: [] };
  }
  return withCompletedContainers(podSpec, { cluster, wanted }, (container, settings) => {
    const { env } = container;
    const input = { env, ...settings };
    const reads = [namesIn(env), isUnknown(settings.wanted) && settings.wanted];
    const completed = compute(input, withVariables, reads);
    return {
      container: completed === env ? container : { ...container, env: completed },
      changed: compute(input, (known) => (isSet(known) ? [['env']] : []), reads),
    };
  });
}

/** What the variables of a container are made from. */
interface VariablesInput {
  readonly env: unknown;
  readonly cluster: EdgeCluster;
  readonly wanted: boolean | string;
}

/** Whether the address is set in a container: not where it sets the host itself. */
function isSet({ env, wanted }: Pick<VariablesInput, 'env' | 'wanted'>): boolean {
  return wanted !== false && !setsHost({ env });
}

/** The environment variables of a container, with the address added. */
function withVariables({ env, cluster, wanted }: VariablesInput): unknown {
  const own = itemsOf(env).filter((variable) => !(isMap(variable) && variable.name === PORT));
  return isSet({ env, wanted })
    ? [
        ...own,
        { name: HOST, value: addressPart(cluster, wanted, 'host') },
        { name: PORT, value: addressPart(cluster, wanted, 'port') },
      ]
    : env;
}

/** The parts of a container's environment variables that are read: their names. */
function namesIn(env: unknown): unknown {
  return Array.isArray(env)
    ? (env as unknown[]).map((variable) => (isMap(variable) ? variable.name : variable))
    : isUnknown(env) && env;
}

/** Warns if in-cluster clients of a Pod cannot reach the API server. */
function inClusterWarnings(cluster: EdgeCluster, podSpec: PlainMap, path: string): EdgeWarning[] {
  const mountsToken = podSpec.automountServiceAccountToken !== false;
  const unset = eachContainer(podSpec).filter(({ field, container }) => field === 'containers' && !setsHost(container));
  const isUndecided = holdsUnknown([
    CONTAINER_FIELDS.map((field) => podSpec[field]).map((list) =>
      Array.isArray(list) ? list.filter(isUnknown) : list,
    ),
    cluster.yurthub,
    podSpec.automountServiceAccountToken,
    eachContainer(podSpec).map(({ container }) => namesIn(container.env)),
  ]);
  if (isUndecided || !mountsToken || unset.length === 0 || cluster.yurthub === true) {
    return [];
  }
  return [
    {
      code: 'EDGE_API_SERVER',
      path,
      message: `a service account token is mounted, and in-cluster clients connect to the ClusterIP of kubernetes.default, which ${cluster.yurthub === false ? 'is not reachable' : 'is reachable only through yurthub'} on a node without kube-proxy`,
      hint: 'write apiServer: true (sets KUBERNETES_SERVICE_HOST), or automountServiceAccountToken: false if it needs no API server, or yurthub: true in the cluster',
    },
  ];
}

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
