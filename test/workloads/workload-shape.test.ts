/** What the API server would refuse or drop in a workload is told, wherever the workload comes from. */
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { EdgeCluster, EdgeError, EdgeWarnings, ExcludedWorkload, HostNetworkWorkload } from 'edge-nodepools';
import { OBJECT_FIELDS } from '../../src/kubernetes/object-fields.js';
import { fieldsOfType, typeOfKind } from '../../src/kubernetes/workload-fields.js';
import { nearMiss } from '../../src/validation/properties.js';
import { cluster, daemonSet, deployment, pool, required } from '../bad-inputs/case.js';
import { yurtAppSet } from '../corpus/yurt-app-tweaks.js';
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
  ['an affinity', deployment({ affinity: { nodeAfinity: {} } }), `${SPEC}.affinity.nodeAfinity`, 'nodeAffinity'],
  [
    'a preferred term',
    deployment({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpresions: [{ key: 'a', operator: 'Exists' }] } },
          ],
        },
      },
    }),
    `${SPEC}.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpresions`,
    'matchExpressions',
  ],
  [
    'a toleration',
    deployment({ tolerations: [{ operator: 'Exists', efect: 'NoExecute' }] }),
    `${SPEC}.tolerations[0].efect`,
    'effect',
  ],
  [
    'a volume',
    deployment({ volumes: [{ name: 'a', hostPth: { path: '/a' } }] }),
    `${SPEC}.volumes[0].hostPth`,
    'hostPath',
  ],
  [
    'a secret',
    deployment({ volumes: [{ name: 'a', secret: { secretNme: 'a' } }] }),
    `${SPEC}.volumes[0].secret.secretNme`,
    'secretName',
  ],
  [
    'a probe',
    deployment({ containers: [{ ...container, livenessProbe: { httpGet: { prt: 80 } } }] }),
    `${SPEC}.containers[0].livenessProbe.httpGet.prt`,
    'port',
  ],
  [
    'a security context',
    deployment({ containers: [{ ...container, securityContext: { priviledged: true } }] }),
    `${SPEC}.containers[0].securityContext.priviledged`,
    'privileged',
  ],
  [
    'where a variable is from',
    deployment({ containers: [{ ...container, env: [{ name: 'A', valueFrom: { secretKeyReff: {} } }] }] }),
    `${SPEC}.containers[0].env[0].valueFrom.secretKeyReff`,
    'secretKeyRef',
  ],
  [
    'the metadata of its Pods',
    deployment({}, {}, { metadata: { labels: { app: 'web' }, anotations: {} } }),
    'spec.template.metadata.anotations',
    'annotations',
  ],
  ['the strategy', deployment({}, { strategy: { rolingUpdate: {} } }), 'spec.strategy.rolingUpdate', 'rollingUpdate'],
  [
    'a YurtAppSet',
    yurtAppSet('web', { pools: ['hz'], nodepoolSelektor: {} }),
    'spec.nodepoolSelektor',
    'nodepoolSelector',
  ],
  [
    'a tweak of a YurtAppSet',
    yurtAppSet('web', {}, [{ pools: ['hz'], tweaks: { patchs: [] } }]),
    'spec.workload.workloadTweaks[0].tweaks.patchs',
    'patches',
  ],
  [
    'the Pods of another kind',
    { ...deployment({ volumes: [{ name: 'a', emptydir: {} }] }), apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
    `${SPEC}.volumes[0].emptydir`,
    'emptyDir',
  ],
  ['the template', deployment({}, {}, { metdata: {} }), 'spec.template.metdata', 'metadata'],
  ...['Deployment', 'Rollout', 'Prometheus'].flatMap((kind) =>
    [
      ['spce', 'spec'],
      ['psec', 'spec'],
      ['spec ', 'spec'],
      ['Spec', 'spec'],
      ['specs', 'spec'],
      ['sepc', 'spec'],
      ['metdata', 'metadata'],
      ['metadta', 'metadata'],
      ['kindd', 'kind'],
      ['knid', 'kind'],
      ['apiversion', 'apiVersion'],
      ['api-version', 'apiVersion'],
      ['stauts', 'status'],
    ].map(([field = '', near = '']): (typeof misspelt)[number] => [
      `${field} of a ${kind}`,
      { ...topLevel(kind), [field]: {} },
      /^\w+$/.test(field) ? field : `["${field}"]`,
      near,
    ]),
  ),
];

function topLevel(kind: string): object {
  const apiVersion = { Rollout: 'argoproj.io/v1alpha1', Prometheus: 'monitoring.coreos.com/v1' }[kind] ?? 'apps/v1';
  return { ...deployment(), apiVersion, kind };
}

