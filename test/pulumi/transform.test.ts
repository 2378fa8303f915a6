/** The transform changes a workload like ExcludedWorkload. */
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { EdgeCluster, EdgePreconditions, excludeFromHostNetworkPools } from 'edge-nodepools/pulumi';
import { daemonSet, deployment, untyped } from '../bad-inputs/case.js';
import { excludedWorkload } from './props.js';
import { record } from './recorded.js';
import { samples } from '../depth.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

type Filter = Parameters<typeof excludeFromHostNetworkPools>[1];

let warn: jest.SpyInstance;
beforeEach(() => {
  warn = jest.spyOn(pulumi.log, 'warn').mockResolvedValue();
});
afterEach(() => warn.mockRestore());

/** The transformed resource; undefined if it is not changed. */
function transformed(object: any, filter?: Filter, name = 'it', on = cluster): any {
  const { apiVersion, kind, ...props } = object;
  const type = `kubernetes:${apiVersion === 'v1' ? 'core/v1' : apiVersion}:${kind}`;
  const args = { custom: true, type, name, props, opts: {} };
  return (excludeFromHostNetworkPools(on, filter)(untyped(args)) as any)?.props;
}

const termsOf = (props: any): any =>
  props.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;

const codesOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    return (error as pulumi.InputPropertiesError).errors?.map(({ reason }) => reason.split(':')[0] as string) ?? [];
  }
  return [];
};

it('equals ExcludedWorkload for every workload', () => {
  let changed = 0;
  fc.assert(
    fc.property(excludedWorkload, ({ cluster: on, workload }) => {
      const app = new App();
      EdgeWarnings.setMode(app, 'silent');
      let expected: any;
      let codes: string[] = [];
      try {
        expected = new ExcludedWorkload(new Chart(app, 'chart'), 'it', { cluster: on, workload }).manifest;
      } catch (error) {
        codes = (error as any).problems.map(({ code }: any) => code);
      }
      // an annotation with another value opts out of the transform, and is an error in an ExcludedWorkload
      const filter = { match: () => true };
      let made: any;
      const refused = codesOf(() => (made = transformed(workload, filter, 'it', on)));
      if (codes.length === 0 && made !== undefined) {
        const { apiVersion: _, kind: __, ...props } = expected;
        expect(JSON.parse(JSON.stringify(made))).toEqual(JSON.parse(JSON.stringify(props)));
        changed++;
      } else if (refused.length > 0) {
        expect(refused).toEqual(codes);
      }
    }),
    { numRuns: samples(300), seed: 4 },
  );
  expect(changed).toBeGreaterThan(samples(300) / 3);
});

it('is idempotent', () => {
  const once = transformed(deployment());
  expect(transformed({ ...deployment(), ...once })).toBeUndefined();
});

it.each([
  ['a Service', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: {} }],
  ['a patch', { ...daemonSet(), kind: 'DaemonSetPatch' }],
  ['a kind that is not known', { ...daemonSet(), apiVersion: 'example.com/v1', kind: 'Rollout' }],
  [
    'a workload that opts out',
    deployment({}, {}, { metadata: { annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'false' } } }),
  ],
])('does not change %s', (_, object) => {
  expect(transformed(object)).toBeUndefined();
});

it.each<[string, any]>([
  ['a Secret', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: pulumi.secret({ a: 'x' }) }],
  ['a secret field', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { a: pulumi.secret('x') } }],
  [
    'a name that is unknown at preview',
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: pulumi.output('x') } },
  ],
  ['a kind that is not known', { apiVersion: 'a.example/v1', kind: 'Thing', spec: pulumi.secret({ a: 'x' }) }],
  ['a pool', { apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', spec: { labels: { a: pulumi.secret('x') } } }],
])('reads no value of other resources: %s', (_, object) => {
  expect(transformed(object)).toBeUndefined();
});

it('does not change resources of other packages', () => {
  const args = { custom: true, type: 'aws:ec2/instance:Instance', name: 'it', props: { spec: {} }, opts: {} };
  expect(excludeFromHostNetworkPools(cluster)(untyped(args))).toBeUndefined();
});

it.each<[string, Filter, boolean]>([
  ['its kind', { kinds: ['Deployment'] }, true],
  ['another kind', { kinds: ['DaemonSet'] }, false],
  ['its name', { names: ['web'] }, true],
  ['another name', { names: ['api'] }, false],
  ['its namespace', { namespaces: ['default'] }, true],
  ['another namespace', { namespaces: ['shop'] }, false],
  ['a label that it has not', { labels: { tier: 'a' } }, false],
  ['a function', { match: ({ metadata }) => metadata?.name === 'web' }, true],
  ['a function that says no', { match: () => false }, false],
])('filters by %s', (_, filter, isChosen) => {
  expect(transformed(deployment(), filter) !== undefined).toBe(isChosen);
});

it('supports a kind of the user, with its path', () => {
  const worker = { ...deployment(), apiVersion: 'example.com/v1', kind: 'Worker2' };
  expect(termsOf(transformed(worker, { podTemplatePaths: { 'Worker2.example.com': 'spec.template' } }))).toHaveLength(
    1,
  );
});

it('warns once of a kind that is not known and has a Pod spec', () => {
  const containers = [{ name: 'a', image: pulumi.output('late') }];
  const worker = { ...deployment({ containers }), apiVersion: 'example.com/v1', kind: 'Worker' };
  expect(transformed(worker)).toBeUndefined();
  expect(transformed(worker)).toBeUndefined();
  expect(transformed(worker, { kinds: ['Deployment'] })).toBeUndefined();
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^EDGE_NOT_EXCLUDED it: spec\.template\.spec: .*'Worker\.example\.com': 'spec\.template'/),
  ]);
});

