import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { needsHostNetworkAnnotation } from '../cluster/openyurt-capabilities.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { isRefusedByKubelet } from '../kubernetes/label-syntax.js';
import { HOST_NETWORK_LABEL, OWN_LABELS, POOL_TYPE_LABEL, TRUE } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Plan } from '../cluster/plan.js';
import { hostNetworkTaint, type Taint, tolerationFor, type Toleration } from '../kubernetes/taint.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import { copyOf, type PlainMap } from '../validation/plain-data.js';
import { compute, holdsUnknown, isUnknown, merged } from '../validation/unknown.js';
import { checkNodePool } from './node-pool-checks.js';
import type { NodePoolInput, PoolMode, PoolScopeMetadata } from './node-pool-props.js';

/**
 * Attributes of a pool, whether it is created here or elsewhere: labels and taints of its nodes, and what a workload needs to run on them.
 *
 * @category Declare pools
 */
export interface NodePoolAttributes {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool; a valid node label value. */
  readonly poolName: string;
  /** Whether its nodes run only hostNetwork Pods. */
  readonly hostNetwork: boolean;
  /** Type of the pool, `spec.type` of the NodePool. */
  readonly type: 'Edge' | 'Cloud';
  /** Labels that a node must have when it joins: the membership label, the host-network label, and without OpenYurt the labels of the pool. */
  readonly joinLabels: Readonly<Record<string, string>>;
  /** Taints that a node must have when it registers. */
  readonly registrationTaints: readonly Taint[];
  /** All taints of the pool's nodes. */
  readonly taints: readonly Taint[];
  /** Node selector for the nodes of the pool. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Tolerations that a workload needs on the pool. */
  readonly tolerations: readonly Toleration[];
  /** Expected number of nodes in the pool.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** Resources that each of its nodes reserves; joins of the pool use it.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

/** How a pool is declared. */
export interface PoolKind {
  /** Name of the class, for errors. */
  readonly subject: string;
  readonly mode: PoolMode;
  /** Whether this declaration creates the NodePool. */
  readonly makesObject: boolean;
}

/** A pool that a program has declared. */
interface DeclaredPool {
  /** Its name, which may be unknown. */
  readonly poolName: string;
  readonly hostNetwork: boolean;
  readonly taints: readonly Taint[];
  /** Labels of the NodePool, as far as they are known. */
  readonly labels: Readonly<Record<string, unknown>>;
  /** The declaration that has named it first. */
  readonly namedBy: object;
  /** The declaration that creates the NodePool; undefined for a pool that is created elsewhere. */
  readonly madeBy?: { readonly path: string; readonly owner: object };
}

/** The pools of a cluster, by name. */
const POOLS = new DeclarationKind<DeclaredPool>('pools');
/** The name under which a declaration has recorded its pool, so that a fleet is not searched for it. */
const NAMED = new WeakMap<object, string>();

/** Declarations that have already written the list of a cluster's pools: a pool that is declared afterwards is not in it. */
export const WRITTEN_LISTS = new DeclarationKind<string>('written lists of pools');

// openyurt pkg/yurtmanager/webhook/nodepool: fields that ValidateUpdate refuses to change
export const IMMUTABLE_FIELDS = ['spec.type', 'spec.hostNetwork', 'spec.interConnectivity'];

/**
 * Plans a pool.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planNodePool(kind: PoolKind, input: NodePoolInput, scope: Scope): Plan<NodePoolAttributes> {
  const problems = problemsOf(scope);
  checkNodePool(kind.mode, input ?? {}, problems);
  if (problems.problems.length === 0) {
    declare(kind, input, scope, problems);
  }
  const subject = `${kind.subject} ${scope.path}`;
  problems.throwIfAny(subject);
  const object = kind.makesObject ? nodePoolObject(kind.mode, input) : undefined;
  return {
    subject,
    objects:
      object === undefined
        ? []
        : // a change of an immutable field replaces the pool; the old one is deleted first because both have the same name
          [{ object, apply: 'create', replaceOn: { fields: IMMUTABLE_FIELDS, deleteFirst: true } }],
    cluster: input.cluster,
    answers: attributesOf(kind.mode, input),
    warnings: [],
    artifacts: [],
  };
}

function declare({ mode, makesObject }: PoolKind, input: NodePoolInput, scope: Scope, problems: ProblemList): void {
  const { cluster, poolName } = input;
  const pools = scope.declared.of(cluster, POOLS);
  const key = String(poolName);
  const earlier = pools.get(key);
  const hostNetwork = mode === 'host-network';
  const taints = taintsOf(input);
  const at = problems.at('poolName');
  if (earlier?.madeBy !== undefined && makesObject && earlier.madeBy.owner !== scope.owner) {
    at.add(
      'EDGE_DUPLICATE',
      `the pool ${poolName} is already created by ${earlier.madeBy.path}`,
      'give each pool a unique name (or each cluster a name, if these are two clusters)',
    );
  } else if (earlier !== undefined && (earlier.hostNetwork !== hostNetwork || differ(earlier.taints, taints))) {
    at.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the pool ${poolName} is declared twice, with different taints or modes`,
      'use the HostNetworkNodePool or RegularNodePool that creates the pool, or give fromPoolName the same taints',
    );
  }
  // in the second run, what the first one has declared under a name that was unknown
  const former = NAMED.get(scope.owner) ?? key;
  const before = former === key || pools.get(former)?.namedBy !== scope.owner ? undefined : pools.get(former);
  const writtenBy = scope.declared.of(cluster, WRITTEN_LISTS).values().next().value;
  if (hostNetwork && writtenBy !== undefined && earlier === undefined && before === undefined) {
    at.add(
      'EDGE_CONTRADICTION',
      `the pool list of ${writtenBy} was already written when the program first awaited something`,
      `declare the pool before the program awaits anything, or add it to otherPools of ${writtenBy}`,
      'for any value',
    );
  }
  if (problems.problems.length === 0 && (earlier === undefined || makesObject)) {
    // a list of pools still gets the unknown name, because the true one may be a secret
    const name = before?.poolName ?? poolName;
    pools.set(key, {
      poolName: (scope.accepted?.(name) ?? name) as string,
      hostNetwork,
      taints,
      labels: makesObject || earlier === undefined ? labelsOf(input, makesObject) : earlier.labels,
      namedBy: scope.owner,
      ...(makesObject ? { madeBy: { path: scope.path, owner: scope.owner } } : {}),
    });
    NAMED.set(scope.owner, key);
  }
  if (before !== undefined) {
    pools.delete(former);
  }
}

/** Labels of a NodePool: those that it is created with, and the one that OpenYurt's webhook sets (1.5+). */
function labelsOf({ cluster, metadata, type }: NodePoolInput, makesObject: boolean): Record<string, unknown> {
  const own = isUnknown(metadata) || isUnknown(metadata?.labels) ? {} : metadata?.labels;
  return {
    ...(makesObject ? { ...own, ...OWN_LABELS } : {}),
    ...(cluster.hasPodWebhook()
      ? { [POOL_TYPE_LABEL]: compute(type, (known) => (known ?? 'Edge').toLowerCase()) }
      : {}),
  };
}

/** Whether two lists of taints differ, as far as they are known. */
function differ(one: readonly Taint[], other: readonly Taint[]): boolean {
  return !holdsUnknown([one, other]) && JSON.stringify(one) !== JSON.stringify(other);
}

/** Questions about the declared host-network pools of a cluster, answered by the pools that are declared when they are asked. */
export function declaredHostNetworkPools(
  { declared }: Scope,
  cluster: EdgeCluster,
): {
  readonly isHostNetworkPool: (poolName: string) => boolean;
  readonly selectedBy: (selector: unknown) => readonly string[];
} {
  const pools = (): Map<string, DeclaredPool> => declared.of(cluster, POOLS);
  return {
    isHostNetworkPool: (poolName) => pools().get(poolName)?.hostNetwork === true,
    selectedBy: (selector) =>
      [...pools().values()]
        .filter(({ hostNetwork, labels }) => hostNetwork && selectsLabels(selector, labels))
        .flatMap(({ poolName }) => (isUnknown(poolName) ? [] : [poolName])),
  };
}

/** The pools that a program has declared for a cluster. */
export function declaredPools(
  { declared }: Scope,
  cluster: EdgeCluster,
): { readonly hostNetwork: string[]; readonly all: number; readonly elsewhere: string[] } {
  const namesIn = (pools: Map<string, DeclaredPool>): string[] =>
    [...pools.values()].filter(({ hostNetwork }) => hostNetwork).map(({ poolName }) => poolName);
  const pools = declared.of(cluster, POOLS);
  return {
    hostNetwork: namesIn(pools),
    all: pools.size,
    elsewhere: declared.besides(cluster, POOLS).flatMap(namesIn),
  };
}

/** Whether a pool is declared as a regular one. */
export function isRegularPool({ declared }: Scope, cluster: EdgeCluster, poolName: string): boolean {
  return declared.of(cluster, POOLS).get(poolName)?.hostNetwork === false;
}

/** All taints of a pool: the given ones and, with `registrationTaint`, the host-network taint. */
function taintsOf({ cluster, taints, registrationTaint }: NodePoolInput): Taint[] {
  const ofMode = hostNetworkTaint(cluster.hostNetworkLabel);
  const identities = Array.isArray(taints) ? taints.map(({ key, effect }) => [key, effect]) : taints;
  return compute(
    { taints, registrationTaint },
    (given) => {
      const own = copyOf(given.taints ?? []);
      const { key, effect } = ofMode;
      const isThere = own.some((taint) => taint.key === key && taint.effect === effect);
      return [...own, ...(given.registrationTaint === true && !isThere ? [ofMode] : [])];
    },
    [
      registrationTaint,
      registrationTaint === true || isUnknown(registrationTaint) ? identities : isUnknown(taints) && taints,
    ],
  );
}

/**
 * Nodes join with the host-network label, although OpenYurt's node webhook sets it: that webhook has failurePolicy Ignore, so a node would register
 * without the label while yurt-manager is down. Without OpenYurt nothing copies the pool's labels and taints, so nodes join with them. A label that
 * kubelets may not set is not among them.
 */
function attributesOf(mode: PoolMode, input: NodePoolInput): NodePoolAttributes {
  const { cluster, poolName, type, expectedNodes, reservation } = input;
  const membership = { [cluster.nodePoolLabel]: poolName };
  const taints = taintsOf(input);
  const { key: modeKey, value } = cluster.hostNetworkLabel;
  const own = {
    ...membership,
    ...(mode === 'host-network' && !isRefusedByKubelet(modeKey) ? { [modeKey]: value } : {}),
  };
  const keys = Array.isArray(taints) ? taints.map(({ key }) => key) : taints;
  const forms = Array.isArray(taints) ? taints.filter(isUnknown) : taints;
  return {
    cluster,
    poolName,
    hostNetwork: mode === 'host-network',
    type: type ?? 'Edge',
    taints,
    joinLabels: cluster.hasOpenYurt() ? own : merged(input.labels, own),
    registrationTaints: cluster.hasOpenYurt()
      ? compute(taints, (all) => all.filter(({ key }) => key === HOST_NETWORK_LABEL), keys)
      : taints,
    nodeSelector: membership,
    tolerations: compute(taints, (all) => all.map(tolerationFor), forms),
    expectedNodes,
    reservation,
  };
}

// openyurt pkg/yurtmanager/webhook/nodepool/v1beta2/nodepool_default.go
const ALWAYS_SHARED: readonly PoolScopeMetadata[] = [
  { group: '', version: 'v1', resource: 'services' },
  { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
];

function isSameResource(a: PoolScopeMetadata, b: PoolScopeMetadata): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}

/** The NodePool object in the API version of the release; undefined without OpenYurt, where a pool is only labels and taints. */
function nodePoolObject(mode: PoolMode, input: NodePoolInput): KubernetesObject | undefined {
  const apiVersion = input.cluster.nodePoolApiVersion();
  if (apiVersion === undefined) {
    return undefined;
  }
  const { extraSpec, metadata, poolName } = input;
  const taints = taintsOf(input);
  const spec: PlainMap = {
    type: input.type ?? 'Edge',
    ...(mode === 'host-network' ? { hostNetwork: true } : {}),
    ...given('labels', input.labels),
    ...given('annotations', input.annotations),
    ...given(
      'taints',
      compute(taints, (all) => (all.length > 0 ? all : undefined), isUnknown(taints) && taints),
    ),
  };
  for (const field of RELEASE_FIELDS) {
    Object.assign(spec, given(field, (input as unknown as PlainMap)[field]));
  }
  if (input.cluster.hasNodePoolField('leaderElectionStrategy')) {
    // the webhook sets this default at CREATE only: a pool that was created while yurt-manager was down would be refused at every later apply
    spec.leaderElectionStrategy ??= 'random';
  }
  if (input.poolScopeMetadata !== undefined) {
    // the webhook completes the list at CREATE only: a second apply of an incomplete one would remove its additions
    spec.poolScopeMetadata = compute(input.poolScopeMetadata, (resources) => [
      ...resources,
      ...ALWAYS_SHARED.filter((shared) => !resources.some((resource) => isSameResource(resource, shared))),
    ]);
  }
  return copyOf({
    apiVersion,
    kind: 'NodePool',
    metadata: metadataOf(
      metadata,
      poolName,
      mode === 'host-network' && needsHostNetworkAnnotation(input.cluster) ? { [HOST_NETWORK_LABEL]: TRUE } : undefined,
    ),
    spec: merged(extraSpec, spec),
  });
}

function metadataOf(metadata: NodePoolInput['metadata'], name: string, annotations?: PlainMap): PlainMap {
  return compute(
    { metadata, name },
    (all) => ({
      ...all.metadata,
      name: all.name,
      labels: merged(all.metadata?.labels, OWN_LABELS),
      ...(annotations === undefined ? {} : { annotations: merged(all.metadata?.annotations, annotations) }),
    }),
    isUnknown(metadata) && metadata,
  );
}

function given(field: string, value: unknown): PlainMap {
  return value === undefined ? {} : { [field]: value };
}

/** Whether a value has the attributes of a pool. */
export function isPool(pool: unknown): pool is NodePoolAttributes {
  return (
    typeof pool === 'object' &&
    pool !== null &&
    'joinLabels' in pool &&
    'registrationTaints' in pool &&
    'cluster' in pool
  );
}
