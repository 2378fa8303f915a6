import { ApiObject, App, type Chart } from 'cdk8s';
import {
  artifactsOf,
  EdgeCluster,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  footprint,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  NodeReservation,
  BootstrapToken,
  placeFleet,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools';
import { type BadInput, cluster, deployment, pool, untyped } from './case.js';

type Row = readonly [what: string, code: BadInput['code'], path: string, hint: string, make: (chart: Chart) => unknown];

const versions = (props: object) => () => EdgeCluster.of(untyped({ openYurt: '1.7', kubernetes: '1.34', ...props }));
const newPool = (props: object) => (chart: Chart) =>
  new HostNetworkNodePool(chart, 'p', untyped({ cluster, poolName: 'hz', ...props }));
const excluded = (workload: unknown) => (chart: Chart) =>
  new ExcludedWorkload(chart, 'web', { cluster, workload: untyped(workload) });
const onPool = (workload: unknown) => (chart: Chart) =>
  new HostNetworkWorkload(chart, 'web', { pool: pool(chart), workload: untyped(workload) });
const system = (props: object) => (chart: Chart) =>
  new EdgeSystemComponents(chart, 's', untyped({ cluster, exclude: [SystemComponent.CALICO], ...props }));
const joined = (props: object) => (chart: Chart) =>
  new NodeJoin(
    chart,
    'j',
    untyped({ pool: pool(chart), token: JoinToken.fromFile('/var/lib/edge/join-token'), ...props }),
  );
const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: {} };
const port = (entry: object): object => deployment({ containers: [{ name: 'a', image: 'b', ports: [entry] }] });
const PORT = 'workload.spec.template.spec.containers[0].ports[0]';

