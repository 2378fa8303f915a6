import type { Chart } from 'cdk8s';
import { HostNetworkNodePool } from 'edge-nodepools';
import { type BadInput, cluster, cluster16, plain, pool, untyped } from './case.js';

const hostNetwork = (props: object) => (chart: Chart) =>
  new HostNetworkNodePool(chart, 'pool', untyped({ cluster, poolName: 'hz', ...props }));

/** Fields that depend on the release, and the object's own metadata. */
export const poolFields: BadInput[] = [
  {
    what: 'interConnectivity before 1.7',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'interConnectivity',
    hint: 'OpenYurt 1.7',
    make: hostNetwork({ cluster: cluster16, interConnectivity: true }),
  },
  {
    what: 'leader election before 1.7',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'enableLeaderElection',
    hint: 'OpenYurt 1.7',
    make: hostNetwork({ cluster: cluster16, enableLeaderElection: true }),
  },
  {
    what: 'leaderReplicas without OpenYurt',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'leaderReplicas',
    hint: 'remove it',
    make: hostNetwork({ cluster: plain, leaderReplicas: 1 }),
  },
  {
    what: 'annotations without OpenYurt',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'annotations',
    hint: 'use labels',
    make: hostNetwork({ cluster: plain, annotations: { a: 'b' } }),
  },
  {
    what: 'a label that kubelet refuses, without OpenYurt',
    code: 'EDGE_RESERVED_KEY',
    path: 'labels["node-role.kubernetes.io/edge"]',
    hint: 'node.kubernetes.io',
    make: hostNetwork({ cluster: plain, labels: { 'node-role.kubernetes.io/edge': '' } }),
  },
  {
    what: 'Mark with a capital, as OpenYurt’s message spells it',
    code: 'EDGE_VALUE',
    path: 'leaderElectionStrategy',
    hint: "'mark'",
    make: hostNetwork({ leaderElectionStrategy: 'Mark' }),
  },
  {
    what: 'mark without marked nodes',
    code: 'EDGE_MISSING',
    path: 'leaderNodeLabelSelector',
    hint: 'leaderNodeLabelSelector: {',
    make: hostNetwork({ leaderElectionStrategy: 'mark' }),
  },
  {
    what: 'no leaders',
    code: 'EDGE_VALUE',
    path: 'leaderReplicas',
    hint: '1 or more',
    make: hostNetwork({ leaderReplicas: 0 }),
  },
  {
    what: 'pool-scope metadata without version',
    code: 'EDGE_MISSING',
    path: 'poolScopeMetadata[0].version',
    hint: "version: 'v1'",
    make: hostNetwork({ poolScopeMetadata: [{ group: '', resource: 'services' }] }),
  },
  {
    what: 'a pool whose leader distributes a version',
    code: 'EDGE_VALUE',
    path: 'poolScopeMetadata[0].group',
    hint: "write group: ''",
    make: hostNetwork({ poolScopeMetadata: [{ group: 'v1', version: 'v1', resource: 'configmaps' }] }),
  },
  {
    what: 'a pool whose leader distributes a kind',
    code: 'EDGE_VALUE',
    path: 'poolScopeMetadata[0].resource',
    hint: "write resource: 'configmaps'",
    make: hostNetwork({ poolScopeMetadata: [{ group: '', version: 'v1', resource: 'ConfigMap' }] }),
  },
  {
    what: 'pool-scope metadata that is a map',
    code: 'EDGE_TYPE',
    path: 'poolScopeMetadata',
    hint: '[{',
    make: hostNetwork({ poolScopeMetadata: {} }),
  },
  {
    what: 'hostNetwork through extraSpec',
    code: 'EDGE_RESERVED_KEY',
    path: 'extraSpec.hostNetwork',
    hint: 'RegularNodePool',
    make: hostNetwork({ extraSpec: { hostNetwork: false } }),
  },
  {
    what: 'a function in extraSpec',
    code: 'EDGE_TYPE',
    path: 'extraSpec.later',
    hint: 'string, number',
    make: hostNetwork({ extraSpec: { later: () => 1 } }),
  },
  {
    what: 'extraSpec without OpenYurt',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'extraSpec',
    hint: 'remove extraSpec',
    make: hostNetwork({ cluster: plain, extraSpec: { a: 1 } }),
  },
  {
    what: 'another name in metadata',
    code: 'EDGE_DUPLICATE',
    path: 'metadata.name',
    hint: 'poolName',
    make: hostNetwork({ metadata: { name: 'other' } }),
  },
  {
    what: 'a namespace',
    code: 'EDGE_NAME',
    path: 'metadata.namespace',
    hint: 'remove the namespace',
    make: hostNetwork({ metadata: { namespace: 'edge' } }),
  },
  {
    what: 'the library’s own label',
    code: 'EDGE_RESERVED_KEY',
    path: 'metadata.labels["app.kubernetes.io/managed-by"]',
    hint: 'remove it',
    make: hostNetwork({ metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } }),
  },
  {
    what: 'half a node',
    code: 'EDGE_VALUE',
    path: 'expectedNodes',
    hint: 'whole number',
    make: hostNetwork({ expectedNodes: 2.5 }),
  },
  {
    what: 'a pool made twice',
    code: 'EDGE_DUPLICATE',
    path: 'poolName',
    hint: 'a unique name',
    make: (chart) => [pool(chart, 'hz'), hostNetwork({})(chart)],
  },
  {
    what: 'an imported pool with a bad name',
    code: 'EDGE_NAME',
    path: 'poolName',
    hint: 'poolName',
    make: (chart) => HostNetworkNodePool.fromPoolName(chart, 'x', { cluster, poolName: 'A B' }),
  },
];
