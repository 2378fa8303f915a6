import { isAbsent, itemsOf } from '../kubernetes/field-values.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { declarePoolWorkload } from '../cluster/declared-workloads.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { type Autonomy, checkAutonomy } from '../kubernetes/autonomy.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { podPlaces, podSpecAt, checkTemplatePath } from '../kubernetes/pod-places.js';
import { declaredNodePools } from '../pools/declared-pools.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  oneOf,
  plain,
  type PropertyTable,
  MUST_BE_PLAIN,
  wholeNumber,
} from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import { checkNodesAway, type NodesAway, type Rollout, ROLLOUTS } from './rollout.js';
import { claimPorts, namedPorts } from './host-ports.js';
import { readsWorkload, textOfName } from './exclusion.js';
import { checkDeclaredWorkload } from './workload-shape.js';
import {
  type HostNetworkResult,
  hostNetworkPods,
  type HostNetworkWorkloadOptions,
  neededChanges,
  runKnown,
  type WorkloadChange,
  checkApiServer,
} from './host-network-pods.js';
import { checkDnsPolicy } from './pod-dns.js';
import { demandOf } from './workload-size.js';
import { checkStatefulYurtAppSet, checkYurtAppTweaks, tweakWarnings } from './yurt-app.js';
import { inProgram } from '../base/program-language.js';

/**
 * How Pods run on host-network pools.
 *
 * @category Run workloads on host-network nodes
 */
export interface HostNetworkPodsProps {
  /** The Pods' dnsPolicy.
   * @default - None if the template has None, otherwise Default (the node's resolv.conf) */
  readonly dnsPolicy?: 'Default' | 'None' | 'ClusterFirstWithHostNet';
  /** Set the address of the API server for in-cluster clients (environment variables KUBERNETES_SERVICE_HOST and _PORT), because its ClusterIP is not
   * reachable without kube-proxy: `true` for `apiServer` of the cluster, or `host:port`.
   * @default false */
  readonly apiServer?: boolean | string;
  /** What to do if another workload uses the same port on the same pool: fail, or only warn, if something that is not checked (such as node affinity)
   * separates the two.
   * @default error */
  readonly portConflicts?: 'error' | 'warn';
  /** How long its Pods stay on a node that lost its network, by tolerations in its template. Not beside the autonomy of a pool with OpenYurt.
   * @default - without OpenYurt that of its pools, else 5 minutes, and forever in a DaemonSet */
  readonly autonomy?: Autonomy;
  /** How Pods are updated. `rolling`: by the controller, with a `maxUnavailable` above the nodes that may be away. Of a DaemonSet also `on-delete`, and with
   * OpenYurt `ota` (a Pod is replaced when somebody on the site asks for it) and `advanced-rolling` (nodes that are not Ready do not count).
   * @default - as the workload says */
  readonly rollout?: Rollout;
  /** Nodes that may be away during a rollout: a number, or a share of `expectedNodes`. For `advanced-rolling` Pods that are replaced at once.
   * @default 10% */
  readonly nodesAway?: NodesAway;
  /** Its place in the order of rollouts, canaries first: label `edge-nodepools/wave`, and annotation `argocd.argoproj.io/sync-wave`.
   * @default - none */
  readonly wave?: number;
  /** The pool on which the workload runs. Either this or `pools`.
   * @default - the pools of `pools` */
  readonly pool?: NodePoolAttributes & { readonly hostNetwork: true };
  /** The pools on which the workload runs, all of one cluster. Either this or `pool`.
   * @default - the one of `pool` */
  readonly pools?: readonly (NodePoolAttributes & { readonly hostNetwork: true })[];
}

/**
 * Properties of a {@link HostNetworkWorkload}.
 *
 * @category Run workloads on host-network nodes
 */
export interface HostNetworkWorkloadProps extends HostNetworkPodsProps {
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadInput;
  /** Path of the Pod template, or paths, for kinds that this library does not know, for example `spec.template`.
   * @default - known for the kinds of Kubernetes and OpenYurt, and for those of well-known operators (docs/workload-kinds.md) */
  readonly podTemplatePath?: string | readonly string[];
}

/** Attributes of a host-network workload. */
export interface HostNetworkWorkloadAttributes {
  readonly manifest: KubernetesObject;
  readonly changes: readonly WorkloadChange[];
  /** `8080/TCP`. */
  readonly ports: readonly string[];
  readonly warnings: readonly EdgeWarning[];
  /** `127.0.0.1:8080`, by the name or number of a port, for a workload on these pools. */
  readonly address: (port: unknown, from: unknown) => string;
}

