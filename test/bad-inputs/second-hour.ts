import { ApiObject, type Chart } from 'cdk8s';
import { EdgeCluster, ExcludedWorkload, HostNetworkNodePool, PoolAdmission } from 'edge-nodepools';
import { type BadInput, cluster, deployment, pool, untyped } from './case.js';
import { join } from './join-flags.js';

type Row = readonly [what: string, code: BadInput['code'], path: string, hint: string, make: (chart: Chart) => unknown];

const namespaced = (namespace: unknown, chart: Chart): unknown =>
  new ExcludedWorkload(chart, 'web', {
    cluster,
    workload: untyped({ ...deployment(), metadata: { name: 'web', namespace } }),
  });
const excluded = (props: object) => (chart: Chart) => new ExcludedWorkload(chart, 'web', untyped(props));
const admission = (props: object) => (chart: Chart) => new PoolAdmission(chart, 'a', untyped({ cluster, ...props }));
const NAMESPACE = 'workload.metadata.namespace';
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const OWN_POOLS = "leave it out; others by name: otherPools: ['beijing']";

/** Mistakes of somebody who changes a project that works. */
const ROWS: readonly Row[] = [
  [
    'a construct as namespace',
    'EDGE_TYPE',
    NAMESPACE,
    'write its name, for example it.name',
    (chart) => namespaced(new ApiObject(chart, 'ns', shop), chart),
  ],
  ['a Namespace as namespace', 'EDGE_TYPE', NAMESPACE, "write its name: 'shop'", (chart) => namespaced(shop, chart)],
  [
    'metadata as namespace',
    'EDGE_TYPE',
    NAMESPACE,
    "write its name: 'shop'",
    (chart) => namespaced({ name: 'shop' }, chart),
  ],
  ['a variable in ordinary quotes', 'EDGE_NAME', NAMESPACE, 'backquotes', (chart) => namespaced('shop-${site}', chart)],
  [
    'a variable of a pool in ordinary quotes',
    'EDGE_NAME',
    'poolName',
    'backquotes',

    (chart) => new HostNetworkNodePool(chart, 'p', { cluster, poolName: 'pool-${site}' }),
  ],
  [
    'a list of pools of admission',
    'EDGE_TYPE',
    'pools',
    OWN_POOLS,
    (chart) => admission({ pools: [pool(chart)] })(chart),
  ],
  [
    'a pool of admission',
    'EDGE_UNKNOWN_PROPERTY',
    'pool',
    OWN_POOLS,
    (chart) => admission({ pool: pool(chart) })(chart),
  ],
  ['nodePools of admission', 'EDGE_UNKNOWN_PROPERTY', 'nodePools', OWN_POOLS, admission({ nodePools: ['edge'] })],
  [
    'the pool from which a workload is excluded',
    'EDGE_UNKNOWN_PROPERTY',
    'pool',
    'to run it on the pool use HostNetworkWorkload',
    (chart) => excluded({ cluster, pool: pool(chart), workload: deployment() })(chart),
  ],
  [
    'a workload as properties',
    'EDGE_UNKNOWN_PROPERTY',
    'apiVersion',
    'write the object as workload: { cluster, workload }',
    excluded(deployment()),
  ],
  [
    'a minor of Kubernetes as release of OpenYurt',
    'EDGE_NEWER_RELEASE',
    'openYurt',
    "1.34 is a minor of Kubernetes: write openYurt: '1.7', kubernetes: '1.34'",
    () => EdgeCluster.of(untyped({ openYurt: '1.34' })),
  ],
  ['the API server at a join', 'EDGE_UNKNOWN_PROPERTY', 'apiServer', 'of the cluster', join({ apiServer: 'a:6443' })],
  [
    'mirrors at a join',
    'EDGE_UNKNOWN_PROPERTY',
    'registryMirrors',
    'machineSettings: { registries: { … } }',
    join({ registryMirrors: [] }),
  ],
  [
    'text for a number of kubelet',
    'EDGE_TYPE',
    'kubeletConfiguration.maxPods',
    'write 50, without quotes',
    join({ kubeletConfiguration: { maxPods: '50' } }),
  ],
  [
    'text for a switch of kubelet',
    'EDGE_TYPE',
    'kubeletConfiguration.seccompDefault',
    'write true, without quotes',
    join({ kubeletConfiguration: { seccompDefault: 'true' } }),
  ],
  [
    'a template of Helm as YAML',
    'EDGE_YAML',
    'workload',
    'give what helm template writes',
    excluded({ cluster, workload: 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n' }),
  ],
  [
    'a tab in YAML',
    'EDGE_YAML',
    'workload',
    'write blanks in place of the tab',
    excluded({ cluster, workload: 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n\tname: web\n' }),
  ],
];

export const secondHour: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a beginner writes ${what}`,
  code,
  path,
  hint,
  make,
}));
