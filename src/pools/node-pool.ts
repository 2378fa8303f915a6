import type { EdgeWarning } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { needsHostNetworkAnnotation } from '../cluster/openyurt-capabilities.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import { isRefusedByKubelet } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION, HOST_NETWORK_LABEL, TRUE, ownMetadata } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Plan } from '../cluster/plan.js';
import { hostNetworkTaint, type Taint, tolerationFor, type Toleration } from '../kubernetes/taint.js';
import { type NodeReservation, reservationWarnings } from './node-reservation.js';
import { copyOf, isMap, type PlainMap } from '../base/plain-data.js';
import { compute, isUnknown, merged } from '../base/unknown.js';
import { autonomyAnnotations, autonomyOf } from './autonomous-nodes.js';
import { leaderWarnings } from './pool-leaders.js';
import { declarePool } from './declared-pools.js';
import { unusedReservation } from './joined-pools.js';
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
  /** All labels that its nodes have as members: those with which they join, the host-network label and the labels of the pool. */
  readonly nodeLabels: Readonly<Record<string, string>>;
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
  /** How long Pods stay on its nodes when these lose their network.
   * @default - not said: 5 minutes */
  readonly autonomy?: Autonomy;
}

/** How a pool is declared. */
export interface PoolKind {
  /** Name of the class, for errors. */
  readonly subject: string;
  readonly mode: PoolMode;
  /** Whether this declaration creates the NodePool. */
  readonly makesObject: boolean;
}

// openyurt pkg/yurtmanager/webhook/nodepool: fields that ValidateUpdate refuses to change
export const IMMUTABLE_FIELDS = ['spec.type', 'spec.hostNetwork', 'spec.interConnectivity'];

/**
 * Plans a pool.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planNodePool(kind: PoolKind, input: NodePoolInput, scope: Scope): Plan<NodePoolAttributes> {
  const subject = `${kind.subject} ${scope.path}`;
  const problems = problemsOf(scope);
  checkNodePool(kind.mode, input ?? {}, problems);
  problems.throwIfAny(subject);
  const pool = attributesOf(kind.mode, input);
  declarePool(pool, kind.makesObject ? input : undefined, scope, problems);
  problems.throwIfAny(subject);
  const object = kind.makesObject ? nodePoolObject(pool, input) : undefined;
  return {
    subject,
    objects:
      object === undefined
        ? []
        : // a change of an immutable field replaces the pool; the old one is deleted first because both have the same name
          [{ object, apply: 'create', replaceOn: { fields: IMMUTABLE_FIELDS, deleteFirst: true } }],
    cluster: pool.cluster,
    attributes: pool,
    warnings: [
      ...reservationWarnings(input.reservation, 'reservation'),
      ...exclusionWarnings(input),
      ...leaderWarnings(input),
    ],
    artifacts: [],
    ...(input.reservation === undefined ? {} : { atEnd: () => unusedReservation(scope, input) }),
  };
}

/** Warns of the annotation that excludes Pods: neither a pool nor its nodes pass it on. */
function exclusionWarnings(input: NodePoolInput): EdgeWarning[] {
  const { metadata } = input;
  const places = [
    ...(['annotations', 'labels'] as const).map((field) => [field, input[field]] as const),
    ...(['annotations', 'labels'] as const).map((field) => [`metadata.${field}`, metadata?.[field]] as const),
  ];
  return places.flatMap(([path, map]): EdgeWarning[] =>
    isMap(map) && EXCLUDE_ANNOTATION in map
      ? [
          {
            code: 'EDGE_UNUSED',
            path: `${path}["${EXCLUDE_ANNOTATION}"]`,
            message: 'this excludes Pods, and has no effect on a pool or its nodes',
            hint: 'leave it out, and declare each workload that must stay off these nodes as ExcludedWorkload',
          },
        ]
      : [],
  );
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
  const autonomy = autonomyOf(input);
  return {
    cluster,
    poolName,
    hostNetwork: mode === 'host-network',
    type: type ?? 'Edge',
    taints,
    joinLabels: cluster.hasOpenYurt() ? own : merged(input.labels, own),
    nodeLabels: merged(input.labels, { ...membership, ...(mode === 'host-network' ? { [modeKey]: value } : {}) }),
    registrationTaints: cluster.hasOpenYurt()
      ? compute(taints, (all) => all.filter(({ key }) => key === HOST_NETWORK_LABEL), keys)
      : taints,
    nodeSelector: membership,
    tolerations: compute(taints, (all) => all.map(tolerationFor), forms),
    expectedNodes,
    reservation,
    ...(autonomy === undefined ? {} : { autonomy }),
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
function nodePoolObject(
  { cluster, poolName, hostNetwork, type, taints }: NodePoolAttributes,
  input: NodePoolInput,
): KubernetesObject | undefined {
  const apiVersion = cluster.nodePoolApiVersion();
  if (apiVersion === undefined) {
    return undefined;
  }
  const { labels, annotations, extraSpec, metadata, poolScopeMetadata } = input;
  const ofNodes = autonomyAnnotations(input);
  const fields = RELEASE_FIELDS.map((field) => [field, (input as unknown as PlainMap)[field]]);
  const spec: PlainMap = {
    type,
    hostNetwork: hostNetwork || undefined,
    labels,
    annotations: ofNodes === undefined ? annotations : merged(annotations, ofNodes),
    taints: compute(taints, (all) => (all.length > 0 ? all : undefined), isUnknown(taints) && taints),
    ...(Object.fromEntries(fields) as PlainMap),
  };
  if (cluster.hasNodePoolField('leaderElectionStrategy')) {
    // the webhook sets this default at CREATE only: a pool that was created while yurt-manager was down would be refused at every later apply
    spec.leaderElectionStrategy ??= 'random';
  }
  if (poolScopeMetadata !== undefined) {
    // the webhook completes the list at CREATE only: a second apply of an incomplete one would remove its additions
    spec.poolScopeMetadata = compute(poolScopeMetadata, (resources) => [
      ...resources,
      ...ALWAYS_SHARED.filter((shared) => !resources.some((resource) => isSameResource(resource, shared))),
    ]);
  }
  const ofMode = hostNetwork && needsHostNetworkAnnotation(cluster) ? { [HOST_NETWORK_LABEL]: TRUE } : undefined;
  return {
    apiVersion,
    kind: 'NodePool',
    metadata: ownMetadata(metadata, { name: poolName, ...(ofMode === undefined ? {} : { annotations: ofMode }) }),
    spec: merged(extraSpec, Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))),
  };
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