/** Where what is written beside the workload belongs. */
const ADVICE: Readonly<Record<string, string>> = {
  cluster: 'leave it out: it is that of the pool',
  name: 'write it in metadata of the workload',
  namespace: 'write it in metadata of the workload',
  replicas: 'write it in spec of the workload',
  ports: 'write them in the containers of the workload',
  hostNetwork: 'leave it out: every HostNetworkWorkload has it',
  nodeSelector: 'leave it out: it is that of the pool',
  tolerations: 'leave them out: the workload gets those of the pool; others belong in its Pod template',
};

/** A pool is plain, what it answers may be unknown. */
function checkIsPlain(value: unknown, problems: ProblemList): void {
  if (isUnknown(value)) {
    problems.add(
      'EDGE_KNOWN_LATER',
      MUST_BE_PLAIN.message,
      'give the pool itself, in place of its name or of another of its outputs',
    );
  }
}

/** What HostNetworkWorkload and YurtAppSet have in common. */
export const HOST_NETWORK_PODS: PropertyTable<HostNetworkPodsProps> = {
  pool: checkIsPlain,
  pools: (pools, problems) => {
    checkIsPlain(pools, problems);
    itemsOf(pools).forEach((pool: unknown, index) => checkIsPlain(pool, problems.at(index)));
  },
  dnsPolicy: checkDnsPolicy,
  apiServer: checkedElsewhere,
  portConflicts: plain(oneOf('error', 'warn')),
  autonomy: plain(checkAutonomy),
  rollout: plain(oneOf(...ROLLOUTS)),
  nodesAway: plain(checkNodesAway),
  wave: plain(wholeNumber(0)),
};

const PROPERTIES: PropertyTable<HostNetworkWorkloadProps> = {
  ...HOST_NETWORK_PODS,
  workload: checkedElsewhere,
  podTemplatePath: plain(checkTemplatePath),
};

/**
 * Plans a workload on host-network pools.
 *
 * @param own checks of properties that only the component has
 * @throws {@link EdgeError} with all problems at once
 */
export function planHostNetworkWorkload(
  props: HostNetworkWorkloadProps,
  scope: Scope,
  own: Readonly<Record<string, Check>> = {},
): Plan<HostNetworkWorkloadAttributes> {
  const problems = problemsOf(scope);
  const given = props ?? {};
  checkProperties(given, { ...PROPERTIES, ...own }, problems, ADVICE);
  const pools = poolsOf(given, 'HostNetworkWorkload', problems);
  const { workload: input, podTemplatePath, dnsPolicy, apiServer, autonomy, rollout, nodesAway, wave } = given;
  const options = { podTemplatePath, dnsPolicy, apiServer, autonomy, rollout, nodesAway, wave };
  const workload = isUnknown(input) ? input : readWorkload(input, problems.at('workload'));
  const cluster = pools[0]?.cluster as EdgeCluster;
  checkApiServer(cluster, apiServer, problems.at('apiServer'));
  let result: HostNetworkResult | undefined;
  const warnings: EdgeWarning[] = [];
  if (workload !== undefined && problems.problems.length === 0) {
    if (isUnknown(workload)) {
      const later = { cluster, pools, workload: workload as unknown, options };
      result = {
        manifest: compute(later, (known) => runKnown(known).manifest),
        changes: compute(later, (known) => runKnown(known).changes),
        ports: compute(later, (known) => runKnown(known).ports),
        warnings: [],
        claim: { ports: [], demand: 0, nodeSelector: {} },
      };
    } else {
      checkDeclaredWorkload(cluster, workload, problems.at('workload'));
      const nodePools = declaredNodePools(scope, cluster);
      checkYurtAppTweaks(workload, pools, nodePools, problems.at('workload'));
      warnings.push(
        ...tweakWarnings(workload, pools, nodePools),
        ...checkStatefulYurtAppSet(workload, cluster, problems.at('workload')),
      );
      result = hostNetworkPods(cluster, pools, workload, options, problems);
    }
    if (result !== undefined) {
      const name = isUnknown(result.manifest) ? 'a workload' : textOfName(result.manifest);
      declarePoolWorkload(cluster, result.manifest, name, scope);
      const claim = { ...result.claim, workload: `${name} (${scope.path})`, owner: scope.owner };
      claimPorts(
        [{ claim, at: problems.at('workload') }],
        { pools, portConflicts: given.portConflicts },
        scope,
        warnings,
      );
    }
  }
  const subject = `HostNetworkWorkload ${scope.path}`;
  problems.throwIfAny(subject);
  const { manifest, changes, ports, warnings: found } = result as HostNetworkResult;
  const object = manifest as KubernetesObject;
  const all = [...found.map(readsWorkload), ...warnings];
  return {
    subject,
    objects: [
      {
        object,
        apply: 'create',
        skipExclusion: 'runs on a host-network pool (HostNetworkWorkload)',
        check: (written, list) => checkStillOnPools(cluster, pools, written, found, list, options),
      },
    ],
    cluster,
    attributes: {
      manifest: object,
      changes,
      ports,
      warnings: all,
      address: (port, from) => addressOf({ subject, manifest: object, pools, podTemplatePath }, port, from),
    },
    warnings: all,
    artifacts: [],
  };
}