describe.each(makers)('%s', (noun, isGiven, make) => {
  it.each(misspelt)('warns of a misspelt field: %s', (__, workload, path, near) => {
    if (noun === 'HostNetworkWorkload' && 'kind' in workload && workload.kind === 'Prometheus') {
      // it has no Pod template, so this is refused with all that is wrong
      expect(() => warningsOf(make, workload)).toThrow(`did you mean ${near}?`);
      return;
    }
    expect(warningsOf(make, workload)).toEqual([`EDGE_UNKNOWN_PROPERTY ${path}: did you mean ${near}?`]);
  });

  it('tells a misspelt field beside the problem that it causes', () => {
    const terms = [{ matchExpressions: [{ key: 'a', operater: 'Exists' }] }];
    const at = `${SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]`;
    expect(() => warningsOf(make, deployment(required(terms)))).toThrow(
      new RegExp(
        `EDGE_AFFINITY[^]*EDGE_UNKNOWN_PROPERTY {2}(workload\\.)?${at.replace(/[[\].]/g, '\\$&')}\\.operater: [^]*did you mean operator`,
      ),
    );
  });

  it('does not warn of a field that a newer minor may have', () => {
    expect(
      warningsOf(make, deployment({ quantumTunnel: true, containers: [{ ...container, sandboxing: {} }] })),
    ).toEqual([]);
  });

  it('warns of a misspelt field of its own metadata', () => {
    const workload = { ...deployment(), metadata: { name: 'web', anotations: {} } };
    // cdk8s drops the field of an ApiObject
    expect(warningsOf(make, workload)).toEqual(
      isGiven ? ['EDGE_UNKNOWN_PROPERTY metadata.anotations: did you mean annotations?'] : [],
    );
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

describe('the fields of', () => {
  const types = readFileSync(require.resolve('@pulumi/kubernetes/types/input.d.ts'), 'utf8');
  const interfaces = new Map(
    [...types.matchAll(/^ {8}interface (\w+) \{\n([^]*?)^ {8}\}/gm)].map(([, name, body]) => [
      name as string,
      [...(body as string).matchAll(/^ {12}(\w+)\??:/gm)].map(([, field]) => field as string),
    ]),
  );
  // the type of this name is in another group
  const OTHERS = ['ResourceClaim'];

  it('every type are all that Pulumi knows of it', () => {
    const names = Object.keys(OBJECT_FIELDS).filter((name) => interfaces.has(name) && !OTHERS.includes(name));
    expect(names.length).toBeGreaterThan(100);
    const missing = names.flatMap((name) =>
      (interfaces.get(name) ?? [])
        .filter((field) => !fieldsOfType(name).has(field) && !['status', 'managedFields'].includes(field))
        .map((field) => `${name}.${field}`),
    );
    // those that Kubernetes had before 1.27
    expect(missing.sort()).toEqual([
      'DaemonSetSpec.templateGeneration',
      'DeploymentSpec.rollbackTo',
      'EphemeralVolumeSource.readOnly',
      'ObjectMeta.clusterName',
      'PodResourceClaim.source',
      // alpha in 1.35 only
      'PodSpec.workloadRef',
    ]);
  });

  it('a type do not look like another one misspelt, so that a field of a newer minor does not either', () => {
    const near = Object.keys(OBJECT_FIELDS).flatMap((name) => {
      const fields = [...fieldsOfType(name).keys()];
      return fields
        .filter(
          (field) =>
            nearMiss(
              field,
              fields.filter((other) => other !== field),
            ) !== undefined,
        )
        .map((field) => `${name}.${field}`);
    });
    expect(near).toEqual(['Affinity.nodeAffinity', 'Affinity.podAffinity', 'Volume.iscsi']);
  });

  it('every type that a field has are listed', () => {
    const listed = (name: string): boolean => [...fieldsOfType(name).keys()].join() !== '';
    const kinds = ['YurtAppSet', 'YurtAppDaemon', 'YurtStaticSet'].map((kind) =>
      typeOfKind(`${kind}.apps.openyurt.io`),
    );
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (!seen.has(name)) {
        seen.add(name);
        [...fieldsOfType(name).values()].forEach((of) => (of === undefined ? undefined : visit(of)));
      }
    };
    [...Object.keys(OBJECT_FIELDS), ...(kinds as string[])].forEach(visit);
    expect([...seen].filter((name) => !listed(name))).toEqual([]);
  });
});
