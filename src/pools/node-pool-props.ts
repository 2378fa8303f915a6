import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { type Autonomy, checkAutonomy } from '../kubernetes/autonomy.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import { HOST_NETWORK_LABEL, RESERVED_OF_NODE_POOLS, TRUE } from '../kubernetes/labels.js';
import { checkPoolName } from '../kubernetes/names.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { checkTaints, type Taint } from '../kubernetes/taint.js';
import type { NodeReservation } from './node-reservation.js';
import { checkPlain, isMap, mapAt } from '../base/plain-data.js';
import { checkBoolean, checkOneOf, showValue } from '../base/properties.js';
import {
  checkedElsewhere,
  listOf,
  mapWith,
  oneOf,
  plain,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';

/**
 * A resource that the leader of a pool distributes to the other nodes (OpenYurt 1.7+).
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
 * Properties of a pool of either mode.
 *
 * @category Declare pools
 */
export interface NodePoolProps {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool: an RFC 1123 name of at most 63 characters, because it becomes a node label value. */
  readonly poolName: string;
  /** Labels that OpenYurt copies to every node of the pool. Without OpenYurt the nodes join with them.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Annotations that OpenYurt copies to every node of the pool.
   * @default - none */
  readonly annotations?: Record<string, string>;
  /** Taints that OpenYurt copies to every node of the pool. Without OpenYurt the nodes register with them.
   * @default - none */
  readonly taints?: Taint[];
  /** Whether the nodes of the pool can reach each other (OpenYurt 1.7+). Immutable.
   * @default false */
  readonly interConnectivity?: boolean;
  /** Whether the pool elects a leader that distributes pool-scope metadata (OpenYurt 1.7+).
   * @default false */
  readonly enableLeaderElection?: boolean;
  /** How the leader is elected (OpenYurt 1.7+): any node (`random`), or only nodes with given labels (`mark`).
   * @default random */
  readonly leaderElectionStrategy?: 'random' | 'mark';
  /** Labels of the nodes that may lead, for the strategy `mark` (OpenYurt 1.7+). A plain map, not a LabelSelector.
   * @default - none */
  readonly leaderNodeLabelSelector?: Record<string, string>;
  /** Number of leaders (OpenYurt 1.7+).
   * @default 1 */
  readonly leaderReplicas?: number;
  /** Resources that the leader distributes (OpenYurt 1.7+); Services and EndpointSlices are always added.
   * @default - Services and EndpointSlices */
  readonly poolScopeMetadata?: PoolScopeMetadata[];
  /** Spec fields that this library does not know; they are added to the object unchanged.
   * @default - none */
  readonly extraSpec?: Record<string, unknown>;
  /** Metadata of the NodePool object itself (not of its nodes), except name and namespace.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
  /** Expected number of nodes in the pool. Used for checks only (replicas, host ports), not written into the NodePool.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** Resources that each node of the pool reserves; joins of the pool use it. Not written into the NodePool.
   * @default - nothing */
  readonly reservation?: NodeReservation;
  /** How long Pods stay on a node of the pool that lost its network. With OpenYurt its nodes get the annotation (1.4 and 1.5: only `forever`) by which
   * yurt-manager changes their Pods; without OpenYurt each HostNetworkWorkload of the pool gets the tolerations.
   * @default default */
  readonly autonomy?: Autonomy;
}

/**
 * Properties of a {@link HostNetworkNodePool}.
 *
 * @category Declare pools
 */
export interface HostNetworkNodePoolProps extends NodePoolProps {
  /** Only `Edge`: every OpenYurt release refuses a Cloud pool with hostNetwork.
   * @default Edge */
  readonly type?: 'Edge';
  /** Taint the nodes with `nodepool.openyurt.io/hostnetwork=true:NoSchedule`, at registration and through the pool's taints, so that only Pods that
   * tolerate it are scheduled there. Off as in OpenYurt: Pods without a toleration are allowed.
   * @default false */
  readonly registrationTaint?: boolean;
}

/**
 * Properties of a host-network pool that is created elsewhere.
 *
 * @category Declare pools
 */
export interface ImportedHostNetworkNodePoolProps {
  /** The cluster in which the pool exists. */
  readonly cluster: EdgeCluster;
  /** Name of the pool. */
  readonly poolName: string;
  /** Labels of its nodes. With OpenYurt its NodePool copies them to the nodes; without OpenYurt the nodes join with them.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Taints of its nodes; workloads on the pool get the tolerations.
   * @default - none */
  readonly taints?: Taint[];
  /** Whether its nodes have the host-network taint.
   * @default false */
  readonly registrationTaint?: boolean;
  /** Expected number of nodes, for checks.
   * @default - unknown */
  readonly expectedNodes?: number;
  /** Resources that each of its nodes reserves; joins of the pool use it.
   * @default - nothing */
  readonly reservation?: NodeReservation;
  /** Its autonomy, as where it is created.
   * @default default */
  readonly autonomy?: Autonomy;
}

/**
 * Properties of a {@link RegularNodePool}.
 *
 * @category Declare pools
 */
export interface RegularNodePoolProps extends NodePoolProps {
  /** Where the nodes of the pool are.
   * @default Edge */
  readonly type?: 'Edge' | 'Cloud';
}

/** Whether the nodes of a pool run only hostNetwork Pods. */
export type PoolMode = 'host-network' | 'regular';

/** The properties of a pool of either mode. */
export interface NodePoolInput extends NodePoolProps {
  readonly type?: 'Edge' | 'Cloud';
  readonly registrationTaint?: boolean;
}

/** Types of a NodePool that OpenYurt accepts. */
export const POOL_TYPES = ['Edge', 'Cloud'] as const;

/** The properties of both modes; fields that only some releases have are checked with the cluster. */
const COMMON: PropertyTable<RegularNodePoolProps> = {
  cluster: plain(checkCluster),
  poolName: checkPoolName,
  type: oneOf(...POOL_TYPES),
  labels: checkLabels,
  annotations: checkAnnotations,
  taints: checkTaints,
  expectedNodes: wholeNumber(0),
  reservation: plain(checkedElsewhere),
  autonomy: plain(checkAutonomy),
  interConnectivity: checkBoolean,
  enableLeaderElection: checkBoolean,
  leaderElectionStrategy: oneOf('random', 'mark'),
  leaderNodeLabelSelector: checkLeaderLabels,
  leaderReplicas: wholeNumber(1),
  poolScopeMetadata: listOf(
    checkScopeResource,
    "write [{ group: '', version: 'v1', resource: 'services' }]",
    'poolScopeMetadata must be a list',
  ),
  metadata: poolMetadata('regular'),
  extraSpec: mapWith(checkPlain, 'extraSpec must be a map', "write extraSpec: { newField: 'value' }"),
};

/** What each property may be, by mode. */
export const POOL_PROPERTIES: Readonly<Record<PoolMode, PropertyTable<NodePoolInput>>> = {
  regular: COMMON as PropertyTable<NodePoolInput>,
  'host-network': {
    ...COMMON,
    type: checkHostNetworkType,
    registrationTaint: checkBoolean,
    metadata: poolMetadata('host-network'),
  },
};

/** Labels of nodes: a plain map, although the field is called a selector. */
function checkLeaderLabels(labels: unknown, problems: ProblemList): void {
  const { matchLabels, matchExpressions } = isMap(labels) ? labels : {};
  if (isMap(matchLabels) || Array.isArray(matchExpressions)) {
    const [key, value] = Object.entries(isMap(matchLabels) ? matchLabels : {})[0] ?? ['edge.example/leader', 'true'];
    problems.add(
      'EDGE_TYPE',
      'this is a LabelSelector, and OpenYurt reads a plain map of labels here',
      `write leaderNodeLabelSelector: { '${key}': '${showValue(value)}' }`,
    );
  } else {
    checkLabels(labels, problems);
  }
}

function checkHostNetworkType(type: unknown, problems: ProblemList): void {
  if (type === 'Cloud') {
    problems.add(
      'EDGE_CLOUD_HOST_NETWORK',
      'every OpenYurt release refuses a Cloud pool with hostNetwork (the example of the proposal never worked)',
      "leave type out or write type: 'Edge'; for a Cloud pool use RegularNodePool",
    );
  } else {
    checkOneOf(type, POOL_TYPES, problems);
  }
}

function checkScopeResource(resource: unknown, problems: ProblemList): void {
  for (const field of ['group', 'version', 'resource']) {
    const value = isMap(resource) ? resource[field] : undefined;
    if (typeof value !== 'string' || (value === '' && field !== 'group')) {
      problems
        .at(field)
        .add(
          'EDGE_MISSING',
          `${field} is required`,
          "write { group: '', version: 'v1', resource: 'services' } (the core group is empty text)",
        );
    }
  }
  const { group, resource: name } = isMap(resource) ? resource : {};
  if (typeof group === 'string' && /^v\d+((alpha|beta)\d+)?$/.test(group)) {
    problems
      .at('group')
      .add('EDGE_VALUE', `${group} is a version, not an API group`, "write group: '' for the core group");
  }
  if (typeof name === 'string' && /^[A-Z][A-Za-z]*$/.test(name)) {
    problems
      .at('resource')
      .add(
        'EDGE_VALUE',
        `${name} is a kind, and resources are plural and in lower case`,
        `write resource: '${name.toLowerCase().replace(/s?$/, 's')}' (kubectl api-resources)`,
      );
  }
}

/** A check of the metadata. A host-network pool that is adopted may have the annotation that tells every release what it is. */
function poolMetadata(mode: PoolMode): (metadata: unknown, problems: ProblemList) => void {
  const isAgreed = (key: string, value: unknown): boolean =>
    mode === 'host-network' && key === HOST_NETWORK_LABEL && value === TRUE;
  return (metadata, problems) => {
    checkMadeMetadata(metadata, problems);
    if (!isMap(metadata)) {
      return;
    }
    if (metadata.name !== undefined) {
      problems
        .at('name')
        .add('EDGE_DUPLICATE', 'the name of the NodePool is poolName', 'write it as poolName and remove it here');
    }
    if (metadata.namespace !== undefined) {
      problems.at('namespace').add('EDGE_NAME', 'a NodePool is cluster-scoped', 'remove the namespace');
    }
    for (const [field, keys] of Object.entries(RESERVED_OF_NODE_POOLS)) {
      for (const [key, value] of Object.entries(mapAt(metadata, field))) {
        if (keys.includes(key) && !(field === 'annotations' && isAgreed(key, value))) {
          problems
            .at(field, key)
            .add('EDGE_RESERVED_KEY', `${key} is reserved: managed by OpenYurt and this library`, 'remove it');
        }
      }
    }
  };
}