/** A workload that others on its nodes connect to. */
interface Listening extends Pick<HostNetworkWorkloadOptions, 'podTemplatePath'> {
  readonly subject: string;
  readonly manifest: PlainMap;
  readonly pools: readonly NodePoolAttributes[];
}

/**
 * The address at which Pods on the same node reach a port of a workload, if it has a Pod on every node of their pools.
 *
 * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_CONTRADICTION, EDGE_REPLICAS or EDGE_PORT
 */
function addressOf({ subject, manifest, pools, podTemplatePath }: Listening, port: unknown, from: unknown): string {
  const problems = new ProblemList();
  const users = (isPool(from) ? [from] : itemsOf(from)) as readonly NodePoolAttributes[];
  if (users.length === 0 || !users.every(isPool)) {
    const message = 'the pool of the workload that connects is required';
    problems.at('from').add('EDGE_MISSING', message, "write address('metrics', beijing), or a list of pools");
  }
  problems.throwIfAny(subject);
  const podSpecs = (object: PlainMap): PlainMap[] =>
    podPlaces(object, podTemplatePath).map((place) => podSpecAt(object, place));
  const reads = isUnknown(manifest)
    ? manifest
    : [
        valueAt(manifest, ['spec', 'replicas']),
        [pools, users].map((list) => list.map(({ poolName }) => poolName)),
        users.map(({ nodeLabels }) => nodeLabels),
        pools.map(({ expectedNodes }) => expectedNodes),
        podSpecs(manifest).map(({ nodeSelector, affinity, containers, initContainers }) => [
          nodeSelector,
          affinity,
          [containers, initContainers].map((list) => itemsOf(list).map((each) => (isMap(each) ? each.ports : each))),
        ]),
      ];
  return compute(
    { manifest, pools, users, port },
    (known) => {
      const specs = podSpecs(known.manifest);
      const late = new ProblemList();
      if (known.users.every((user) => isAmong(known.pools, user, late.at('from')))) {
        checkOnEveryNode(known.manifest, specs, known, late.at('from'));
      }
      const ports = specs.flatMap(namedPorts);
      const found = ports.find(({ name, number }) => name === known.port || number === Number(known.port));
      if (found === undefined) {
        const there = ports.map(({ name, number }) => (name === undefined ? String(number) : `'${name}' (${number})`));
        late
          .at('port')
          .add(
            'EDGE_PORT',
            `no container declares the port ${quoted(known.port)}`,
            there.length === 0
              ? "write ports: [{ name: 'metrics', containerPort: 9110 }]"
              : `write ${there.join(' or ')}`,
          );
      }
      late.throwIfAny(subject);
      return `127.0.0.1:${found?.number}`;
    },
    [reads, port],
  );
}

/** Whether a pool is one of others; it is refused if not. */
function isAmong(pools: readonly NodePoolAttributes[], user: NodePoolAttributes, problems: ProblemList): boolean {
  const { poolName, cluster } = user;
  const isThere = pools.some((pool) => pool.poolName === poolName && pool.cluster.identity() === cluster.identity());
  if (!isThere) {
    const names = pools.map((pool) => pool.poolName).join(', ');
    const message = `on ${poolName} there is no Pod of this workload, which runs on ${names}`;
    const hint = 'add the pool to its pools; from other nodes write the address of one of its nodes';
    problems.add('EDGE_CONTRADICTION', message, hint);
  }
  return isThere;
}

/** Refuses a workload that has no Pod on some node of a pool. */
function checkOnEveryNode(
  manifest: PlainMap,
  specs: readonly PlainMap[],
  { pools, users }: { readonly pools: readonly NodePoolAttributes[]; readonly users: readonly NodePoolAttributes[] },
  problems: ProblemList,
): void {
  const holds = ({ nodeLabels }: NodePoolAttributes, { key, operator, values }: PlainMap): boolean =>
    operator === 'Exists'
      ? nodeLabels[String(key)] !== undefined
      : operator === 'In' && itemsOf(values).includes(nodeLabels[String(key)]);
  const isOnAll = (pool: NodePoolAttributes, spec: PlainMap): boolean =>
    Object.entries(mapAt(spec, 'nodeSelector')).every(([key, value]) => pool.nodeLabels[key] === value) &&
    (requiredTerms(spec)?.some(
      (term) => isAbsent(term.matchFields) && expressionsOf(term).every((each) => holds(pool, each)),
    ) ??
      true);
  if (!users.every((pool) => specs.some((spec) => isOnAll(pool, spec)))) {
    const message = 'its nodeSelector or node affinity leaves nodes of the pool out, so not every node has a Pod of it';
    const hint = "remove what selects fewer nodes; if both workloads have it, write '127.0.0.1:<port>' yourself";
    problems.add('EDGE_CONTRADICTION', message, hint);
  }
  const demand = demandOf(manifest);
  const isOfEachPool = String(manifest.kind).startsWith('YurtApp');
  const counts = (isOfEachPool ? users : pools).map(({ expectedNodes }) => expectedNodes ?? Infinity);
  const nodes = isOfEachPool ? Math.max(...counts) : counts.reduce((sum, each) => sum + each, 0);
  if (demand !== 'every node' && demand < nodes) {
    const of = Number.isFinite(nodes) ? `${nodes} nodes` : 'pools without expectedNodes';
    const message = `${demand} Pods on ${of}: not every node has a Pod of it`;
    const hint = 'make it a DaemonSet, or write expectedNodes in the pools and as many replicas';
    problems.add('EDGE_REPLICAS', message, hint);
  }
}