it.each<[string, object, string]>([
  ['an affinity', { affinity: pulumi.output({}) }, 'affinity'],
  [
    'tolerations',
    { agents: [{ tolerations: [{ key: pulumi.output('a'), operator: 'Exists' }] }] },
    'agents[0].tolerations',
  ],
  ['containers that are not known', { pod: { containers: pulumi.output([]) } }, 'pod.containers'],
])('warns of a kind that is not known and has %s', (_, spec, path) => {
  const worker = { apiVersion: 'example.com/v1', kind: `Worker${path.length}`, metadata: { name: 'web' }, spec };
  expect(transformed(worker)).toBeUndefined();
  expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining(`it: spec.${path}: `)]);
});

const TERMS = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };

it.each<[string, object, string[]]>([
  ['an affinity', { affinity: { podAntiAffinity: TERMS } }, ['it: spec.affinity: ']],
  ['nothing of Pods', { affinity: {}, replicas: 1 }, []],
])('warns of a kind that is not known when it is known that it has %s', async (_, spec, warned) => {
  const worker = { apiVersion: 'example.com/v1', kind: `Late${warned.length}`, metadata: { name: 'web' } };
  expect(transformed({ ...worker, spec: pulumi.output(spec) })).toBeUndefined();
  expect(transformed({ ...worker, metadata: pulumi.output({}), spec: pulumi.output({}) }, { names: ['web'] })).toBe(
    undefined,
  );
  await new Promise(setImmediate);
  expect(warn.mock.calls.map(([text]) => text)).toEqual(warned.map((text) => expect.stringContaining(text)));
});

it('warns of the text of a ConfigMap when it is known', async () => {
  const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'a', image: 'b' }] } });
  const map = (data: unknown): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data });
  expect(transformed(map({ plain: pod, other: pulumi.output('text') }))).toBeUndefined();
  expect(transformed(map({ late: pulumi.output(pod) }))).toBeUndefined();
  expect(transformed(map(pulumi.output({ all: pod })))).toBeUndefined();
  expect(transformed(map({ late: pulumi.output('text') }))).toBeUndefined();
  await new Promise(setImmediate);
  expect(warn.mock.calls.map(([text]) => text)).toEqual(
    ['plain', 'late', 'all'].map((field) => expect.stringMatching(`^EDGE_NOT_EXCLUDED it: data.${field}: `)),
  );
});

it('refuses a workload that requires host-network nodes, or skips it on request', () => {
  const contradiction = deployment({ nodeSelector: { 'nodepool.openyurt.io/hostnetwork': 'true' } });
  expect(codesOf(() => transformed(contradiction))).toEqual(['EDGE_CONTRADICTION']);
  expect(transformed(contradiction, { onContradiction: 'skip' })).toBeUndefined();
});

it('needs known values only for its filter', () => {
  const late = { ...deployment(), metadata: { name: 'web', labels: { tier: pulumi.output('a') } } };
  expect(codesOf(() => transformed(late, { labels: { tier: 'a' } }))).toEqual(['EDGE_KNOWN_LATER']);
  expect(codesOf(() => transformed({ ...late, metadata: pulumi.output({}) }, { names: ['web'] }))).toContain(
    'EDGE_KNOWN_LATER',
  );
  expect(termsOf(transformed(late, { names: ['web'] }))).toHaveLength(1);
});

it('preserves a value that is unknown at preview', async () => {
  const image = pulumi.secret('registry.example/web');
  const made = transformed(deployment({ containers: [{ name: 'web', image }] }));
  expect(termsOf(made)).toHaveLength(1);
  expect(made.spec.template.spec.containers[0].name).toBe('web');
  expect(await pulumi.isSecret(made.spec.template.spec.containers[0].image)).toBe(true);
});

it('does not change workloads of constructs that determine their nodes', async () => {
  await record(() => {
    const old = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
    new EdgePreconditions('dns', { cluster: old, only: ['coreDnsDaemonSet'] });
    const object = { ...daemonSet(), metadata: { name: 'coredns', namespace: 'kube-system' } };
    expect(transformed(object, undefined, 'dns-daemonset-coredns')).toBeUndefined();
    expect(transformed(object, undefined, 'another')).toBeDefined();
  });
});

it.each<[string, () => unknown, string]>([
  ['no cluster', () => excludeFromHostNetworkPools(untyped(undefined)), 'EDGE_MISSING'],
  ['a word for a list', () => excludeFromHostNetworkPools(cluster, untyped({ kinds: 'DaemonSet' })), 'EDGE_TYPE'],
  [
    'a type of Pulumi',
    () => excludeFromHostNetworkPools(cluster, { kinds: ['kubernetes:apps/v1:Deployment'] }),
    'EDGE_MATCHES_NOTHING',
  ],
  ['a misspelt kind', () => excludeFromHostNetworkPools(cluster, { kinds: ['Deployments'] }), 'EDGE_MATCHES_NOTHING'],
  [
    'a property that is not known',
    () => excludeFromHostNetworkPools(cluster, untyped({ kind: [] })),
    'EDGE_UNKNOWN_PROPERTY',
  ],
])('refuses %s', (_, run, code) => {
  expect(codesOf(run)).toEqual([code]);
});
