/** Kinds and names that were passed over or printed silently. */
import { ApiObject, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { main } from '../../src/cli/main.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const containers = [{ name: 'app', image: 'app:1' }];
const pod = { spec: { containers } };
const worker = (fields: object, kind = 'Worker', apiVersion = 'example.com/v1'): any => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  ...fields,
});

/** What the mixin warns of. */
function mixed(object: any): any {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  new ApiObject(chart, 'object', object);
  chart.with(ExcludedWorkload.mixin({ cluster }));
  return { warnings: EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_NOT_EXCLUDED') };
}

function postRender(objects: readonly object[], ...args: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['post-render', ...args], {
    stdin: () => objects.map((object) => JSON.stringify(object)).join('\n---\n'),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const argo = (helm: object): any => worker({ spec: { source: { helm } } }, 'Application', 'argoproj.io/v1alpha1');
const chart = (fields: object): any => worker({ spec: { chart: 'web', ...fields } }, 'HelmChart', 'helm.cattle.io/v1');
const EXCLUDED = `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: nodepool.openyurt.io/hostnetwork, operator: NotIn, values: ["true"]}]}]}}}`;

it.each<[string, any, path: string]>([
  [
    'values of a HelmChart with a node selector',
    chart({ valuesContent: 'web:\n  nodeSelector:\n    disk: ssd\n' }),
    'spec.valuesContent',
  ],
  [
    'values of a HelmChart that are a template',
    chart({ valuesContent: 'tolerations: {{ .x }}\n{{ end }}' }),
    'spec.valuesContent',
  ],
  ['settings of a HelmChart', chart({ set: { 'web.hostNetwork': 'true' } }), 'spec.set["web.hostNetwork"]'],
  [
    'values of an Application with tolerations',
    argo({ values: 'tolerations:\n- operator: Exists\n' }),
    'spec.source.helm.values',
  ],
  ['values of an Application with hostNetwork', argo({ values: 'a: {hostNetwork: true}' }), 'spec.source.helm.values'],
  [
    'values of an Application as a map',
    argo({ valuesObject: { agent: { hostNetwork: true } } }),
    'spec.source.helm.valuesObject.agent.hostNetwork',
  ],
  [
    'parameters of an Application',
    argo({ parameters: [{ name: 'a.nodeSelector.disk', value: 'ssd' }] }),
    'spec.source.helm.parameters[0].value',
  ],
  [
    'controlPlaneNodeSelector of Tigera',
    worker({ spec: { controlPlaneNodeSelector: { disk: 'ssd' } } }, 'Installation', 'operator.tigera.io/v1'),
    'spec.controlPlaneNodeSelector',
  ],
  ['other tolerations', worker({ spec: { agentTolerations: [{ operator: 'Exists' }] } }), 'spec.agentTolerations'],
  [
    'other affinities',
    worker({ spec: { serverAffinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } } }),
    'spec.serverAffinity',
  ],
  [
    'a container of Chaos Mesh',
    worker(
      { spec: { templates: [{ task: { container: { name: 'a', image: 'b' } } }] } },
      'Workflow',
      'chaos-mesh.org/v1alpha1',
    ),
    'spec.templates[0].task.container',
  ],
  [
    'containers by another name',
    worker({ spec: { sidecars: [{ name: 'a', image: 'b', args: ['c'] }] } }),
    'spec.sidecars',
  ],
  ['extra containers', worker({ spec: { extraContainers: [{ name: 'a' }] } }), 'spec.extraContainers'],
  [
    'a template with an empty spec',
    worker({ spec: { template: { metadata: { labels: { a: 'b' } }, spec: {} } } }),
    'spec.template',
  ],
  [
    'an operator that makes Pods of any object',
    worker({ spec: { replicas: 3 } }, 'RabbitmqCluster', 'rabbitmq.com/v1beta1'),
    'spec',
  ],
])('tells of %s', (_, object, path) => {
  expect(mixed(object).warnings).toEqual([expect.objectContaining({ path })]);
  expect(postRender([object], '--strict')).toMatchObject({ code: 1, out: '', err: expect.stringContaining(path) });
});

it.each<[string, any]>([
  [
    'values without such fields',
    chart({ valuesContent: 'nodeSelector: {}\ntolerations: []\nhostNetwork: false\naffinity:\n' }),
  ],
  ['values that exclude', chart({ valuesContent: EXCLUDED })],
  ['a setting that is off', chart({ set: { 'web.hostNetwork': 'false' } })],
  ['a NodePool', worker({ spec: { type: 'Edge', hostNetwork: true } }, 'NodePool', 'apps.openyurt.io/v1beta2')],
  ['images beside names', worker({ spec: { relatedImages: [{ name: 'a', image: 'b' }] } })],
  ['a selector of labels', worker({ spec: { poolNodeSelector: { matchLabels: { a: 'b' } } } })],
  [
    'an empty template of machines',
    worker({ spec: { template: { spec: {} } } }, 'DockerMachineTemplate', 'infrastructure.cluster.x-k8s.io/v1beta1'),
  ],
])('is silent about %s', (_, object) => {
  expect(postRender([object], '--strict')).toMatchObject({ code: 0, err: '' });
});

it('tells of a PlatformAdmin in a stream, where the pools are not known', () => {
  for (const [version, spec, pools] of [
    ['v1beta1', { nodepools: ['hz', 'sh'] }, 'hz, sh'],
    ['v1alpha1', { poolName: 'hz' }, 'hz'],
  ] as const) {
    const object = worker({ spec }, 'PlatformAdmin', `iot.openyurt.io/${version}`);
    const { code, err } = postRender([object], '--strict');
    expect(code).toBe(1);
    expect(err).toContain(
      `PlatformAdmin web (iot.openyurt.io/${version}) has Pods in the pools that it names, ${pools};`,
    );
    expect(err).toContain('--skip PlatformAdmin.iot.openyurt.io');
    expect(postRender([object], '--strict', '--skip', 'PlatformAdmin.iot.openyurt.io').code).toBe(0);
  }
});

it('prints names escaped in warnings, and writes them as they are', () => {
  const object = { ...worker({ spec: { template: pod } }, 'Wor\u202eker'), metadata: { name: 'a\u001b[2J\u202eb' } };
  const other = { ...object, kind: 'Robot' };
  for (const objects of [[object], [object, other]]) {
    const { out, err } = postRender(objects);
    expect(err).not.toMatch(/[\u001b\u202e]/);
    expect(err).toContain('a\\u001b[2J\\u202eb');
    expect(out).toContain('\u202e');
  }
});

it('hides no kind behind a number', () => {
  const same = Array.from({ length: 15 }, () => worker({ spec: { template: pod } }));
  const objects = [
    ...same,
    worker({ spec: { template: pod } }, 'Robot'),
    worker({ spec: { template: pod } }, 'Worker', 'example.org/v1'),
  ];
  const { err } = postRender(objects.map((object, index) => ({ ...object, metadata: { name: `w${index}` } })));
  expect(err).toContain('17 times');
  expect(err).toContain('Robot w15');
  expect(err).toContain('Worker w16');
  expect(err).toContain('and 12 more');
});

it.each([
  ['CouchbaseCluster', 'couchbase.com/v2'],
  ['VitessCluster', 'planetscale.com/v2'],
  ['DatadogAgent', 'datadoghq.com/v2alpha1'],
  ['GpuDevicePlugin', 'deviceplugin.intel.com/v1'],
  ['DynaKube', 'dynatrace.com/v1beta5'],
  ['FlowCollector', 'flows.netobserv.io/v1beta2'],
  ['FluentBit', 'fluentbit.fluent.io/v1alpha2'],
  ['InstanaAgent', 'instana.io/v1'],
  ['FluentbitAgent', 'logging.banzaicloud.io/v1beta1'],
  ['NicClusterPolicy', 'mellanox.com/v1alpha1'],
  ['NetworkAddonsConfig', 'networkaddonsoperator.network.kubevirt.io/v1'],
  ['SriovOperatorConfig', 'sriovnetwork.openshift.io/v1'],
  ['TridentOrchestrator', 'trident.netapp.io/v1'],
])('warns of a %s without any field of a Pod', (kind, apiVersion) => {
  expect(mixed(worker({ spec: {} }, kind, apiVersion)).warnings).toHaveLength(1);
});

it('hides no kind of an operator behind a number', () => {
  const kinds = Array.from({ length: 20 }, (_, index) => `Kind${index}`);
  const { err } = postRender(kinds.map((kind) => worker({ spec: { nodeSelector: { disk: 'ssd' } } }, kind)));
  expect(kinds.filter((kind) => !err.includes(`${kind} `))).toEqual([]);
});
