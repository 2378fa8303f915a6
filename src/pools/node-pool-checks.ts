import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import { firstOpenYurtWith } from '../cluster/openyurt-capabilities.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import type { ProblemList } from '../errors.js';
import { checkAnnotations, checkLabels, isRefusedByKubelet } from '../kubernetes/label-syntax.js';
import {
  DESIRED_NODE_POOL_LABEL,
  EDGE_WORKER_LABEL,
  HOST_NETWORK_LABEL,
  OWN_LABELS,
  POOL_TYPE_LABEL,
  PREVIOUS_ATTRIBUTES_ANNOTATION,
  saysMode,
  TRUE,
} from '../kubernetes/labels.js';
import { checkPoolName } from '../kubernetes/names.js';
import { checkMetadata } from '../kubernetes/object-metadata.js';
import { checkTaints } from '../kubernetes/taint.js';
import { checkNodeReservation } from '../reservation/node-reservation.js';
import { entryOf, checkPlain, isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkBoolean, checkOneOf } from '../validation/properties.js';
import {
  checkedElsewhere,
  checkProperties,
  listOf,
  oneOf,
  plain,
  type PropertyTable,
  wholeNumber,
} from '../validation/property-table.js';
import type { RegularNodePoolProps, NodePoolInput, PoolMode } from './node-pool-props.js';

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

/** The properties of both modes; fields that only some releases have are checked with the cluster. */
const COMMON: PropertyTable<RegularNodePoolProps> = {
  cluster: plain(checkCluster),
  poolName: checkPoolName,
  type: oneOf('Edge', 'Cloud'),
  labels: checkLabels,
  annotations: checkAnnotations,
  taints: checkTaints,
  expectedNodes: wholeNumber(0),
  reservation: plain(checkedElsewhere),
  interConnectivity: checkBoolean,
  enableLeaderElection: checkBoolean,
  leaderElectionStrategy: oneOf('random', 'mark'),
  leaderNodeLabelSelector: checkLabels,
  leaderReplicas: wholeNumber(1),
  poolScopeMetadata: listOf(
    checkScopeResource,
    "write [{ group: '', version: 'v1', resource: 'services' }]",
    'poolScopeMetadata must be a list',
  ),
  metadata: poolMetadata('regular'),
  extraSpec: checkedElsewhere,
};

const PROPERTIES: Readonly<Record<PoolMode, PropertyTable<NodePoolInput>>> = {
  regular: COMMON as PropertyTable<NodePoolInput>,
  'host-network': {
    ...COMMON,
    type: checkHostNetworkType,
    registrationTaint: checkBoolean,
    metadata: poolMetadata('host-network'),
  },
};

/** Checks all properties of a pool. */
export function checkNodePool(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  checkProperties(input, PROPERTIES[mode], problems, ADVICE);
  checkNodeReservation(input.reservation, input.cluster, problems.at('reservation'));
  checkLeaders(input, problems);
  if (input.cluster instanceof EdgeCluster) {
    checkReservedKeys(mode, input, problems);
    checkReleaseFields(input, problems);
    checkExtraSpec(input, problems.at('extraSpec'));
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
    checkOneOf(type, ['Edge', 'Cloud'], problems);
  }
}

const MODE_HINT = 'HostNetworkNodePool sets it, RegularNodePool must not have it: remove it';

function checkReservedKeys(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
  const { hostNetworkLabel } = input.cluster;
  const reserved: Readonly<Record<string, string>> = {
    [input.cluster.nodePoolLabel]: 'the pool’s name already becomes this label: remove it',
    [DESIRED_NODE_POOL_LABEL]: 'the pool’s name already becomes the membership label: remove it',
    [HOST_NETWORK_LABEL]: MODE_HINT,
    [POOL_TYPE_LABEL]: 'OpenYurt sets it from type: remove it',
    [EDGE_WORKER_LABEL]: 'OpenYurt sets it when the node joins: remove it',
    [PREVIOUS_ATTRIBUTES_ANNOTATION]: 'OpenYurt’s NodePool controller stores its state there: remove it',
  };
  for (const field of ['labels', 'annotations'] as const) {
    for (const [key, value] of Object.entries(isMap(input[field]) ? input[field] : {})) {
      const hint = entryOf(reserved, key);
      if (hint !== undefined || saysMode(hostNetworkLabel, mode === 'host-network', key, value)) {
        problems
          .at(field, key)
          .add('EDGE_RESERVED_KEY', `${key} is reserved: managed by OpenYurt and this library`, hint ?? MODE_HINT);
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
          `${field} is a property of the pool`,
          field === 'hostNetwork'
            ? 'use HostNetworkNodePool or RegularNodePool'
            : `write ${field} outside of extraSpec`,
        );
    }
  }
}

/** A check of the metadata. A host-network pool that is adopted may have the annotation that tells every release what it is. */
function poolMetadata(mode: PoolMode): (metadata: unknown, problems: ProblemList) => void {
  const isAgreed = (key: string, value: unknown): boolean =>
    mode === 'host-network' && key === HOST_NETWORK_LABEL && value === TRUE;
  const reserved: readonly [field: string, keys: readonly string[]][] = [
    ['labels', [...Object.keys(OWN_LABELS), POOL_TYPE_LABEL]],
    ['annotations', [HOST_NETWORK_LABEL]],
  ];
  return (metadata, problems) => {
    checkMetadata(metadata, problems);
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
    for (const [field, keys] of reserved) {
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
