/** What the API server would refuse or drop in a workload is told, wherever the workload comes from. */
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { EdgeCluster, EdgeError, EdgeWarnings, ExcludedWorkload, HostNetworkWorkload } from 'edge-nodepools';
import {
  CONTAINER_FIELDS,
  CONTAINER_LISTS,
  JOB_FIELDS,
  POD_SPEC_FIELDS,
  WORKLOAD_FIELDS,
} from '../../src/kubernetes/pod-fields.js';
import { nearMiss } from '../../src/validation/properties.js';
import { cluster, daemonSet, deployment, pool } from '../bad-inputs/case.js';
import { record } from '../pulumi/recorded.js';
import * as components from '../../src/pulumi/index.js';

const SPEC = 'spec.template.spec';

type Maker = [noun: string, isGiven: boolean, make: (chart: Chart, workload: any) => unknown];
const makers: Maker[] = [
  ['ExcludedWorkload', true, (chart, workload) => new ExcludedWorkload(chart, 'it', { cluster, workload })],
  [
    'HostNetworkWorkload',
    true,
    (chart, workload) => new HostNetworkWorkload(chart, 'it', { pool: pool(chart), workload }),
  ],
  [
    'ExcludedWorkload.mixin',
    false,
    (chart, workload) => {
      new ApiObject(chart, 'it', workload);
      chart.with(ExcludedWorkload.mixin({ cluster }));
    },
  ],
];

function warningsOf(make: Maker[2], workload: object): string[] {
  const app = new App();
  const chart = new Chart(app, 'chart');
  EdgeWarnings.setMode(app, 'silent');
  make(chart, workload);
  return EdgeWarnings.of(app)
    .filter(({ code }) => ['EDGE_UNKNOWN_PROPERTY', 'EDGE_CONTRADICTION', 'EDGE_VALUE'].includes(code))
    .map(({ code, path, hint }) => `${code} ${path}: ${hint}`);
}

const container = { name: 'web', image: 'web', ports: [{ containerPort: 8080 }] };
const misspelt: [string, object, string, string][] = [
  ['containers', deployment({ contianers: [container] }), `${SPEC}.contianers`, 'containers'],
  ['only the case', deployment({ nodeselector: {} }), `${SPEC}.nodeselector`, 'nodeSelector'],
  [
    'a container',
    deployment({ containers: [{ ...container, imagePullPolcy: 'Always' }] }),
    `${SPEC}.containers[0].imagePullPolcy`,
    'imagePullPolicy',
  ],
  [
    'an init container',
    deployment({ initContainers: [{ ...container, comand: [] }] }),
    `${SPEC}.initContainers[0].comand`,
    'command',
  ],
  [
    'a port',
    deployment({ containers: [{ ...container, ports: [{ containerPort: 1, hostPrt: 1 }] }] }),
    `${SPEC}.containers[0].ports[0].hostPrt`,
    'hostPort',
  ],
  [
    'a variable',
    deployment({ containers: [{ ...container, env: [{ name: 'A', vlaue: 'x' }] }] }),
    `${SPEC}.containers[0].env[0].vlaue`,
    'value',
  ],
  ['the workload', deployment({}, { replica: 3 }), 'spec.replica', 'replicas'],
  ['the template', deployment({}, {}, { metdata: {} }), 'spec.template.metdata', 'metadata'],
];

describe.each(makers)('%s', (_, isGiven, make) => {
  it.each(misspelt)('warns of a misspelt field: %s', (__, workload, path, near) => {
    expect(warningsOf(make, workload)).toEqual([`EDGE_UNKNOWN_PROPERTY ${path}: did you mean ${near}?`]);
  });

  it('does not warn of a field that a newer minor may have', () => {
    expect(
      warningsOf(make, deployment({ quantumTunnel: true, containers: [{ ...container, sandboxing: {} }] })),
    ).toEqual([]);
  });

  it('tells replicas that are no number', () => {
    const workload = deployment({}, { replicas: '2' });
    const expected = /EDGE_VALUE\s+(workload\.)?spec\.replicas/;
    if (!isGiven) {
      expect(warningsOf(make, workload).join()).toMatch(expected);
    } else {
      expect(() => warningsOf(make, workload)).toThrow(expected);
    }
  });

  it('tells a selector that does not select the Pods', () => {
    const workload = deployment();
    workload.spec.selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] };
    const expected = /EDGE_CONTRADICTION\s+(workload\.)?spec\.selector/;
    if (!isGiven) {
      // what others have written is not refused
      expect(warningsOf(make, workload).join()).toMatch(expected);
    } else {
      expect(() => warningsOf(make, workload)).toThrow(expected);
    }
    workload.spec.template.metadata.labels.tier = 'db';
    expect(warningsOf(make, workload)).toEqual([]);
  });
});

