/** What of an object of an unknown kind is taken for a Pod spec, and what is not: shapes as upstream projects have them, each with its file. */
import { ApiObject, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { main } from '../../src/cli/main.js';
import { deployment, manifest as object, nodeAffinity, objectsWithoutPods, YAML } from './objects-without-pods.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const podAntiAffinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
  },
};
function mixed(given: any, podTemplatePaths?: Record<string, string | string[]>): any {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  new ApiObject(chart, 'object', given);
  const mixin = ExcludedWorkload.mixin({ cluster, podTemplatePaths });
  chart.with(mixin);
  const [made] = Testing.synth(chart);
  const warnings = EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_NOT_EXCLUDED');
  return { ...mixin.report, made, warnings };
}

function postRender(given: object, ...args: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['post-render', ...args], {
    stdin: () => JSON.stringify(given),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

/** The path that is reported, and the one to write; with it the node affinity is at `made`. */
const TOLD: [source: string, given: any, told: string, entry: string | string[], made: string[]][] = [
  [
    'rabbitmq/cluster-operator docs/examples/pod-anti-affinity/rabbitmq.yaml',
    object('RabbitmqCluster', 'rabbitmq.com/v1beta1', { spec: { replicas: 3, affinity: podAntiAffinity } }),
    'spec.affinity',
    'spec',
    ['spec.affinity.nodeAffinity'],
  ],
  [
    'rabbitmq/cluster-operator docs/examples/tolerations/rabbitmq.yaml',
    object('RabbitmqCluster', 'rabbitmq.com/v1beta1', {
      spec: { tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'rabbitmq', effect: 'NoSchedule' }] },
    }),
    'spec.tolerations',
    'spec',
    ['spec.affinity.nodeAffinity'],
  ],
  [
    'kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1/types.go, ComponentConfig',
    object('KubeVirt', 'kubevirt.io/v1', {
      spec: {
        infra: { nodePlacement: { affinity: nodeAffinity('a') } },
        workloads: { nodePlacement: { affinity: nodeAffinity('b'), tolerations: [{ operator: 'Exists' }] } },
      },
    }),
    'spec.infra.nodePlacement.affinity',
    ['spec.infra.nodePlacement', 'spec.workloads.nodePlacement'],
    ['spec.infra.nodePlacement.affinity.nodeAffinity', 'spec.workloads.nodePlacement.affinity.nodeAffinity'],
  ],
  [
    'zalando/postgres-operator docs/reference/cluster_manifest.md: nodeAffinity in spec',
    object('postgresql', 'acid.zalan.do/v1', { spec: nodeAffinity('zone') }),
    'spec.nodeAffinity',
    'spec',
    ['spec.nodeAffinity'],
  ],
  [
    'zalando/postgres-operator manifests/complete-postgres-manifest.yaml',
    object('postgresql', 'acid.zalan.do/v1', { spec: { initContainers: [{ name: 'date', image: 'busybox' }] } }),
    'spec.initContainers',
    'spec',
    ['spec.affinity.nodeAffinity'],
  ],
  [
    'cassandra.rook.io, argoproj/argo-cd resource_customizations/cassandra.rook.io/Cluster/testdata/healthy.yaml',
    object('Cluster', 'cassandra.rook.io/v1alpha1', {
      spec: { datacenter: { racks: [{ name: 'us-east-1c', placement: nodeAffinity('zone') }] } },
    }),
    'spec.datacenter.racks[0].placement.nodeAffinity',
    'spec.datacenter.racks[*].placement',
    ['spec.datacenter.racks.0.placement.nodeAffinity'],
  ],
  [
    'VictoriaMetrics/operator config/examples/vmdistributed-migrate-from-chart.yaml',
    object('VMDistributed', 'operator.victoriametrics.com/v1alpha1', {
      spec: {
        vmselect: { topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname', maxSkew: 1 }] },
      },
    }),
    'spec.vmselect.topologySpreadConstraints',
    'spec.vmselect',
    ['spec.vmselect.affinity.nodeAffinity'],
  ],
  [
    'solr.apache.org, argoproj/argo-cd resource_customizations/solr.apache.org/SolrCloud/testdata/healthy.yaml',
    object('SolrCloud', 'solr.apache.org/v1beta1', {
      spec: {
        customSolrKubeOptions: {
          podOptions: { nodeSelector: { workload: 'general' }, tolerations: [], serviceAccountName: 'solr' },
        },
      },
    }),
    'spec.customSolrKubeOptions.podOptions.nodeSelector',
    'spec.customSolrKubeOptions.podOptions',
    ['spec.customSolrKubeOptions.podOptions.affinity.nodeAffinity'],
  ],
  [
    'elastic/cloud-on-k8s config/recipes/elastic-agent/fleet-kubernetes-integration.yaml',
    object('Agent', 'agent.k8s.elastic.co/v1alpha1', {
      spec: { daemonSet: { podTemplate: { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } } } },
    }),
    'spec.daemonSet.podTemplate',
    'spec.daemonSet.podTemplate',
    ['spec.daemonSet.podTemplate.spec.affinity.nodeAffinity'],
  ],
  [
    'elastic/cloud-on-k8s config/recipes/autopilot/metricbeat_hosts.yaml',
    object('Beat', 'beat.k8s.elastic.co/v1beta1', {
      spec: { deployment: { podTemplate: { spec: { nodeSelector: { disk: 'ssd' } } } } },
    }),
    'spec.deployment.podTemplate',
    'spec.deployment.podTemplate',
    ['spec.deployment.podTemplate.spec.affinity.nodeAffinity'],
  ],
  [
    'minio/operator pkg/apis/minio.min.io/v2/types.go, Pool: a node selector alone',
    object('Tenant', 'minio.min.io/v2', { spec: { pools: [{ nodeSelector: { disk: 'ssd' } }] } }),
    'spec.pools[0].nodeSelector',
    'spec.pools[*]',
    ['spec.pools.0.affinity.nodeAffinity'],
  ],
  [
    'two fields of a Pod spec that are not about nodes',
    object('Gizmo', 'example.com/v1', { spec: { hostNetwork: true, dnsPolicy: 'Default' } }),
    'spec.dnsPolicy',
    'spec',
    ['spec.affinity.nodeAffinity'],
  ],
  [
    'an affinity of all roles, and one of a role (as in pingcap/tidb-operator v1 docs/api-references: spec.affinity, spec.pd.affinity)',
    object('TidbCluster', 'pingcap.com/v1alpha1', {
      spec: { affinity: nodeAffinity('zone'), pd: { affinity: podAntiAffinity }, tikv: { affinity: {} } },
    }),
    'spec.affinity',
    ['spec', 'spec.pd'],
    ['spec.affinity.nodeAffinity', 'spec.pd.affinity.nodeAffinity'],
  ],
];

