/** Cases in which these checks differed from real API servers, and their neighbours. */
import { Testing } from 'cdk8s';
import { HostNetworkWorkload } from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { comparedNumber, matchesNoNode } from '../../src/kubernetes/node-affinity.js';
import { checkSchedulingFields } from '../../src/kubernetes/scheduling-fields.js';
import { tolerates } from '../../src/workloads/pool-selection.js';
import { checkDnsConfig } from '../../src/workloads/pod-dns.js';
import { daemonSet, pool, required, TERMS, untyped } from '../bad-inputs/case.js';

function problemsOf(check: (problems: ProblemList) => void): string[] {
  const problems = new ProblemList();
  check(problems);
  return problems.problems.map(({ code, path }) => `${code} ${path}`);
}

const expression = (operator: unknown, values?: unknown, key: unknown = 'rank'): object =>
  required([{ matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] }]);
const field = (values: unknown): object =>
  required([{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }]);
const preferred = (term: object): object => ({
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const near = (term: unknown, weight?: unknown): object => ({
  affinity: {
    podAntiAffinity:
      weight === undefined
        ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
        : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] },
  },
});
const toleration = (value: unknown): object => ({ tolerations: [value] });
const spread = (...constraints: object[]): object => ({
  topologySpreadConstraints: constraints.map((constraint) => ({
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    ...constraint,
  })),
});

it.each<[string, object]>([
  ['nothing', {}],
  ['null everywhere', { affinity: null, tolerations: null, nodeSelector: null, topologySpreadConstraints: null }],
  ['a selector value that is null', { nodeSelector: { disk: null } }],
  ['Gt with a word, which matches nothing', expression('Gt', ['many'])],
  ['Gt with a number beyond 64 bits, which matches nothing', expression('Gt', ['99999999999999999999'])],
  ['a value that is null', expression('In', [null])],
  ['values that are null', expression('Exists', null)],
  ['a term that is null', required([null])],
  [
    'any text in a preferred term',
    preferred({ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['a b'] }] } }),
  ],
  ['a preferred term without preference', preferred({ weight: 100 })],
  ['a toleration with null', toleration({ key: null, operator: 'Exists', effect: null, value: null })],
  ['a toleration with an empty operator', toleration({ key: 'a', operator: '' })],
  ['a negative time', toleration({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 })],
  ['a term of a Pod affinity', near({ topologyKey: 'zone', labelSelector: null, namespaces: ['shop'] })],
  [
    'a label that is null in a selector',
    spread({ labelSelector: { matchLabels: { app: null }, matchExpressions: null } }),
  ],
  ['a topologyKey that is no label key', spread({ topologyKey: 'a b' })],
  ['policies', spread({ nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore', minDomains: 1 })],
  ['two constraints', spread({}, { whenUnsatisfiable: 'ScheduleAnyway' })],
  ['a selector that is a token', { affinity: { podAffinity: new (class Token {})() } }],
])('accepts %s', (_, spec) => {
  expect(problemsOf((problems) => checkSchedulingFields(untyped(spec), problems))).toEqual([]);
});

it.each<[string, object, string]>([
  ['a selector value that is no label value', { nodeSelector: { disk: 'a b' } }, 'EDGE_LABEL nodeSelector.disk'],
  ['a selector value that is a number', { nodeSelector: { disk: 5 } }, 'EDGE_TYPE nodeSelector.disk'],
  ['a selector key', { nodeSelector: { 'a b': 'x' } }, 'EDGE_LABEL nodeSelector["a b"]'],
  ['Gt with a sign', expression('Gt', ['-5']), `EDGE_AFFINITY ${TERMS}[0].matchExpressions[0].values[0]`],
  ['Lt with two values', expression('Lt', ['1', '2']), `EDGE_AFFINITY ${TERMS}[0].matchExpressions[0].values`],
  ['a node name', field(['Node_A']), `EDGE_AFFINITY ${TERMS}[0].matchFields[0].values[0]`],
  ['two node names', field(['a', 'b']), `EDGE_AFFINITY ${TERMS}[0].matchFields[0].values`],
  [
    'a weight of 0',
    preferred({ preference: {} }),
    'EDGE_AFFINITY affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
  ],
  [
    'a preferred operator',
    preferred({ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
    'EDGE_AFFINITY affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator',
  ],
  [
    'a Pod affinity without topologyKey',
    near({}),
    'EDGE_MISSING affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
  ],
  [
    'a topologyKey',
    near({ topologyKey: 'a b' }, 1),
    'EDGE_LABEL affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey',
  ],
  [
    'a namespace',
    near({ topologyKey: 'zone', namespaces: ['a.b'] }),
    'EDGE_NAME affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaces[0]',
  ],
  [
    'label keys without selector',
    near({ topologyKey: 'zone', matchLabelKeys: ['a'] }),
    'EDGE_MISSING affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys',
  ],
  [
    'a label key on both sides',
    near({ topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['a'], mismatchLabelKeys: ['a'] }),
    'EDGE_AFFINITY affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]',
  ],
  [
    'a toleration of everything, by Equal',
    toleration({ key: null, effect: 'NoSchedule' }),
    'EDGE_TAINT tolerations[0].operator',
  ],
  ['a value with Exists', toleration({ key: 'a', operator: 'Exists', value: 'b' }), 'EDGE_TAINT tolerations[0].value'],
  ['an effect', toleration({ key: 'a', effect: 'noSchedule' }), 'EDGE_TAINT tolerations[0].effect'],
  [
    'a time without NoExecute',
    toleration({ operator: 'Exists', tolerationSeconds: 5 }),
    'EDGE_TAINT tolerations[0].effect',
  ],
  [
    'Gt, which needs a feature gate',
    toleration({ key: 'a', operator: 'Gt', value: '5' }),
    'EDGE_TAINT tolerations[0].operator',
  ],
  ['tolerations that are a map', { tolerations: {} }, 'EDGE_TYPE tolerations'],
  ['a skew of 0', spread({ maxSkew: 0 }), 'EDGE_VALUE topologySpreadConstraints[0].maxSkew'],
  ['an action', spread({ whenUnsatisfiable: null }), 'EDGE_MISSING topologySpreadConstraints[0].whenUnsatisfiable'],
  ['the same constraint twice', spread({}, {}), 'EDGE_DUPLICATE topologySpreadConstraints[1]'],
  [
    'domains of a preference',
    spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 }),
    'EDGE_VALUE topologySpreadConstraints[0].minDomains',
  ],
  ['a policy', spread({ nodeTaintsPolicy: 'honor' }), 'EDGE_VALUE topologySpreadConstraints[0].nodeTaintsPolicy'],
])('refuses %s', (_, spec, expected) => {
  expect(problemsOf((problems) => checkSchedulingFields(untyped(spec), problems))).toEqual([expected]);
});

it.each<[string, object | null, string[]]>([
  ['none', null, []],
  [
    'usual',
    {
      nameservers: ['10.0.0.10', '2001:db8::1'],
      searches: ['a.example.', '_tcp.example'],
      options: [{ name: 'edns0' }],
    },
    [],
  ],
  ['a port', { nameservers: ['10.0.0.10:53'] }, ['EDGE_DNS dnsConfig.nameservers[0]']],
  ['four', { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] }, ['EDGE_DNS dnsConfig.nameservers']],
  ['a search with a space', { searches: ['a b'] }, ['EDGE_DNS dnsConfig.searches[0]']],
  ['an option without name', { options: [{ value: '2' }] }, ['EDGE_MISSING dnsConfig.options[0].name']],
])('judges a dnsConfig: %s', (_, config, expected) => {
  expect(problemsOf((problems) => checkDnsConfig(config, problems.at('dnsConfig')))).toEqual(expected);
});

