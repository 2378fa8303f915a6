import { EdgeCluster } from '../cluster/edge-cluster.js';
import { firstOpenYurtWith } from '../cluster/openyurt-capabilities.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import type { ProblemList } from '../base/errors.js';
import { isRefusedByKubelet, isSetByKubelet, saysArchitecture } from '../kubernetes/label-syntax.js';
import { HOST_NETWORK_LABEL, RESERVED_OF_NODES, saysMode } from '../kubernetes/labels.js';
import { checkNodeReservation } from './node-reservation.js';
import { entryOf, isMap, type PlainMap } from '../base/plain-data.js';
import { checkProperties } from '../base/property-table.js';
import { checkPoolAutonomy } from './autonomous-nodes.js';
import { type NodePoolInput, POOL_PROPERTIES, type PoolMode } from './node-pool-props.js';

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
export function checkNodePool(mode: PoolMode, input: NodePoolInput, problems: ProblemList): void {
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
