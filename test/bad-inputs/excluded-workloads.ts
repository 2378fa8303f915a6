import { ApiObject, type Chart } from 'cdk8s';
import { ExcludedWorkload } from 'edge-nodepools';
import { type BadInput, cluster, daemonSet, deployment, pool, required, TERMS, untyped } from './case.js';

const SPEC = 'workload.spec.template.spec';
const exclude =
  (workload: unknown, more: object = {}) =>
  (chart: Chart) =>
    new ExcludedWorkload(chart, 'web', untyped({ cluster, workload, ...more }));
const terms = (list: unknown) => exclude(deployment(required(list)));
const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';

export const excludedWorkloads: BadInput[] = [
  { what: 'no workload', code: 'EDGE_MISSING', path: 'workload', hint: 'Pod template', make: exclude(undefined) },
  {
    what: 'no cluster',
    code: 'EDGE_MISSING',
    path: 'cluster',
    hint: 'EdgeCluster.of',
    make: (chart) => new ExcludedWorkload(chart, 'web', untyped({ workload: deployment() })),
  },
  {
    what: 'a misspelt property',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'podTemplate',
    hint: 'podTemplatePath',
    make: exclude(deployment(), { podTemplate: 'x' }),
  },
  {
    what: 'broken YAML',
    code: 'EDGE_YAML',
    path: 'workload',
    hint: 'fix the YAML',
    make: exclude('kind: Deployment\n  spec: : {'),
  },
  { what: 'an empty text', code: 'EDGE_MISSING', path: 'workload', hint: 'YAML text', make: exclude('') },
  {
    what: 'a comment only',
    code: 'EDGE_YAML',
    path: 'workload',
    hint: 'one Kubernetes object',
    make: exclude('# nothing'),
  },
  {
    what: 'two documents',
    code: 'EDGE_YAML',
    path: 'workload',
    hint: 'Include',
    make: exclude('kind: A\napiVersion: v1\n---\nkind: B\napiVersion: v1'),
  },
  { what: 'a YAML list', code: 'EDGE_YAML', path: 'workload', hint: 'apiVersion', make: exclude('- a\n- b') },
  {
    what: 'an alias bomb',
    code: 'EDGE_YAML',
    path: 'workload',
    hint: 'aliases',
    make: exclude(
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`,
    ),
  },
  {
    what: 'a list of workloads',
    code: 'EDGE_NOT_AN_OBJECT',
    path: 'workload',
    hint: 'one plain object',
    make: exclude([deployment()]),
  },
  {
    what: 'a construct',
    code: 'EDGE_NOT_AN_OBJECT',
    path: 'workload',
    hint: 'ExcludedWorkload.mixin',
    make: (chart) => exclude(new ApiObject(chart, 'x', deployment()))(chart),
  },
  {
    what: 'an object without kind',
    code: 'EDGE_MISSING',
    path: 'workload.kind',
    hint: "kind: 'Deployment'",
    make: exclude({ apiVersion: 'apps/v1', spec: {} }),
  },
  {
    what: 'an object without apiVersion',
    code: 'EDGE_MISSING',
    path: 'workload.apiVersion',
    hint: "apiVersion: 'apps/v1'",
    make: exclude({ kind: 'Deployment' }),
  },
  {
    what: 'a Service',
    code: 'EDGE_NO_POD_TEMPLATE',
    path: 'workload',
    hint: 'beside the workload',
    make: exclude({ apiVersion: 'v1', kind: 'Service', spec: {} }),
  },
  {
    what: 'a List',
    code: 'EDGE_NO_POD_TEMPLATE',
    path: 'workload',
    hint: 'ConfigGroup (Pulumi)',
    make: exclude({ apiVersion: 'v1', kind: 'List', items: [deployment()] }),
  },
  {
    what: 'a Deployment without template',
    code: 'EDGE_NO_POD_TEMPLATE',
    path: 'workload',
    hint: 'spec.template.spec',
    make: exclude({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} }),
  },
  {
    what: 'a wrong template path',
    code: 'EDGE_NO_POD_TEMPLATE',
    path: 'workload',
    hint: 'spec.template',
    make: exclude({ ...deployment(), kind: 'Rollout' }, { podTemplatePath: 'spec.pod' }),
  },
  {
    what: 'a name with capitals',
    code: 'EDGE_NAME',
    path: 'workload.metadata.name',
    hint: '"web"',
    make: exclude({ ...deployment(), metadata: { name: 'Web' } }),
  },
  {
    what: 'generateName',
    code: 'EDGE_NAME',
    path: 'workload.metadata.generateName',
    hint: 'name',
    make: exclude({ ...deployment(), metadata: { generateName: 'web-' } }),
  },
  {
    what: 'a namespace with a dot',
    code: 'EDGE_NAME',
    path: 'workload.metadata.namespace',
    hint: '"my-shop"',
    make: exclude({ ...deployment(), metadata: { name: 'web', namespace: 'my.shop' } }),
  },
  {
    what: 'metadata that is text',
    code: 'EDGE_TYPE',
    path: 'workload.metadata',
    hint: 'metadata: {',
    make: exclude({ ...deployment(), metadata: 'web' }),
  },
  {
    what: 'a date in the object',
    code: 'EDGE_TYPE',
    path: 'workload.spec.at',
    hint: 'toISOString',
    make: exclude(deployment({}, { at: new Date(0) })),
  },
  {
    what: 'a number that is none',
    code: 'EDGE_TYPE',
    path: 'workload.spec.replicas',
    hint: 'finite',
    make: exclude(deployment({}, { replicas: Number.NaN })),
  },
  {
    what: 'an integer that JavaScript cannot represent',
    code: 'EDGE_YAML',
    path: 'workload',
    hint: 'quotes',
    make: exclude(
      'apiVersion: apps/v1\nkind: Deployment\nspec: {big: 12345678901234567890, template: {spec: {containers: []}}}',
    ),
  },
  {
    what: 'an object that contains itself',
    code: 'EDGE_TYPE',
    path: 'workload.spec.self',
    hint: 'a tree',
    make: (chart) => {
      const cyclic = deployment();
      cyclic.spec.self = cyclic;
      return exclude(cyclic)(chart);
    },
  },
  {
    what: 'an affinity that is text',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.affinity`,
    hint: 'nodeAffinity',
    make: exclude(deployment({ affinity: 'linux' })),
  },
  {
    what: 'terms that are a map',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}`,
    hint: 'list of terms',
    make: terms({}),
  },
  {
    what: 'a term that is text',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0]`,
    hint: 'matchExpressions',
    make: terms(['linux']),
  },
  {
    what: 'an unquoted true (the proposal’s YAML)',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0].values[0]`,
    hint: '"true" in quotes',
    make: terms([{ matchExpressions: [{ key: HOST_NETWORK, operator: 'NotIn', values: [true] }] }]),
  },
  {
    what: 'an unknown operator',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0].operator`,
    hint: 'NotIn',
    make: terms([{ matchExpressions: [{ key: 'a', operator: 'Equals', values: ['b'] }] }]),
  },
  {
    what: 'In without values',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0].values`,
    hint: 'values: ["…"]',
    make: terms([{ matchExpressions: [{ key: 'a', operator: 'In' }] }]),
  },
  {
    what: 'Exists with values',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0].values`,
    hint: 'remove values',
    make: terms([{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }]),
  },
  {
    what: 'Gt with two numbers',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0].values`,
    hint: '["4"]',
    make: terms([{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }]),
  },
  {
    what: 'a matchField that does not exist',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchFields[0].key`,
    hint: 'metadata.name',
    make: terms([{ matchFields: [{ key: 'metadata.namespace', operator: 'In', values: ['b'] }] }]),
  },
  {
    what: 'a matchField with two values',
    code: 'EDGE_AFFINITY',
    path: `${SPEC}.${TERMS}[0].matchFields[0].values`,
    hint: 'node-name',
    make: terms([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }]),
  },
  {
    what: 'a term that asks for host-network nodes',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.${TERMS}[1].matchExpressions[0]`,
    hint: 'nodeSelectorTerms[1]',
    make: terms([
      { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
      { matchExpressions: [{ key: HOST_NETWORK, operator: 'In', values: ['true'] }] },
    ]),
  },
  {
    what: 'a nodeSelector for host-network nodes',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeSelector["${HOST_NETWORK}"]`,
    hint: 'HostNetworkWorkload',
    make: exclude(daemonSet({ nodeSelector: { [HOST_NETWORK]: 'true' } })),
  },
  {
    what: 'a preset nodeName',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeName`,
    hint: 'remove nodeName',
    make: exclude(deployment({ nodeName: 'edge-1' })),
  },
  {
    what: 'the annotation "false"',
    code: 'EDGE_CONTRADICTION',
    path: 'workload.spec.template.metadata.annotations["apps.openyurt.io/exclude-host-network-pool"]',
    hint: 'remove the annotation',
    make: exclude(
      deployment(
        {},
        {},
        {
          metadata: { labels: { app: 'web' }, annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'false' } },
        },
      ),
    ),
  },
  {
    what: 'a nodeSelector for a host-network pool',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.nodeSelector["apps.openyurt.io/nodepool"]`,
    hint: 'regular pool',
    make: (chart) => [pool(chart), exclude(deployment({ nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } }))(chart)],
  },
  {
    what: 'an affinity for host-network pools only',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.${TERMS}[0].matchExpressions[0]`,
    hint: 'regular pool',
    make: (chart) => [
      pool(chart),
      terms([{ matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'In', values: ['hz'] }] }])(chart),
    ],
  },
  {
    what: 'a mixin without cluster',
    code: 'EDGE_MISSING',
    path: 'cluster',
    hint: 'EdgeCluster.of',
    make: () => ExcludedWorkload.mixin(untyped({})),
  },
  {
    what: 'a mixin with one kind as text',
    code: 'EDGE_TYPE',
    path: 'kinds',
    hint: '["DaemonSet"]',
    make: () => ExcludedWorkload.mixin(untyped({ cluster, kinds: 'DaemonSet' })),
  },
  {
    what: 'a mixin with labels as text',
    code: 'EDGE_TYPE',
    path: 'labels',
    hint: "tier: 'web'",
    make: () => ExcludedWorkload.mixin(untyped({ cluster, labels: 'tier=web' })),
  },
  {
    what: 'a mixin with an unknown reaction',
    code: 'EDGE_VALUE',
    path: 'onContradiction',
    hint: "'skip'",
    make: () => ExcludedWorkload.mixin(untyped({ cluster, onContradiction: 'warn' })),
  },
  {
    what: 'a mixin with a misspelt kind',
    code: 'EDGE_MATCHES_NOTHING',
    path: 'kinds[1]',
    hint: 'did you mean DaemonSet?',
    make: () => ExcludedWorkload.mixin({ cluster, kinds: ['Deployment', 'Daemonset'] }),
  },
];