/** Mistakes of somebody who uses the library for the first time. */
const ROWS: readonly Row[] = [
  [
    'kubernetes: 1.30, a number',
    'EDGE_TYPE',
    'kubernetes',
    "kubernetes: '1.30' in quotes",
    versions({ kubernetes: 1.3 }),
  ],
  [
    'kubernetes: 1.34, a number',
    'EDGE_TYPE',
    'kubernetes',
    "kubernetes: '1.34' in quotes",
    versions({ kubernetes: 1.34 }),
  ],
  ['kubernetes: 134', 'EDGE_TYPE', 'kubernetes', "kubernetes: '1.34' in quotes", versions({ kubernetes: 134 })],
  [
    'text in place of properties',
    'EDGE_TYPE',
    '',
    'write { cluster, … }',
    (chart) => new HostNetworkNodePool(chart, 'p', untyped('hz')),
  ],
  [
    'a list of lists of template paths',
    'EDGE_VALUE',
    'podTemplatePath[0]',
    "write 'spec.template'",
    (chart) =>
      new ExcludedWorkload(chart, 'web', { cluster, workload: deployment(), podTemplatePath: untyped([['spec']]) }),
  ],
  ['a list of releases', 'EDGE_TYPE', 'openYurt', "'1.7' in quotes", versions({ openYurt: ['1.7'] })],
  [
    'swapped releases',
    'EDGE_NEWER_RELEASE',
    'openYurt',
    "swapped: write openYurt: '1.7', kubernetes: '1.34'",
    versions({ openYurt: '1.34', kubernetes: '1.7' }),
  ],
  [
    'swapped releases with none',
    'EDGE_NEWER_RELEASE',
    'openYurt',
    "openYurt: 'none'",
    versions({ openYurt: '1.34', kubernetes: 'none' }),
  ],
  [
    'openyurt in lower case',
    'EDGE_UNKNOWN_PROPERTY',
    'openyurt',
    'did you mean openYurt?',
    versions({ openyurt: '1.7' }),
  ],
  ['a cluster as plain data', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of(', newPool({ cluster: { openYurt: '1.7' } })],
  ['name instead of poolName', 'EDGE_UNKNOWN_PROPERTY', 'name', 'did you mean poolName?', newPool({ name: 'hz' })],
  ['expectedNodes: "40"', 'EDGE_VALUE', 'expectedNodes', 'write 40, without quotes', newPool({ expectedNodes: '40' })],
  [
    'expectedNodes: "many"',
    'EDGE_VALUE',
    'expectedNodes',
    'write a whole number, 0 or more',
    newPool({ expectedNodes: 'many' }),
  ],
  [
    'taints as one text',
    'EDGE_TYPE',
    'taints',
    "[{ key: 'edge', value: 'true', effect: 'NoSchedule' }]",
    newPool({ taints: 'edge=true:NoSchedule' }),
  ],
  [
    'a taint as text',
    'EDGE_TYPE',
    'taints[0]',
    "{ key: 'edge', effect: 'NoExecute' }",
    newPool({ taints: ['edge:NoExecute'] }),
  ],
  [
    'a taint value that is true',
    'EDGE_TAINT',
    'taints[0].value',
    "value: 'true'",
    newPool({ taints: [{ key: 'edge', value: true, effect: 'NoSchedule' }] }),
  ],
  [
    'no scope',
    'EDGE_MISSING',
    'scope',
    'new Chart(app',
    () => new HostNetworkNodePool(untyped(undefined), 'p', { cluster, poolName: 'a' }),
  ],
  [
    'an object as scope',
    'EDGE_TYPE',
    'scope',
    'new Chart(app',
    () => new ExcludedWorkload(untyped({}), 'p', untyped({})),
  ],
  [
    'the app as scope',
    'EDGE_MISSING',
    'scope',
    'give chart instead of app',
    () => new HostNetworkNodePool(new App(), 'p', { cluster, poolName: 'a' }),
  ],
  [
    'no id',
    'EDGE_MISSING',
    'id',
    "new HostNetworkNodePool(chart, 'id'",
    (chart) => new HostNetworkNodePool(chart, untyped({ cluster }), untyped(undefined)),
  ],
  ['an empty id', 'EDGE_MISSING', 'id', "new NodeJoin(chart, 'id'", (chart) => new NodeJoin(chart, '', untyped({}))],
  [
    'a preset without its prefix',
    'EDGE_VALUE',
    '',
    "did you mean 'edge-small'?",
    () => NodeReservation.preset(untyped('small')),
  ],
  [
    'kind: Daemonset',
    'EDGE_NO_POD_TEMPLATE',
    'workload.kind',
    "kind: 'DaemonSet'",
    excluded({ ...deployment(), kind: 'Daemonset' }),
  ],
  [
    'kind: deployments',
    'EDGE_NO_POD_TEMPLATE',
    'workload.kind',
    "kind: 'Deployment'",
    excluded({ ...deployment(), kind: 'deployments' }),
  ],
  [
    'apiVersion: app/v1',
    'EDGE_NO_POD_TEMPLATE',
    'workload.apiVersion',
    "apiVersion: 'apps/v1'",
    excluded({ ...deployment(), apiVersion: 'app/v1' }),
  ],
  [
    'a Deployment of v1',
    'EDGE_NO_POD_TEMPLATE',
    'workload.apiVersion',
    "apiVersion: 'apps/v1'",
    excluded({ ...deployment(), apiVersion: 'v1' }),
  ],
  [
    'a Job of apps/v1',
    'EDGE_NO_POD_TEMPLATE',
    'workload.apiVersion',
    "apiVersion: 'batch/v1'",
    excluded({ ...deployment(), kind: 'Job' }),
  ],
  [
    'a Pod of apps/v1',
    'EDGE_NO_POD_TEMPLATE',
    'workload.apiVersion',
    "apiVersion: 'v1'",
    excluded({ ...deployment(), kind: 'Pod' }),
  ],
  [
    'kind: Daemonset on a pool',
    'EDGE_NO_POD_TEMPLATE',
    'workload.kind',
    "kind: 'DaemonSet'",
    onPool({ ...deployment(), kind: 'Daemonset' }),
  ],
  ['a Service on a pool', 'EDGE_NO_POD_TEMPLATE', 'workload', 'beside the workload', onPool(service)],
  [
    'the name of a file',
    'EDGE_YAML',
    'workload',
    "readFileSync('manifests/web.yaml', 'utf8')",
    excluded('manifests/web.yaml'),
  ],
  [
    'an ApiObject',
    'EDGE_NOT_AN_OBJECT',
    'workload',
    'ExcludedWorkload.mixin',
    (chart) => excluded(new ApiObject(chart, 'o', service))(chart),
  ],
  [
    'an instance of a class without a name',
    'EDGE_NOT_AN_OBJECT',
    'workload',
    'one plain object',
    excluded(new (class {})()),
  ],
  [
    'containerPort: "8080"',
    'EDGE_PORT',
    `${PORT}.containerPort`,
    'write 8080, without quotes',
    onPool(port({ containerPort: '8080' })),
  ],
  [
    'hostPort: "8080"',
    'EDGE_PORT',
    `${PORT}.hostPort`,
    'write 8080, without quotes',
    onPool(port({ containerPort: 8080, hostPort: '8080' })),
  ],
  [
    'maxUnavailable: "1"',
    'EDGE_ROLLOUT',
    'workload.spec.strategy.rollingUpdate.maxUnavailable',
    'write 1, without quotes',
    onPool(deployment({}, { strategy: { rollingUpdate: { maxUnavailable: '1' } } })),
  ],
  [
    'one component instead of a list',
    'EDGE_TYPE',
    'exclude',
    'write exclude: [SystemComponent.CALICO]',
    system({ exclude: SystemComponent.CALICO }),
  ],
  [
    'a component by its name',
    'EDGE_TYPE',
    'exclude[0]',
    'SystemComponent.METRICS_SERVER',
    system({ exclude: ['metrics-server'] }),
  ],
  [
    'a constant as text',
    'EDGE_TYPE',
    'exclude[0]',
    'SystemComponent.NODE_LOCAL_DNS',
    system({ exclude: ['NODE_LOCALDNS'] }),
  ],
  ['a misspelled constant', 'EDGE_TYPE', 'exclude[0]', 'SystemComponent.KUBE_PROXY', system({ exclude: [undefined] })],
  ['components as text', 'EDGE_TYPE', 'exclude', 'exclude: [SystemComponent.', system({ exclude: 'kube-proxy' })],
  [
    'absent of calico as text',
    'EDGE_TYPE',
    'components.calico.absent',
    "['calico-kube-controllers']",
    system({ components: { calico: { absent: 'a' } } }),
  ],
  ['keepOff', 'EDGE_UNKNOWN_PROPERTY', 'keepOff', 'did you mean exclude?', system({ keepOff: [] })],
  [
    'coreDnsCorefile',
    'EDGE_UNKNOWN_PROPERTY',
    'coreDnsCorefile',
    'did you mean corefile?',
    (chart) => new EdgePreconditions(chart, 's', untyped({ cluster, coreDnsCorefile: {} })),
  ],
  [
    'placeFleet(chart)',
    'EDGE_TYPE',
    'manifests',
    'placeFleet(manifestsOf(chart))',
    (chart) => placeFleet(untyped(chart)),
  ],
  ['footprint(manifest)', 'EDGE_TYPE', 'manifests', 'footprint([manifest])', () => footprint(untyped(service))],
  ['artifactsOf()', 'EDGE_MISSING', 'scope', 'artifactsOf(app)', () => artifactsOf(untyped(undefined))],
  ['the name of a pool', 'EDGE_MISSING', 'pool', 'HostNetworkNodePool.fromPoolName', joined({ pool: 'hz' })],
  ['attempts: "3"', 'EDGE_VALUE', 'attempts', 'write 3, without quotes', joined({ attempts: '3' })],
  ['via: kubeadmin', 'EDGE_VALUE', 'via', "did you mean 'kubeadm'?", joined({ via: 'kubeadmin' })],
  [
    'a Date as expiration',
    'EDGE_VALUE',
    'expiration',
    'date.toISOString()',
    (chart) =>
      new BootstrapToken(chart, 'b', {
        token: JoinToken.inline('abcdef.0123456789abcdef\n'),
        expiration: untyped(new Date(0)),
      }),
  ],
  [
    'a guarantee at the top',
    'EDGE_UNKNOWN_PROPERTY',
    'nodeLabel',
    'guarantees: { nodeLabel: true }',
    (chart) => new PoolAdmission(chart, 'a', untyped({ cluster, nodeLabel: true })),
  ],
  [
    'a setting of a webhook at the top',
    'EDGE_UNKNOWN_PROPERTY',
    'timeoutSeconds',
    'in each of webhooks',
    (chart) => new PoolWebhook(chart, 'w', untyped({ cluster, timeoutSeconds: 5 })),
  ],
  [
    'the cluster as properties of the mixin',
    'EDGE_TYPE',
    '',
    '{ cluster, … }',
    () => ExcludedWorkload.mixin(untyped(cluster)),
  ],
];

export const beginners: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a beginner writes ${what}`,
  code,
  path,
  hint,
  make,
}));
