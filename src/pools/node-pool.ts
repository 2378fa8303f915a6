import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { firstOpenYurtWith, needsHostNetworkAnnotation } from '../cluster/openyurt-capabilities.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import type { Autonomy } from '../kubernetes/autonomy.js';
import { isRefusedByKubelet, isSetByKubelet, saysArchitecture } from '../kubernetes/label-syntax.js';
import {
  EXCLUDE_ANNOTATION,
  HOST_NETWORK_LABEL,
  RESERVED_OF_NODES,
  TRUE,
  ownMetadata,
  saysMode,
} from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Plan } from '../cluster/plan.js';
import { type Taint, type Toleration, hostNetworkTaint, tolerationFor } from '../kubernetes/taint.js';
import { type NodeReservation, checkNodeReservation, reservationWarnings } from './node-reservation.js';
import { type PlainMap, copyOf, entryOf, isMap } from '../base/plain-data.js';
import { compute, isUnknown, merged } from '../base/unknown.js';
import { autonomyAnnotations, autonomyOf, checkPoolAutonomy } from './autonomous-nodes.js';
import { declarePool } from './declared-pools.js';
import { unusedReservation } from './joined-pools.js';
import { type NodePoolInput, POOL_PROPERTIES, type PoolMode, type PoolScopeMetadata } from './node-pool-props.js';
import { checkProperties } from '../base/property-table.js';

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

// spellings from the proposal (openyurtio/openyurt#1489, #1492) and older releases, and likely guesses
const ADVICE: Readonly<Record<string, string>> = {
  networkMode:
    'HostNetworkNodePool is the host-network mode: leave it out (the proposal’s spec.networkMode never shipped)',
  'node-network-mode':
    'HostNetworkNodePool is the host-network mode: leave it out (the proposal’s node-network-mode never shipped)',
  nodeNetworkMode: 'HostNetworkNodePool is the host-network mode: leave it out',
  hostNetwork:
    'use HostNetworkNodePool for a host-network pool and RegularNodePool for a regular one, and leave it out',
  selector: 'only the membership label selects the nodes of a pool: leave it out',
  name: 'did you mean poolName?',
  namespace: 'a NodePool is cluster-scoped: leave it out',
};

/** Checks all properties of a pool. */
function checkNodePool(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  checkProperties(input, POOL_PROPERTIES[mode], problems, ADVICE);
  checkLeaders(input, problems);
  if (input.cluster instanceof EdgeCluster) {
    checkReleaseFields(input, problems);
    checkExtraSpec(input, problems.at('extraSpec'));
    checkReservedKeys(mode, input, problems);
    checkPoolAutonomy(mode, input, problems);
  }
  checkNodeReservation(input.reservation, input.cluster, problems.at('reservation'));
}

function checkReservedKeys(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  const { hostNetworkLabel } = input.cluster;
  const reserved: Readonly<Record<string, string>> = {
    [input.cluster.nodePoolLabel]: 'the pool’s name already becomes this label',
    ...RESERVED_OF_NODES,
  };
  for (const field of ['labels', 'annotations'] as const) {
    for (const [key, value] of Object.entries(isMap(input[field]) ? input[field] : {})) {
      const isMode = saysMode(hostNetworkLabel, mode === 'host-network', key, value);
      const why = entryOf(reserved, isMode ? HOST_NETWORK_LABEL : key);
      if (why !== undefined) {
        problems
          .at(field, key)
          .add('EDGE_RESERVED_KEY', `${key} is reserved: managed by OpenYurt and this library`, `${why}: remove it`);
      }
    }
  }
  const labels: PlainMap = isMap(input.labels) ? input.labels : {};
  const keys = Object.keys(labels);
  for (const key of keys.filter((each) => isSetByKubelet(each) && !saysArchitecture(each, labels[each]))) {
    problems
      .at('labels', key)
      .add(
        'EDGE_RESERVED_KEY',
        `${key} is reserved: kubelet sets it from what the machine is, and the label of the pool would replace what is true`,
        'remove it; select nodes by it in a workload',
      );
  }
  if (input.cluster.hasOpenYurt()) {
    return;
  }
  for (const key of keys.filter((each) => isRefusedByKubelet(each))) {
    problems
      .at('labels', key)
      .add(
        'EDGE_RESERVED_KEY',
        `without OpenYurt nodes register with their labels (--node-labels), and kubelet refuses to set ${key}`,
        'use a key outside of kubernetes.io and k8s.io, or one below node.kubernetes.io',
      );
  }
  if (isMap(input.annotations) && Object.keys(input.annotations).length > 0) {
    problems
      .at('annotations')
      .add(
        'EDGE_FIELD_NOT_IN_RELEASE',
        'without OpenYurt annotations are not copied to the nodes',
        'use labels, or annotate the nodes with kubectl',
      );
  }
}