it.each<[string, object]>([
  ['a DaemonSet', { ...daemonSet(), spec: { ...daemonSet().spec, selector: { matchLabels: { app: 'other' } } } }],
  [
    'a ReplicationController',
    {
      ...deployment({}, {}),
      apiVersion: 'v1',
      kind: 'ReplicationController',
      spec: { ...deployment().spec, selector: { app: 'other' } },
    },
  ],
  [
    'no labels',
    { ...deployment(), spec: { ...deployment().spec, template: { spec: deployment().spec.template.spec } } },
  ],
])('a selector that does not select the Pods: %s', (_, workload) => {
  expect(() => new ExcludedWorkload(new Chart(new App(), 'c'), 'it', { cluster, workload: workload as any })).toThrow(
    EdgeError,
  );
});

it('Pulumi tells the same, also about values that are Outputs', async () => {
  const on = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const { warnings } = await record(() => {
    new components.ExcludedWorkload('a', { cluster: on, workload: deployment({ contianers: [] }) });
    const spec = pulumi.output({ contianers: [], containers: [container] });
    new components.ExcludedWorkload('b', {
      cluster: on,
      workload: {
        ...deployment(),
        spec: { ...deployment().spec, template: { ...deployment().spec.template, spec } },
      },
    });
  });
  expect(warnings.filter((warning) => /EDGE_UNKNOWN_PROPERTY, 2 times[^]*  a [^]*  b /.test(warning))).toHaveLength(1);
  const wrong = { ...deployment(), spec: { ...deployment().spec, selector: { matchLabels: { app: 'other' } } } };
  await record(() => {
    expect(() => new components.ExcludedWorkload('a', { cluster: on, workload: wrong })).toThrow(
      /spec.selector|selector/,
    );
  });
});

describe('the lists of fields', () => {
  const types = readFileSync(require.resolve('cdk8s-plus-33/lib/imports/k8s.d.ts'), 'utf8');
  const fieldsOf = (name: string): string[] => {
    const start = types.indexOf(`export interface ${name} {`);
    const body = types.slice(start, types.indexOf('\n}', start));
    return [...body.matchAll(/^ {4}readonly (\w+)\??:/gm)].map(([, field]) => field as string);
  };

  it.each<[string, ReadonlySet<string> | undefined]>([
    ['PodSpec', POD_SPEC_FIELDS],
    ['Container', CONTAINER_FIELDS],
    ['EphemeralContainer', CONTAINER_FIELDS],
    ['ContainerPort', CONTAINER_LISTS.ports],
    ['EnvVar', CONTAINER_LISTS.env],
    ['VolumeMount', CONTAINER_LISTS.volumeMounts],
    ['DeploymentSpec', WORKLOAD_FIELDS['Deployment.apps']],
    ['DaemonSetSpec', WORKLOAD_FIELDS['DaemonSet.apps']],
    ['StatefulSetSpec', WORKLOAD_FIELDS['StatefulSet.apps']],
    ['ReplicaSetSpec', WORKLOAD_FIELDS['ReplicaSet.apps']],
    ['ReplicationControllerSpec', WORKLOAD_FIELDS.ReplicationController],
    ['JobSpec', JOB_FIELDS],
    ['CronJobSpec', WORKLOAD_FIELDS['CronJob.batch']],
  ])('have all fields of a %s of Kubernetes 1.33, none of which looks misspelt', (name, known) => {
    const fields = fieldsOf(name);
    expect(fields.length).toBeGreaterThan(2);
    const listed = new Map([...(known ?? [])].map((field) => [field.toLowerCase(), field]));
    // the generated types write setHostnameAsFqdn
    expect(fields.filter((field) => !listed.has(field.toLowerCase()))).toEqual([]);
    for (const field of known ?? []) {
      expect([
        field,
        nearMiss(
          field,
          [...(known ?? [])].filter((other) => other !== field),
        ),
      ]).toEqual([field, undefined]);
    }
  });
});