/**
 * Reports what keeps a workload from its pools, or from running there: something that was set for it and is gone, or something that contradicts it.
 *
 * @param accepted warnings of the declaration
 */
function checkStillOnPools(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  written: PlainMap,
  accepted: readonly EdgeWarning[],
  problems: ProblemList,
  options: HostNetworkWorkloadOptions,
): void {
  const { changes = [], warnings = [] } = hostNetworkPods(cluster, pools, written, options, problems) ?? {};
  const emptied = warnings.filter(
    ({ code, path }) => code === 'EDGE_MATCHES_NOTHING' && !accepted.some((warning) => warning.path === path),
  );
  const podSpecs = podPlaces(written, options.podTemplatePath).map((place) => podSpecAt(written, place));
  const undone = [
    ...neededChanges(changes, podSpecs, options),
    ...emptied.map(({ path, message }) => ({ path, why: message })),
  ];
  for (const { path, why } of undone) {
    problems
      .at('workload')
      .add(
        'EDGE_CONTRADICTION',
        `conflicting settings: a later change (a JSON patch) undoes ${path}: ${why}`,
        "make the change in the given workload; or patch other fields: JsonPatch.add('…/tolerations/-', …), JsonPatch.add('…/nodeSelector/disk', …)",
      );
  }
}

/**
 * The pools of a declaration.
 *
 * @param noun what is declared, for messages
 */
export function poolsOf(
  props: Pick<HostNetworkPodsProps, 'pool' | 'pools'>,
  noun: string,
  problems: ProblemList,
): NodePoolAttributes[] {
  const { pool, pools } = props;
  if ((pool === undefined) === (pools === undefined)) {
    const message = pool === undefined ? 'a pool is required' : 'conflicting settings: pool and pools are both given';
    const hint = 'write pool: beijing, or pools: [beijing, hangzhou]';
    problems.at('pool').add(pool === undefined ? 'EDGE_MISSING' : 'EDGE_CONTRADICTION', message, hint);
    return [];
  }
  const list = pools ?? [pool];
  if (!Array.isArray(list) || list.length === 0) {
    problems.at('pools').add('EDGE_MISSING', 'pools must be a list with at least one pool', 'write pools: [beijing]');
    return [];
  }
  list.forEach((candidate: NodePoolAttributes | undefined, index) => {
    const at = pools === undefined ? problems.at('pool') : problems.at('pools', index);
    if (!isPool(candidate)) {
      at.add(
        'EDGE_TYPE',
        `this is ${whatIs(candidate)}, not a pool`,
        Array.isArray(candidate)
          ? 'write pools: […] for several pools'
          : `give a HostNetworkNodePool, or ${inProgram('HostNetworkNodePool.fromPoolName(…)', "{ poolName: '…' }")} for one that is created elsewhere`,
      );
    } else if (!candidate.hostNetwork) {
      at.add(
        'EDGE_CONTRADICTION',
        `${candidate.poolName} is a regular pool`,
        'give a HostNetworkNodePool; for a regular pool write the workload with a nodeSelector',
      );
    } else if (list[0] !== undefined && candidate.cluster.identity() !== list[0].cluster.identity()) {
      at.add(
        'EDGE_CONTRADICTION',
        `${candidate.poolName} is in another cluster (${clusterText(candidate)}) than ${list[0].poolName} (${clusterText(list[0])})`,
        `write one ${noun} per cluster`,
      );
    } else if (list.findIndex((other) => other?.poolName === candidate.poolName) !== index) {
      at.add('EDGE_DUPLICATE', `${candidate.poolName} is named twice`, 'name each pool once');
    }
  });
  return list.filter((candidate) => candidate !== undefined);
}

function clusterText({ cluster }: NodePoolAttributes): string {
  return cluster.name ?? cluster.toString();
}