it.each<[unknown[] | null | undefined]>([[[]], [null], [undefined]])(
  'refuses the empty list of terms %j, also on two pools, where a term is added',
  (terms) => {
    const run = (names: string[]): unknown => {
      const chart = Testing.chart();
      const pools = names.map((name) => pool(chart, name));
      return new HostNetworkWorkload(chart, 'x', untyped({ pools, workload: daemonSet(required(terms)) }));
    };
    for (const names of [['hz'], ['hz', 'bj']]) {
      expect(() => run(names)).toThrow(`EDGE_AFFINITY  workload.spec.template.spec.${TERMS}`);
    }
  },
);

it.each<[object, boolean]>([
  [{ key: 'site', operator: 'Equal', value: 'hz', effect: null }, true],
  [{ key: null, operator: 'Exists', effect: null }, true],
  [{ key: 'site', operator: null, value: 'hz' }, true],
  [{ key: 'site', operator: '', value: 'hz' }, true],
  [{ key: 'site', operator: 'Exists', value: null }, true],
  [{ key: null, operator: null }, false],
  [{ key: 'site', value: null }, false],
  [{ key: 'site', operator: 'Gt', value: 'hz' }, false],
])('the toleration %j tolerates a taint: %s', (given, expected) => {
  expect(tolerates(untyped(given), { key: 'site', value: 'hz', effect: 'NoSchedule' })).toBe(expected);
});

it('knows the terms that match no node', () => {
  const gt = (value: string): any => ({ matchExpressions: [{ key: 'rank', operator: 'Gt', values: [value] }] });
  expect([{}, gt('many'), gt('9223372036854775808')].map(matchesNoNode)).toEqual([true, true, true]);
  expect([gt('5'), gt('9223372036854775807')].map(matchesNoNode)).toEqual([false, false]);
  expect([comparedNumber('+5'), comparedNumber('-5'), comparedNumber('5.0')]).toEqual([5n, -5n, undefined]);
});