it.each(TOLD)('tells of %s, and of the path to write', (_, given, told, entry, made) => {
  const { touched, skipped, warnings, made: left } = mixed(given);
  const written = [entry].flat().map((path) => `'${path}'`);
  const shown = written.length === 1 ? String(written[0]) : `[${written.join(', ')}]`;
  const group = given.apiVersion.split('/')[0];
  expect(touched).toEqual([]);
  expect(left).toEqual(given);
  expect(skipped).toEqual([expect.objectContaining({ reason: expect.stringContaining(told) })]);
  expect(warnings).toEqual([expect.objectContaining({ path: told, hint: expect.stringContaining(shown) })]);
  const strict = postRender(given, '--strict');
  expect(strict).toMatchObject({ code: 1, out: '' });
  expect(strict.err).toContain(told);
  const after = mixed(given, { [`${given.kind}.${group}`]: entry });
  expect(after.warnings).toEqual([]);
  for (const path of made) {
    const found = path.split('.').reduce((value: any, step) => value?.[step], after.made);
    expect([path, JSON.stringify(found)]).toEqual([path, expect.stringContaining('hostnetwork')]);
  }
  expect(JSON.stringify(after.made).match(/"nodeAffinity"/g)).toHaveLength(made.length);
});

it('tells of the affinity of a role that the given path leaves out', () => {
  const [, given] = TOLD.find(([source]) => source.startsWith('an affinity of all roles')) as (typeof TOLD)[number];
  const { warnings } = mixed(given, { 'TidbCluster.pingcap.com': 'spec' });
  expect(warnings).toEqual([expect.objectContaining({ path: 'spec.pd.affinity' })]);
});

const workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', spec: { entrypoint: 'main', templates: [] } };
const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const regular = {
  matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }],
};
/** Pods that no path can name. */
it.each<[source: string, given: any, told: string]>([
  [
    'argoproj/argo-events examples/sensors/amqp.yaml',
    object('Sensor', 'argoproj.io/v1alpha1', {
      spec: { triggers: [{ template: { k8s: { source: { resource: workflow } } } }] },
    }),
    'spec.triggers[0].template.k8s.source.resource',
  ],
  [
    'crossplane-contrib/function-go-templating README.md',
    object('Operation', 'ops.crossplane.io/v1alpha1', {
      spec: {
        pipeline: [
          {
            input: {
              inline: {
                template: `{{ range $i := until 2 }}\n---\n${YAML.replace('  containers:\n', '  containers:\n  {{- if .web }}\n')}{{ end }}`,
              },
            },
          },
        ],
      },
    }),
    'spec.pipeline[0].input.inline.template',
  ],
  ['JSON as text', object('Worker', 'example.com/v1', { spec: { pod: JSON.stringify(deployment) } }), 'spec.pod'],
  [
    'with CRLF',
    object('Worker', 'example.com/v1', { spec: { pods: [YAML.replaceAll('\n', '\r\n')] } }),
    'spec.pods[0]',
  ],
  [
    'a script (as in tektoncd/pipeline examples/v1/taskruns)',
    object('Step', 'example.com/v1', { script: `cat <<EOF | kubectl apply -f -\n${YAML}EOF\n` }),
    'script',
  ],
  [
    'with the keys of a container in the order of the alphabet',
    object('Worker', 'example.com/v1', {
      spec: { pod: 'spec:\n  containers:\n  - args: [serve]\n    image: app\n    name: app\n' },
    }),
    'spec.pod',
  ],
  [
    'in flow style without quotes',
    object('Worker', 'example.com/v1', { spec: { pod: '{spec: {containers: [{name: app, image: "app:1"}]}}' } }),
    'spec.pod',
  ],
  [
    'apache/airflow chart/templates/configmaps/configmap.yaml: the file of which Airflow makes its Pods',
    object('ConfigMap', 'v1', { data: { 'airflow.cfg': '[core]', 'pod_template_file.yaml': YAML } }),
    'data["pod_template_file.yaml"]',
  ],
  [
    'openshift/local-storage-operator api/v1/localvolume_types.go: terms as those of an affinity',
    object('LocalVolume', 'local.storage.openshift.io/v1', { spec: { nodeSelector: { nodeSelectorTerms: [zone] } } }),
    'spec.nodeSelector',
  ],
  ['JSON in a ConfigMap', object('ConfigMap', 'v1', { data: { pod: JSON.stringify(deployment) } }), 'data.pod'],
  [
    'argo-workflows examples/k8s-jobs.yaml: a manifest in a Workflow, whose own Pods are excluded',
    {
      ...workflow,
      metadata: { name: 'web' },
      spec: { templates: [{ resource: { action: 'create', manifest: YAML } }] },
    },
    'spec.templates[0].resource.manifest',
  ],
])('tells of Pods in an object of %s', (_, given, told) => {
  const { warnings } = mixed(given);
  expect(warnings).toEqual([
    expect.objectContaining({ path: told, hint: expect.stringMatching(/^write the node affinity into it/) }),
  ]);
  expect(postRender(given, '--strict')).toMatchObject({ code: 1, out: '', err: expect.stringContaining(told) });
});

it('says nothing of text in which all Pods are excluded, nor of such terms', () => {
  const excluded = JSON.stringify(mixed(deployment).made);
  for (const text of [
    object('ConfigMap', 'v1', { data: { pod: excluded } }),
    object('Worker', 'example.com/v1', { spec: { pods: [excluded] } }),
    object('LocalVolume', 'local.storage.openshift.io/v1', {
      spec: { nodeSelector: { nodeSelectorTerms: [regular] } },
    }),
  ]) {
    expect(mixed(text)).toMatchObject({
      touched: [],
      skipped: [expect.objectContaining({ reason: 'already excluded' })],
      warnings: [],
    });
    expect(postRender(text, '--strict')).toEqual({ code: 0, err: '', out: JSON.stringify(text) });
  }
  const both = object('ConfigMap', 'v1', { data: { pod: excluded, other: YAML } });
  expect(mixed(both).warnings).toEqual([expect.objectContaining({ path: 'data.other' })]);
});

it('tells of a Pod template that lacks its spec, and adds nothing to it', () => {
  const given = { ...deployment, spec: { template: { containers: deployment.spec.template.spec.containers } } };
  const { touched, warnings, made } = mixed(given);
  expect(made).toEqual(given);
  expect(touched).toEqual([]);
  expect(warnings).toEqual([
    expect.objectContaining({ path: 'spec.template', hint: 'write it at spec.template.spec' }),
  ]);
  expect(postRender(given, '--strict')).toMatchObject({ code: 1, out: '' });
});

it('tells which ConfigMap to skip', () => {
  const { err } = postRender(object('ConfigMap', 'v1', { data: { pod: YAML } }), '--strict');
  expect(err).toContain('or --skip ConfigMap/web if');
});

it.each(objectsWithoutPods)('says nothing of %s', (_, given) => {
  expect(mixed(given)).toMatchObject({ touched: [], skipped: [], warnings: [] });
  expect(postRender(given, '--strict')).toEqual({ code: 0, err: '', out: JSON.stringify(given) });
});
