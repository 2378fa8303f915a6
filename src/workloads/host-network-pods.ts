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
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { checkTemplateMetadata, emptyTermWarnings, fieldsBeforeUnknownTemplates } from './exclusion.js';
import { immutableWarnings } from './controller-warnings.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { checkShapes } from '../kubernetes/pod-spec.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { checkSchedulingFields } from '../kubernetes/scheduling-fields.js';
import { checkDnsConfig, findServiceNames, type HostNetworkDnsPolicy, withPodDns } from './pod-dns.js';
import { withPoolSelection, withTolerations } from './pool-selection.js';
import type { PodTemplatePath } from '../kubernetes/pod-places.js';
import { requirePodTemplates } from '../kubernetes/pod-template.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { checkYurtAppPools, yurtAppDaemonWarnings } from './yurt-app.js';
import { checkYurtAppPatches } from './yurt-app-patches.js';
import { demandOf, expectedNodesOf, replicaWarnings, withRollout } from './rollout.js';
import { checkShape, explainByFields, shapeWarnings } from './workload-shape.js';

/** Options for running a workload on host-network pools. */
export interface HostNetworkWorkloadOptions {
  readonly podTemplatePath?: PodTemplatePath;
  readonly dnsPolicy?: HostNetworkDnsPolicy;
  readonly apiServer?: boolean | string;
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
  checkShape(workload, paths, at, true, kind);
  warnings.push(...shapeWarnings(workload, paths, true, kind));
  for (const path of paths) {
    const template = valueAt(workload, path) as PlainMap;
    const before = problems.problems.length;
    checkTemplate(template, kind.isOfKubernetes, at.at(...path));
    if (problems.problems.length > before) {
      continue;
    }
    const podSpec = podSpecFor(cluster, pools, mapAt(template, 'spec'), path, options, problems, changes, warnings);
    podSpecs.push(podSpec);
    warnings.push(
      ...emptyTermWarnings(mapAt(template, 'spec'), [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms']),
    );
    manifest = withChangeAt(manifest, path, (current) => withField(current, 'spec', podSpec));
  }
  const taking = podSpecs.map(takesPorts);
  const takes = taking.includes(true) || compute(taking, (known) => known.includes(true));
  const rollout = withRollout(manifest, takes, expectedNodesOf(pools), at);
  manifest = rollout.object;
  changes.push({ paths: rollout.changed, why: 'a surge Pod would wait for a port that the old Pod still uses' });
  checkYurtAppPools(manifest, pools, at);
  if (problems.problems.length === found) {
    const why = (podSpec: PlainMap): string | undefined => whyOff(cluster, pools, podSpec, options);
    checkYurtAppPatches(manifest, paths, { undoes: 'the placement on host-network nodes', why }, at);
  }
  const list = compute(changes, flatChanges);
  warnings.push(
    ...replicaWarnings(manifest, pools),
    ...yurtAppDaemonWarnings(manifest),
    ...immutableWarnings(manifest, !isUnknown(list) && list.length > 0),
  );
  if (problems.problems.length > found) {
    explainByFields(workload, paths, at, kind);
    return undefined;
  }
  const [podSpec = {}] = podSpecs;
  return {
    manifest,
    changes: list,
    warnings,
    ports: compute(podSpecs.map(portTexts), (texts) => texts.flat()),
    claim: {
      ports: podSpecs.flatMap(hostPortsOf),
      demand: demandOf(manifest),
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
  options: HostNetworkWorkloadOptions,
): string | undefined {
  const changes: Change[] = [];
  const problems = new ProblemList();
  podSpecFor(cluster, pools, podSpec, [], options, problems, changes, []);
  const list = compute(changes, flatChanges);
  const [undone] = isUnknown(list) ? [] : neededChanges(list);
  return problems.problems[0]?.message ?? (undone === undefined ? undefined : `${undone.path} is gone, ${undone.why}`);
}

/** The changes without which the Pods do not run as they should. A hostPort is what the API server would set. */
export function neededChanges(changes: readonly WorkloadChange[]): readonly WorkloadChange[] {
  return changes.filter(({ path }) => !path.endsWith('.hostPort'));
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
  return {
    manifest: { ...input.workload, ...Object.fromEntries(changed) },
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
    problems
      .at('metadata', 'annotations', EXCLUDE_ANNOTATION)
      .add(
        'EDGE_CONTRADICTION',
        'conflicting scheduling constraints: the annotation excludes the Pod from host-network pools',
        'remove the annotation, or use ExcludedWorkload instead',
      );
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
    (Array.isArray(containers) ? containers : []).forEach((container: unknown, index) => {
      if (isMap(container)) {
        checkShapes(container, [], ['env', 'ports'], problems.at(field, index));
      }
    });
  }
}

function podSpecFor(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  original: PlainMap,
  templatePath: ObjectPath,
  options: HostNetworkWorkloadOptions,
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
  const tolerant = withTolerations(pools, selected.podSpec, path);
  note(tolerant.changed, 'tolerates the taints of the pool');

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
