import type { Chart } from 'cdk8s';
import {
  ExcludedWorkload,
  OpenYurtWebhooks,
  parseMachines,
  PoolAdmission,
  PoolWebhook,
  YurtAppSet,
  YurtStaticSet,
} from 'edge-nodepools';
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
  ...['[{"name":"a"}]', '\n- name: a\n'].map((text): Row => [
    `machines as ${JSON.stringify(text)} without the name of the file`,
    'EDGE_TYPE',
    'text',
    "'machines.json')",
    () => parseMachines(text),
  ]),
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
];

export const thirdHour: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a newcomer writes ${what}`,
  code,
  path,
  hint,
  make,
}));
