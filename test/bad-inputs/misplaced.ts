import type { Chart } from 'cdk8s';
import {
  EdgePreconditions,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  YurtAppSet,
  YurtStaticSet,
} from 'edge-nodepools';
import { fromOci } from 'edge-nodepools/delivery';
import { type BadInput, cluster, deployment, pool, untyped } from './case.js';
import { join } from './join-flags.js';

type Row = readonly [
  what: string,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
  make: (chart: Chart) => unknown,
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
/** What is written in a place where it does not belong, or as another tool has it. */
const ROWS: readonly Row[] = [
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
    'a file for a folder of CNI',
    'EDGE_VALUE',
    'cniFolder',
    "write '/etc/cni/net.d'",
    join({ cniFolder: '/etc/cni/net.d/10-x.conflist' }),
  ],
  [
    'the version of a package',
    'EDGE_VALUE',
    'packages.version',
    "write '1.34.1'",
    join({ packages: { manager: 'apt', version: 'v1.34.1-1.1' } }),
  ],
  [
    'the tag in the address of a registry',
    'EDGE_VALUE',
    'url',
    "write url: 'oci://registry.example/fleet', tag: 'v1'",
    () => fromOci({ url: 'oci://registry.example/fleet:v1' }),
  ],
];

export const misplaced: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a newcomer misplaces ${what}`,
  code,
  path,
  hint,
  make,
}));
