import type { Chart } from 'cdk8s';
import {
  EdgePreconditions,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  OpenYurtWebhooks,
  parseMachines,
  PoolAdmission,
  PoolWebhook,
  YurtAppSet,
  YurtStaticSet,
} from 'edge-nodepools';
import { fromOci } from 'edge-nodepools/delivery';
import { CA_BUNDLE } from '../corpus/ca-bundle.js';
import { type BadInput, cluster, deployment, pool, untyped } from './case.js';
import { join } from './join-flags.js';

type Row = readonly [
  what: string,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
  make: (chart: Chart) => unknown,
];

/** A field of the KubeletConfiguration in another type than that of Go. */
const kubelet = (field: string, value: unknown, hint: string, inside = ''): Row => [
  `${JSON.stringify(value)} for ${field} of kubelet`,
  'EDGE_TYPE',
  `kubeletConfiguration.${field}${inside}`,
  hint,
  join({ kubeletConfiguration: { [field]: value } }),
];

const set = (chart: Chart, workloadTweaks: object[]): unknown =>
  new YurtAppSet(
    chart,
    'set',
    untyped({
      pool: pool(chart),
      deploymentTemplate: { spec: untyped<{ spec: object }>(deployment()).spec },
      workloadTweaks,
    }),
  );
const staticSet = (chart: Chart, props: object): unknown =>
  new YurtStaticSet(
    chart,
    'a',
    untyped({ pools: [pool(chart)], metadata: { name: 'a' }, template: { spec: {} }, ...props }),
  );
const label = { label: { team: 'edge' } };
const METADATA: readonly Row[] = Object.entries<(chart: Chart) => unknown>({
  HostNetworkNodePool: (chart) => pool(chart, 'hz', { metadata: label }),
  PoolAdmission: (chart) => new PoolAdmission(chart, 'a', untyped({ cluster, metadata: label })),
  OpenYurtWebhooks: (chart) => new OpenYurtWebhooks(chart, 'a', untyped({ cluster, metadata: label })),
  PoolWebhook: (chart) =>
    new PoolWebhook(
      chart,
      'a',
      untyped({
        cluster,
        type: 'validating',
        webhooks: [
          {
            name: 'pods.guard.example.com',
            rules: ['pods'],
            service: { name: 'guard', namespace: 'edge' },
            caBundle: CA_BUNDLE,
          },
        ],
        metadata: label,
      }),
    ),
  YurtAppSet: (chart) =>
    new YurtAppSet(chart, 'a', untyped({ pool: pool(chart), deploymentTemplate: {}, metadata: label })),
  YurtStaticSet: (chart) =>
    new YurtStaticSet(
      chart,
      'a',
      untyped({ pools: [pool(chart)], template: { spec: {} }, metadata: { name: 'a', ...label } }),
    ),
}).map(([noun, make]) => [
  `a label in the singular in the metadata of ${noun}`,
  'EDGE_UNKNOWN_PROPERTY',
  'metadata.label',
  'did you mean labels?',
  make,
]);