function checkReleaseFields(input: NodePoolInput, problems: ProblemList): void {
  for (const field of RELEASE_FIELDS) {
    if ((input as unknown as PlainMap)[field] === undefined || input.cluster.hasNodePoolField(field)) {
      continue;
    }
    const message = input.cluster.hasOpenYurt()
      ? `the NodePool of OpenYurt ${input.cluster.openYurt} has no field ${field}`
      : `without OpenYurt there is no NodePool and no ${field}`;
    problems
      .at(field)
      .add(
        'EDGE_FIELD_NOT_IN_RELEASE',
        message,
        `remove it; it exists from ${firstOpenYurtWith(({ nodePoolFields }) => nodePoolFields.includes(field))} on`,
      );
  }
}

function checkLeaders({ leaderElectionStrategy, leaderNodeLabelSelector }: NodePoolInput, problems: ProblemList): void {
  if (leaderElectionStrategy === 'mark' && Object.keys(leaderNodeLabelSelector ?? {}).length === 0) {
    problems
      .at('leaderNodeLabelSelector')
      .add(
        'EDGE_MISSING',
        'the strategy mark requires the labels of the nodes that may lead',
        "write leaderNodeLabelSelector: { 'edge.example/leader': 'true' }",
      );
  }
}

/** Fields of the spec that this library does not know; the table checks what they hold. */
function checkExtraSpec({ cluster, extraSpec }: NodePoolInput, problems: ProblemList): void {
  if (extraSpec !== undefined && !cluster.hasOpenYurt()) {
    problems.add('EDGE_FIELD_NOT_IN_RELEASE', 'without OpenYurt there is no NodePool object', 'remove extraSpec');
  }
  for (const field of Object.keys(extraSpec ?? {})) {
    if (['type', 'hostNetwork', 'labels', 'annotations', 'taints', ...RELEASE_FIELDS].includes(field)) {
      problems
        .at(field)
        .add(
          'EDGE_RESERVED_KEY',
          `${field} is a property of the pool`,
          field === 'hostNetwork'
            ? 'use HostNetworkNodePool or RegularNodePool'
            : `write ${field} outside of extraSpec`,
        );
    }
  }
}

/** Warns of leaders that a pool does not elect, or that its nodes cannot be. One leader is what OpenYurt's webhook writes itself. */
function leaderWarnings({ enableLeaderElection, leaderReplicas, expectedNodes }: NodePoolInput): EdgeWarning[] {
  if (typeof leaderReplicas !== 'number' || leaderReplicas <= 1) {
    return [];
  }
  if (enableLeaderElection === undefined || enableLeaderElection === false) {
    return [
      {
        code: 'EDGE_UNUSED',
        path: 'leaderReplicas',
        message: 'the pool elects no leaders',
        hint: 'write enableLeaderElection: true, or leave it out',
      },
    ];
  }
  return typeof expectedNodes === 'number' && leaderReplicas > expectedNodes
    ? [
        {
          code: 'EDGE_REPLICAS',
          path: 'leaderReplicas',
          message: `${leaderReplicas} leaders of a pool with ${expectedNodes} ${expectedNodes === 1 ? 'node' : 'nodes'}`,
          hint: `write leaderReplicas: ${Math.max(1, expectedNodes)} or fewer`,
        },
      ]
    : [];
}
