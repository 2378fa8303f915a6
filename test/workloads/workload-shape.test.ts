/** What the API server would refuse or drop in a workload is reported, wherever the workload comes from. */
import { App, Chart } from 'cdk8s';
import { EdgeError, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { groupKindOf } from '../../src/kubernetes/group-kind.js';
import { typeOfKind } from '../../src/kubernetes/workload-fields.js';
import { cluster, daemonSet, deployment, required } from '../bad-inputs/case.js';
import { type Maker, makers, problemsOf, rowsFor } from './workload-makers.js';
import { yurtAppSet } from '../corpus/yurt-app-tweaks.js';
import { container, SPEC, topLevel, undecodable } from './refused-shapes.js';
import { acceptedValues, refusedShapes } from './refused-values.js';

function warningsOf(make: Maker[2], workload: object): string[] {
  const app = new App();
  const chart = new Chart(app, 'chart');
  EdgeWarnings.setMode(app, 'silent');
  make(chart, workload);
  return EdgeWarnings.of(app)
    .filter(({ code }) => ['EDGE_UNKNOWN_PROPERTY', 'EDGE_CONTRADICTION', 'EDGE_VALUE'].includes(code))
    .map(({ code, path, hint }) => `${code} ${path}: ${hint}`);
}

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

describe.each(makers)('%s', (noun, isGiven, make) => {
  /** What is told of a workload: refused where it is given and its fields are known; a warning where others have written it. */
  function tells(workload: object, { code, path, hint }: { code: string; path: string; hint: string }): void {
    if (isGiven && typeOfKind(groupKindOf(workload as never)) !== undefined) {
      const problems = problemsOf(make, workload);
      expect(problems).toContainEqual(
        expect.objectContaining({ code, path: `workload.${path}`.replace('.[', '['), hint }),
      );
      // each is reported once
      expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(problems.length);
    } else {
      expect(warningsOf(make, workload)).toEqual([`${code} ${path}: ${hint}`]);
    }
  }

  it.each(rowsFor(noun, misspelt))('tells a misspelt field: %s', (__, workload, path, near) => {
    if (noun === 'HostNetworkWorkload' && 'kind' in workload && workload.kind === 'Prometheus') {
      // it has no Pod template, so this is refused with all that is wrong
      expect(() => warningsOf(make, workload)).toThrow(`did you mean ${near}?`);
      return;
    }
    tells(workload, { code: 'EDGE_UNKNOWN_PROPERTY', path, hint: `did you mean ${near}?` });
  });

  it('tells a misspelt field beside the problem that it causes', () => {
    const terms = [{ matchExpressions: [{ key: 'a', operater: 'Exists' }] }];
    const at = `${SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]`;
    const codes = problemsOf(make, deployment(required(terms))).map(({ code, path }) => `${code} ${path}`);
    const prefix = isGiven ? 'workload.' : '';
    expect(codes.sort()).toEqual([
      `EDGE_AFFINITY ${prefix}${at}.operator`,
      `EDGE_UNKNOWN_PROPERTY ${prefix}${at}.operater`,
    ]);
  });

  it('warns of a field that no minor has, and refuses nothing, because a newer one may', () => {
    const workload = deployment({
      quantumTunnel: true,
      containers: [{ ...container, sandboxing: {} }],
      replicas: 2,
      image: 'web',
    });
    const newer = 'remove it, unless your Kubernetes is newer than this library';
    // cdk8s sorts the fields of an ApiObject
    const expected = [
      `EDGE_UNKNOWN_PROPERTY ${SPEC}.containers[0].sandboxing: ${newer}`,
      `EDGE_UNKNOWN_PROPERTY ${SPEC}.quantumTunnel: ${newer}`,
      // in the wrong place
      `EDGE_UNKNOWN_PROPERTY ${SPEC}.replicas: did you mean spec.replicas?`,
      `EDGE_UNKNOWN_PROPERTY ${SPEC}.image: did you mean spec.template.spec.containers.image?`,
    ];
    expect(warningsOf(make, workload).sort()).toEqual(expected.sort());
  });

  it('tells a misspelt field of its own metadata', () => {
    const workload = { ...deployment(), metadata: { name: 'web', anotations: {} } };
    if (isGiven) {
      tells(workload, {
        code: 'EDGE_UNKNOWN_PROPERTY',
        path: 'metadata.anotations',
        hint: 'did you mean annotations?',
      });
    } else {
      // cdk8s drops the field of an ApiObject
      expect(warningsOf(make, workload)).toEqual([]);
    }
  });

  it.each(rowsFor(noun, undecodable))('tells a value of another type, once: %s', (_, podSpec, path, hint) => {
    const [told, ...others] = problemsOf(make, deployment({ containers: [container], ...podSpec })).filter(
      ({ code }) => code !== 'EDGE_NO_PORTS',
    );
    expect([told, others]).toEqual([
      expect.objectContaining({ code: 'EDGE_TYPE', path: `${isGiven ? 'workload.' : ''}${SPEC}.${path}`, hint }),
      [],
    ]);
  });

  it.each(rowsFor(noun, refusedShapes))('tells what the API server misses: %s', (_, workload, path, code) => {
    const told = problemsOf(make, workload).filter((problem) => problem.code !== 'EDGE_IMMUTABLE');
    expect(told.map((problem) => `${problem.code} ${problem.path}`)).toEqual([
      `${code} ${isGiven ? 'workload.' : ''}${path}`,
    ]);
  });

  it.each(rowsFor(noun, acceptedValues))('tells nothing of %s', (_, workload) => {
    const told = problemsOf(make, workload).filter(({ code }) => /TYPE|MISSING|DUPLICATE|CONTRADICTION/.test(code));
    expect(told).toEqual([]);
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