/** What was accepted in silence, or refused without a word of what to write. */
const ROWS: readonly Row[] = [
  kubelet('clusterDNS', '169.254.20.10', "write ['169.254.20.10']"),
  kubelet('clusterDNS', '10.0.0.1, 10.0.0.2', "write ['10.0.0.1', '10.0.0.2']"),
  kubelet('clusterDNS', [10], "write '10', in quotes", '[0]'),
  kubelet('featureGates', 'A=true,B=false', 'write { A: true, B: false }'),
  kubelet('featureGates', ['A'], 'write a map of true and false'),
  kubelet('featureGates', { A: 'true' }, 'write true, without quotes', '.A'),
  kubelet('maxPods', '40', 'write 40, without quotes'),
  kubelet('maxPods', 40.5, 'write a whole number'),
  kubelet('nodeStatusUpdateFrequency', 10, "write '10s', with a unit"),
  kubelet('nodeStatusUpdateFrequency', '10', "write '10s', with a unit"),
  kubelet('shutdownGracePeriod', '30 seconds', "write a time span such as '30s'"),
  kubelet('containerLogMaxSize', 10, "write '10', in quotes"),
  kubelet('tlsCurvePreferences', ['X25519'], 'write a whole number', '[0]'),
  kubelet('logging', 'json', 'write a map'),
  kubelet('staticPodURLHeader', { a: 'b' }, "write ['b']", '.a'),
  kubelet(
    'topologyManagerPolicyOptions',
    { 'prefer-closest-numa-nodes': true },
    "write 'true', in quotes",
    '["prefer-closest-numa-nodes"]',
  ),
  kubelet('cpuManagerPolicyOptions', 'full-pcpus-only=true', "write { 'full-pcpus-only': 'true' }"),
  [
    'a whole Deployment as a template',
    'EDGE_TYPE',
    'deploymentTemplate',
    'write deploymentTemplate: { spec: it.spec }',
    (chart) => new YurtAppSet(chart, 'set', { pool: pool(chart), deploymentTemplate: deployment() }),
  ],
  [
    'a StatefulSet as the template of a Deployment',
    'EDGE_TYPE',
    'deploymentTemplate',
    'as in a Deployment',
    (chart) =>
      new YurtAppSet(chart, 'set', {
        pool: pool(chart),
        deploymentTemplate: { ...deployment(), kind: 'StatefulSet' },
      }),
  ],
  [
    'pools in place of their names',
    'EDGE_TYPE',
    'otherPools[0]',
    "write its name: 'hz'",
    (chart) => new PoolAdmission(chart, 'a', untyped({ cluster, otherPools: [pool(chart)] })),
  ],
  [
    'a LabelSelector of leaders',
    'EDGE_TYPE',
    'leaderNodeLabelSelector',
    "write leaderNodeLabelSelector: { 'edge.example/leader': 'yes' }",
    (chart) =>
      pool(chart, 'hz', {
        leaderElectionStrategy: 'mark',
        leaderNodeLabelSelector: { matchLabels: { 'edge.example/leader': 'yes' } },
      }),
  ],
  ...['system:serviceaccount:kube-system:admin', 'system:node:edge-1'].map((group): Row => [
    `the user ${group} as a group`,
    'EDGE_VALUE',
    'breakGlassGroups[0]',
    group.includes('account') ? "write 'system:serviceaccounts:kube-system'" : 'name a group',
    (chart) => new PoolAdmission(chart, 'a', { cluster, breakGlassGroups: [group] }),
  ]),
  [
    'a chart for the properties of the mixin',
    'EDGE_TYPE',
    '',
    'chart.with(ExcludedWorkload.mixin({ cluster }))',
    (chart) => ExcludedWorkload.mixin(untyped(chart)),
  ],
  [
    'the class as a mixin',
    'EDGE_TYPE',
    'with',
    'chart.with(ExcludedWorkload.mixin({ cluster }))',
    (chart) => chart.with(untyped(ExcludedWorkload)),
  ],
  [
    'the function that makes a mixin',
    'EDGE_TYPE',
    'with',
    'chart.with(ExcludedWorkload.mixin({ cluster }))',
    (chart) => chart.with(untyped(untyped<Record<string, unknown>>(ExcludedWorkload).mixin)),
  ],
  [
    'the name of a file with machines',
    'EDGE_TYPE',
    'text',
    "write parseMachines(readFileSync('machines.csv', 'utf8'), 'machines.csv')",
    () => parseMachines('machines.csv'),
  ],
  [
    'a column ip',
    'EDGE_UNKNOWN_PROPERTY',
    'machines.csv:1:6',
    'did you mean address?',
    () => parseMachines('name,ip\n'),
  ],
  [
    'a column Hostname',
    'EDGE_UNKNOWN_PROPERTY',
    'machines.csv:1:1',
    'did you mean name?',
    () => parseMachines('Hostname\n'),
  ],
  ...METADATA,
  [
    'labels as kubectl has them',
    'EDGE_TYPE',
    'labels',
    "write { a: 'b', 'x/y': '' }",
    (chart) => pool(chart, 'hz', { labels: 'a=b,x/y=' }),
  ],
  ['labels as a list', 'EDGE_TYPE', 'labels', "write { a: 'b' }", (chart) => pool(chart, 'hz', { labels: ['a=b'] })],
  [
    'other text for labels',
    'EDGE_TYPE',
    'labels',
    "write { site: 'hz-01' }",
    (chart) => pool(chart, 'hz', { labels: 'edge' }),
  ],
  [
    'the namespace of an excluded workload beside it',
    'EDGE_UNKNOWN_PROPERTY',
    'namespace',
    'in metadata of the workload',
    (chart) => new ExcludedWorkload(chart, 'w', untyped({ cluster, workload: deployment(), namespace: 'a' })),
  ],
  ...Object.entries({ cluster, replicas: 2, nodeSelector: {}, namespace: 'a' }).map(([name, value]): Row => [
    `${name} beside a host-network workload`,
    'EDGE_UNKNOWN_PROPERTY',
    name,
    name === 'replicas' ? 'in spec of the workload' : name === 'namespace' ? 'in metadata' : 'that of the pool',
    (chart) =>
      new HostNetworkWorkload(chart, 'w', untyped({ pool: pool(chart), workload: deployment(), [name]: value })),
  ]),
  [
    'a pattern for names',
    'EDGE_TYPE',
    'names[0]',
    'write match: (workload)',
    () => ExcludedWorkload.mixin(untyped({ cluster, names: [/web/] })),
  ],
  [
    'exclude for a filter',
    'EDGE_UNKNOWN_PROPERTY',
    'exclude',
    'named by kinds, namespaces',
    () => ExcludedWorkload.mixin(untyped({ cluster, exclude: [] })),
  ],
  ['ntp of a join', 'EDGE_UNKNOWN_PROPERTY', 'ntp', 'ntpServers', join({ ntp: ['a'] })],
  [
    'a flag in camel case',
    'EDGE_KUBELET_FLAG',
    'kubeletExtraArgs.maxPods',
    "write 'max-pods'",
    join({ kubeletExtraArgs: { maxPods: '1' } }),
  ],
  [
    'a flag with its value',
    'EDGE_KUBELET_FLAG',
    'kubeletExtraArgs["--max-pods=30"]',
    "write 'max-pods'",
    join({ kubeletExtraArgs: { '--max-pods=30': '' } }),
  ],
  [
    'an object as a file',
    'EDGE_TYPE',
    'files[0].content',
    'JSON.stringify',
    join({ files: [{ path: '/etc/a', content: {} }] }),
  ],
  ['names as machines', 'EDGE_TYPE', 'machines[0]', "write { name: 'edge-1' }", join({ machines: ['edge-1'] })],
  ['all checks as text', 'EDGE_TYPE', 'ignorePreflightErrors', "write ['all']", join({ ignorePreflightErrors: 'all' })],
  [
    'needs of preconditions',
    'EDGE_UNKNOWN_PROPERTY',
    'needs',
    'did you mean only?',
    (chart) => new EdgePreconditions(chart, 'p', untyped({ cluster, needs: [] })),
  ],
  [
    'a pool in a tweak',
    'EDGE_TYPE',
    'workloadTweaks[0].pools[0]',
    "write 'bj'",
    (chart) => set(chart, [{ pools: [pool(chart, 'bj')], tweaks: { replicas: 1 } }]),
  ],
  [
    'replicas beside tweaks',
    'EDGE_UNKNOWN_PROPERTY',
    'workloadTweaks[0].replicas',
    'write tweaks: { replicas: … }',
    (chart) => set(chart, [{ pools: ['hz'], replicas: 1 }]),
  ],
  [
    'op in a patch',
    'EDGE_UNKNOWN_PROPERTY',
    'workloadTweaks[0].tweaks.patches[0].op',
    'did you mean operation?',
    (chart) => set(chart, [{ pools: ['hz'], tweaks: { patches: [{ op: 'add', path: '/a' }] } }]),
  ],
  [
    'the workload of a set',
    'EDGE_UNKNOWN_PROPERTY',
    'workload',
    'write deploymentTemplate: { spec: workload.spec }',
    (chart) => new YurtAppSet(chart, 'set', untyped({ pool: pool(chart), workload: deployment() })),
  ],
  [
    'a whole Pod as a template',
    'EDGE_TYPE',
    'template',
    'name and namespace in metadata',
    (chart) => staticSet(chart, { template: { apiVersion: 'v1', kind: 'Pod', spec: {} } }),
  ],
  [
    'the path of a manifest',
    'EDGE_VALUE',
    'staticPodManifest',
    "write 'agent'",
    (chart) => staticSet(chart, { staticPodManifest: '/etc/kubernetes/manifests/agent.yaml' }),
  ],
  [
    'a name for a scope',
    'EDGE_TYPE',
    'scope',
    /^write HostNetworkNodePool\.fromPoolName\(chart, 'id'/,
    () => HostNetworkNodePool.fromPoolName(untyped('hz'), untyped(undefined), untyped(undefined)),
  ],
  [
    'the tag in the address of a registry',
    'EDGE_VALUE',
    'url',
    "write url: 'oci://registry.example/fleet', tag: 'v1'",
    () => fromOci({ url: 'oci://registry.example/fleet:v1' }),
  ],
];

export const thirdHour: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a newcomer writes ${what}`,
  code,
  path,
  hint,
  make,
}));
