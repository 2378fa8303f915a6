import type { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import { checkPlain, isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import {
  DESIRED_NODE_POOL_LABEL,
  EDGE_WORKER_LABEL,
  HOST_NETWORK_LABEL,
  OWN_LABELS,
  POOL_TYPE_LABEL,
  PREVIOUS_ATTRIBUTES_ANNOTATION,
} from '../kubernetes/labels.js';
import { checkPoolName } from '../kubernetes/names.js';
import type { PoolMode } from './pool.js';
import { checkBoolean, checkKnownProperties, checkOneOf, checkWholeNumber } from '../validation/properties.js';
import type { NodePoolField } from '../cluster/releases.js';
import { checkNodeReservation, type NodeReservation } from '../reservation/node-reservation.js';
import { checkTaints, type Taint } from '../kubernetes/taint.js';
import { checkMetadata } from '../kubernetes/object-input.js';

/**
 * A resource that the leader of a pool shares with the other nodes (OpenYurt 1.7+).
 *
 * @category Declare pools
 */
export interface PoolScopeMetadata {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version. */
  readonly version: string;
  /** Resource in the plural, for example `services`. */
  readonly resource: string;
}

/**
 * Everything that a NodePool can hold besides its mode.
 *
 * @category Declare pools
 */
export interface NodePoolProps {
  /** The cluster in which the pool is made. */
  readonly cluster: EdgeCluster;
  /** Name of the pool: an RFC 1123 name of at most 63 characters, because it becomes a node label value. */
  readonly poolName: string;
  /** Labels that OpenYurt copies to every node of the pool. Without OpenYurt the nodes bring them when they join.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Annotations that OpenYurt copies to every node of the pool.
   * @default - none */
  readonly annotations?: Record<string, string>;
  /** Taints that OpenYurt copies to every node of the pool. Without OpenYurt the nodes bring them when they register.
   * @default - none */
  readonly taints?: Taint[];
  /** Whether the nodes of the pool reach each other (OpenYurt 1.7+). Immutable.
   * @default false */
  readonly interConnectivity?: boolean;
  /** Whether a leader is chosen that shares pool-scope metadata (OpenYurt 1.7+).
   * @default false */
  readonly enableLeaderElection?: boolean;
  /** How the leader is chosen (OpenYurt 1.7+): any node, or only marked ones.
   * @default random */
  readonly leaderElectionStrategy?: 'random' | 'mark';
  /** Labels of the nodes that may lead, for the strategy `mark` (OpenYurt 1.7+). A plain map, not a LabelSelector.
   * @default - none */
  readonly leaderNodeLabelSelector?: Record<string, string>;
  /** How many leaders there are (OpenYurt 1.7+).
   * @default 1 */
  readonly leaderReplicas?: number;
  /** Resources that the leader shares (OpenYurt 1.7+); OpenYurt always adds Services and EndpointSlices.
   * @default - Services and EndpointSlices */
  readonly poolScopeMetadata?: PoolScopeMetadata[];
  /** Spec fields that this library does not know; they go into the object as they are.
   * @default - none */
  readonly extraSpec?: Record<string, unknown>;
  /** Labels and annotations of the NodePool object itself (not of its nodes), and any other metadata but name and namespace.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
  /** How many nodes the pool is meant to have. Used for checks only (replicas, host ports), never written.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** What each node of the pool keeps for itself; joins of the pool use it. Never written into the NodePool.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

/** What a NodePool is made from. */
export interface NodePoolInput extends NodePoolProps {
  readonly type?: 'Edge' | 'Cloud';
  readonly registrationTaint?: boolean;
}

/** Fields that only some releases have. */
export const RELEASE_FIELDS: readonly NodePoolField[] = [
  'interConnectivity',
  'enableLeaderElection',
  'leaderElectionStrategy',
  'leaderNodeLabelSelector',
  'leaderReplicas',
  'poolScopeMetadata',
];

const COMMON_PROPERTIES = [
  'cluster',
  'poolName',
  'type',
  'labels',
  'annotations',
  'taints',
  'extraSpec',
  'metadata',
  'expectedNodes',
  'reservation',
  ...RELEASE_FIELDS,
];

// Spellings from the proposal (openyurtio/openyurt#1489, #1492), older releases and plain guesses.
const ADVICE: Readonly<Record<string, string>> = {
  networkMode:
    'HostNetworkNodePool is the host-network mode: leave it out (the proposal’s spec.networkMode never shipped)',
  'node-network-mode':
    'HostNetworkNodePool is the host-network mode: leave it out (the proposal’s node-network-mode never shipped)',
  nodeNetworkMode: 'HostNetworkNodePool is the host-network mode: leave it out',
  hostNetwork: 'use HostNetworkNodePool for a host-network pool and EdgeNodePool for an ordinary one, and leave it out',
  selector: 'members are chosen by the membership label alone since OpenYurt 1.4: leave it out',
  name: 'did you mean poolName?',
  namespace: 'a NodePool is cluster-scoped: leave it out',
};

/** Checks a pool at the door. */
export function checkNodePool(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  const known = mode === 'host-network' ? [...COMMON_PROPERTIES, 'registrationTaint'] : COMMON_PROPERTIES;
  const hasCluster = checkCluster(input.cluster, problems.at('cluster'));
  checkKnownProperties(input, known, problems, ADVICE);
  checkPoolName(input.poolName, problems.at('poolName'));
  checkType(mode, input.type, problems.at('type'));
  checkLabels(input.labels, problems.at('labels'));
  checkAnnotations(input.annotations, problems.at('annotations'));
  checkTaints(input.taints, problems.at('taints'));
  checkBoolean(input.registrationTaint, problems.at('registrationTaint'));
  checkWholeNumber(input.expectedNodes, 0, problems.at('expectedNodes'));
  checkNodeReservation(input.reservation, input.cluster, problems.at('reservation'));
  checkLeaders(input, problems);
  checkPoolMetadata(input.metadata, problems.at('metadata'));
  if (hasCluster) {
    checkReservedKeys(input, problems);
    checkReleaseFields(input, problems);
    checkExtraSpec(input, problems.at('extraSpec'));
  }
}

function checkType(mode: PoolMode, type: unknown, problems: ProblemList): void {
  if (type === 'Cloud' && mode === 'host-network') {
    problems.add(
      'EDGE_CLOUD_HOST_NETWORK',
      'every OpenYurt release refuses a Cloud pool with hostNetwork (the example of the proposal never worked)',
      "leave type out or write type: 'Edge'; for a Cloud pool use EdgeNodePool",
    );
  } else {
    checkOneOf(type, ['Edge', 'Cloud'], problems);
  }
}

function checkReservedKeys(input: NodePoolInput, problems: ProblemList): void {
  const reserved: Readonly<Record<string, string>> = {
    [input.cluster.nodePoolLabel]: 'the pool’s name already becomes this label: remove it',
    [DESIRED_NODE_POOL_LABEL]: 'the pool’s name already becomes the membership label: remove it',
    [HOST_NETWORK_LABEL]: 'HostNetworkNodePool sets it, EdgeNodePool must not have it: remove it',
    [POOL_TYPE_LABEL]: 'OpenYurt sets it from type: remove it',
    [EDGE_WORKER_LABEL]: 'OpenYurt sets it when the node joins: remove it',
    [PREVIOUS_ATTRIBUTES_ANNOTATION]: 'OpenYurt’s controller keeps its notes there: remove it',
  };
  for (const field of ['labels', 'annotations'] as const) {
    for (const key of Object.keys(isMap(input[field]) ? input[field] : {})) {
      const hint = reserved[key];
      if (hint !== undefined) {
        problems.at(field, key).add('EDGE_RESERVED_KEY', `${key} is not the user’s to set`, hint);
      }
    }
  }
  if (input.cluster.hasOpenYurt()) {
    return;
  }
  for (const key of Object.keys(isMap(input.labels) ? input.labels : {}).filter(isRefusedByKubelet)) {
    problems
      .at('labels', key)
      .add(
        'EDGE_RESERVED_KEY',
        `without OpenYurt the node brings its labels itself, and kubelet refuses to set ${key}`,
        'take a key outside of kubernetes.io and k8s.io, or one below node.kubernetes.io',
      );
  }
  if (isMap(input.annotations) && Object.keys(input.annotations).length > 0) {
    problems
      .at('annotations')
      .add(
        'EDGE_FIELD_NOT_IN_RELEASE',
        'without OpenYurt nobody copies annotations to the nodes',
        'use labels, or annotate the nodes with kubectl',
      );
  }
}

// kubelet --node-labels (pkg/kubelet/apis/well_known_labels.go)
const KUBELET_LABELS =
  /^(kubernetes\.io\/(hostname|arch|os)|node\.kubernetes\.io\/.*|kubelet\.kubernetes\.io\/.*|([^/]+\.)?(node|kubelet)\.kubernetes\.io\/.*|topology\.kubernetes\.io\/(zone|region)|failure-domain\.beta\.kubernetes\.io\/(zone|region)|beta\.kubernetes\.io\/(arch|os|instance-type))$/;

export function isRefusedByKubelet(key: string): boolean {
  const prefix = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isKubernetes = /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
  return isKubernetes && !KUBELET_LABELS.test(key);
}

function checkReleaseFields(input: NodePoolInput, problems: ProblemList): void {
  for (const field of RELEASE_FIELDS) {
    if ((input as unknown as PlainMap)[field] === undefined || input.cluster.hasNodePoolField(field)) {
      continue;
    }
    const message = input.cluster.hasOpenYurt()
      ? `the NodePool of OpenYurt ${input.cluster.openYurt} has no field ${field}`
      : `without OpenYurt there is no NodePool and no ${field}`;
    problems.at(field).add('EDGE_FIELD_NOT_IN_RELEASE', message, 'remove it; it exists from OpenYurt 1.7 on');
  }
}

function checkLeaders(input: NodePoolInput, problems: ProblemList): void {
  checkBoolean(input.interConnectivity, problems.at('interConnectivity'));
  checkBoolean(input.enableLeaderElection, problems.at('enableLeaderElection'));
  checkOneOf(input.leaderElectionStrategy, ['random', 'mark'], problems.at('leaderElectionStrategy'));
  checkLabels(input.leaderNodeLabelSelector, problems.at('leaderNodeLabelSelector'));
  checkWholeNumber(input.leaderReplicas, 1, problems.at('leaderReplicas'));
  if (input.leaderElectionStrategy === 'mark' && Object.keys(input.leaderNodeLabelSelector ?? {}).length === 0) {
    problems
      .at('leaderNodeLabelSelector')
      .add(
        'EDGE_MISSING',
        'the strategy mark chooses among marked nodes, and none are named',
        "write leaderNodeLabelSelector: { 'edge.example/leader': 'true' }",
      );
  }
  if (input.poolScopeMetadata === undefined) {
    return;
  }
  if (!Array.isArray(input.poolScopeMetadata)) {
    problems
      .at('poolScopeMetadata')
      .add(
        'EDGE_TYPE',
        'poolScopeMetadata must be a list',
        "write [{ group: '', version: 'v1', resource: 'services' }]",
      );
    return;
  }
  input.poolScopeMetadata.forEach((resource: unknown, index) => {
    for (const field of ['group', 'version', 'resource']) {
      const value = isMap(resource) ? resource[field] : undefined;
      if (typeof value !== 'string' || (value === '' && field !== 'group')) {
        problems
          .at('poolScopeMetadata', index, field)
          .add(
            'EDGE_MISSING',
            `${field} is required`,
            "write { group: '', version: 'v1', resource: 'services' } (the core group is the empty text)",
          );
      }
    }
  });
}

function checkExtraSpec(input: NodePoolInput, problems: ProblemList): void {
  if (input.extraSpec === undefined) {
    return;
  }
  if (!isMap(input.extraSpec)) {
    problems.add('EDGE_TYPE', 'extraSpec must be a map', "write extraSpec: { newField: 'value' }");
    return;
  }
  checkPlain(input.extraSpec, problems);
  if (!input.cluster.hasOpenYurt()) {
    problems.add('EDGE_FIELD_NOT_IN_RELEASE', 'without OpenYurt there is no NodePool object', 'remove extraSpec');
  }
  for (const field of Object.keys(input.extraSpec)) {
    if (['type', 'hostNetwork', 'labels', 'annotations', 'taints', ...RELEASE_FIELDS].includes(field)) {
      problems
        .at(field)
        .add(
          'EDGE_RESERVED_KEY',
          `${field} has a property of its own`,
          field === 'hostNetwork' ? 'use HostNetworkNodePool or EdgeNodePool' : `write ${field} outside of extraSpec`,
        );
    }
  }
}

function checkPoolMetadata(metadata: unknown, problems: ProblemList): void {
  checkMetadata(metadata, problems);
  if (!isMap(metadata)) {
    return;
  }
  if (metadata.name !== undefined) {
    problems
      .at('name')
      .add('EDGE_DUPLICATE', 'the name of the object is the pool’s name', 'write it as poolName and remove it here');
  }
  if (metadata.namespace !== undefined) {
    problems.at('namespace').add('EDGE_NAME', 'a NodePool is cluster-scoped', 'remove the namespace');
  }
  const reserved: readonly [field: string, keys: readonly string[]][] = [
    ['labels', [...Object.keys(OWN_LABELS), POOL_TYPE_LABEL]],
    ['annotations', [HOST_NETWORK_LABEL]],
  ];
  for (const [field, keys] of reserved) {
    for (const key of Object.keys(mapAt(metadata, field))) {
      if (keys.includes(key)) {
        problems.at(field, key).add('EDGE_RESERVED_KEY', `${key} is not the user’s to set`, 'remove it');
      }
    }
  }
}
