import fc from 'fast-check';
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeWarnings,
  HostNetworkNodePool,
  PoolAdmission,
  type PoolAdmissionProps,
  type PoolGuarantee,
} from 'edge-nodepools';
import type { ValidationAction } from 'edge-nodepools/types';
import { celText, celTexts } from '../../src/admission/cel.js';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { planScope } from '../plan-scope.js';
import { decodeCelText, decodeCelTexts } from '../reference/cel-text.js';
import { runs } from '../depth.js';

const ON_36 = ['1.4', '1.5', '1.6', '1.7', 'none'].map((openYurt) => EdgeCluster.of({ openYurt, kubernetes: '1.36' }));
const WITHOUT_MUTATION = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.30' });

const CHANGES: readonly PoolGuarantee[] = [
  'nodeLabel',
  'annotatedPods',
  'annotatedTemplates',
  'presetNodeName',
  'strict',
  'hostNetworkToleration',
];
const REFUSES: readonly PoolGuarantee[] = ['frozenNodeLabels', 'refusePresetNodeName', 'namespaceGate'];

const failurePolicy = fc.constantFrom('Fail' as const, 'Ignore' as const);
const validationActions = fc.constantFrom<ValidationAction[]>(['Deny'], ['Warn', 'Audit']);

function wanted(guarantees: readonly PoolGuarantee[], settings: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(guarantees.map((guarantee) => [guarantee, fc.oneof(fc.boolean(), settings)])), {
    requiredKeys: [],
  });
}

const refusing = wanted(REFUSES, fc.record({ failurePolicy, validationActions }, { requiredKeys: [] }));
const changing = wanted(CHANGES, fc.record({ failurePolicy }, { requiredKeys: [] }));

// parts of names, so that one prefix is often the start of another
const part = fc.constantFrom('a', 'edge', 'pods', 'ignore', 'pools', 'immutable', 'node', 'label', 'template', '7');
const prefix = fc
  .tuple(part, fc.array(fc.tuple(fc.constantFrom('-', '.'), part), { maxLength: 3 }))
  .map(([first, rest]) => `${first}${rest.map((piece) => piece.join('')).join('')}`);
const namespace = fc.constantFrom('kube-system', 'default', 'ops', 'monitoring');

// every Unicode text: code points, and typical attempts
// like the unit "binary", which lists all of them first
const codePoint = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(
      fc.constantFrom(`'`, `"`, '\\', '\\u0027', `') || true || ('`, '\n', '\r', '\u0000', '\u2028', '\ufeff', '🚀'),
    )
    .map((parts) => parts.join('')),
);
// a name with blanks at its ends or in a row is refused
const group = text.map((value) => value.trim().replace(/\s+/g, ' ')).filter((value) => value !== '');

/** All properties of PoolAdmission in a cluster with both kinds of policy. */
const props: fc.Arbitrary<PoolAdmissionProps> = fc
  .record(
    {
      cluster: fc.constantFrom(...ON_36),
      guarantees: fc.tuple(refusing, changing).map(([some, others]) => ({ ...some, ...others })),
      pools: fc.constantFrom('live' as const, 'listed' as const),
      templates: fc.uniqueArray(fc.constantFrom('daemonsets' as const, 'deployments' as const), { minLength: 1 }),
      breakGlassGroups: fc.uniqueArray(group, { maxLength: 3 }),
      excludedNamespaces: fc.uniqueArray(namespace, { maxLength: 3 }),
      namePrefix: prefix,
      validationActions,
    },
    { requiredKeys: ['cluster'] },
  )
  .filter(({ cluster, pools }) => cluster.hasOpenYurt() || pools !== 'live');

function objectsOf(input: PoolAdmissionProps): any[] {
  return planPoolAdmission(input, planScope()).objects.map(({ object }) => object);
}

const nameOf = ({ kind, metadata }: any): string => `${kind} ${metadata.name}`;
const policiesOf = (objects: any[]): any[] => objects.filter(({ kind }) => kind.endsWith('Policy'));
const bindingOf = (objects: any[], policy: any): any =>
  objects.find(({ kind, spec }) => kind === `${policy.kind}Binding` && spec.policyName === policy.metadata.name);

/** Every path of CEL in a policy. */
function celOf({ spec }: any): string[] {
  const named = [...(spec.matchConditions ?? []), ...(spec.variables ?? []), ...(spec.validations ?? [])];
  const mutations = (spec.mutations ?? []).map((one: any) => one.jsonPatch ?? one.applyConfiguration);
  return [...named, ...mutations].flatMap(({ expression, messageExpression }) =>
    messageExpression === undefined ? [expression] : [expression, messageExpression],
  );
}

// YAML 1.2 c-printable without line breaks and tabs, and without the byte order mark
const PRINTABLE = /^[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

describe('text in CEL', () => {
  it('is printable and can be parsed back for every character of the basic plane, and the first and last ones of the others', () => {
    const points = Array.from({ length: 0x10000 }, (_, point) => point).filter(
      (point) => point < 0xd800 || point > 0xdfff,
    );
    const wrong = [...points, 0x10000, 0x1f680, 0x1ffff, 0x10ffff].filter((point) => {
      const character = String.fromCodePoint(point);
      const literal = celText(character);
      return !PRINTABLE.test(literal) || decodeCelText(literal) !== character;
    });
    expect(wrong).toEqual([]);
  });

  it('can be parsed back for any text', () => {
    fc.assert(
      fc.property(text, (value) => expect(decodeCelText(celText(value))).toBe(value)),
      runs(2000),
    );
    fc.assert(
      fc.property(fc.array(text), (values) => expect(decodeCelTexts(celTexts(values))).toEqual(values)),
      runs(100),
    );
  });

  it('is printable, with bare quotes only at its ends', () => {
    fc.assert(
      fc.property(text, (value) => {
        const literal = celText(value);
        expect(literal).toMatch(PRINTABLE);
        expect(literal).toMatch(/^'(?:[^'\\]|\\.)*'$/u);
      }),
      runs(2000),
    );
  });

  it('has a reference parser that detects a text that ends its literal', () => {
    for (const broken of [`'a'b'`, `'a`, `'a\\'`, `'a\\q'`, `a`, `'a' || 'b'`, `'a\nb'`]) {
      expect(() => decodeCelText(broken)).toThrow();
    }
  });
});

/** Whoever creates a mirror Pod. */
const ONLY_KUBELETS = `request.userInfo.?groups.orValue([]).exists(group, group in ['system:nodes'])`;

describe('the objects of any PoolAdmission', () => {
  it('are deterministic', () => {
    fc.assert(
      fc.property(props, (input) => expect(JSON.stringify(objectsOf(input))).toBe(JSON.stringify(objectsOf(input)))),
      runs(100),
    );
  });

  it('are policies, each beside its binding, which is first if the policy is checked', () => {
    fc.assert(
      fc.property(props, (input) => {
        const objects = objectsOf(input);
        const rest = objects.filter(({ kind }) => kind !== 'ConfigMap');
        expect(rest.length % 2).toBe(0);
        const checked = new Set(
          rest
            .filter(
              ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicyBinding' && /-check$/.test(metadata.name),
            )
            .map(({ spec }) => spec.paramRef.name),
        );
        for (let index = 0; index < rest.length; index += 2) {
          const pair = rest.slice(index, index + 2);
          const isFirst = pair[0].kind === 'MutatingAdmissionPolicyBinding';
          expect(isFirst).toBe(pair[0].kind.startsWith('Mutating') && checked.has(pair[0].metadata.name));
          const [policy, binding] = isFirst ? pair.reverse() : pair;
          expect(policy.kind).toMatch(/^(Validating|Mutating)AdmissionPolicy$/);
          expect(binding.kind).toBe(`${policy.kind}Binding`);
          expect(binding.spec.policyName).toBe(policy.metadata.name);
          expect(binding.apiVersion).toBe(policy.apiVersion);
          // a policy has parameters if and only if its binding has them
          expect(binding.spec.paramRef !== undefined).toBe(policy.spec.paramKind !== undefined);
        }
        // the list precedes the policy that reads it
        expect(objects.findIndex(({ kind }) => kind === 'ConfigMap')).toBeLessThan(
          objects.findIndex(({ metadata }) => metadata.name.endsWith('-node-label')) + 1,
        );
      }),
      runs(100),
    );
  });

  it('have valid unique names with the given prefix', () => {
    fc.assert(
      fc.property(props, (input) => {
        const objects = objectsOf(input);
        expect(new Set(objects.map(nameOf)).size).toBe(objects.length);
        for (const { metadata } of objects) {
          expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
          expect(metadata.name.startsWith(`${input.namePrefix ?? 'edge-nodepools'}-`)).toBe(true);
        }
      }),
      runs(100),
    );
    const longest = objectsOf({
      cluster: ON_36[3] as EdgeCluster,
      namePrefix: 'x'.repeat(200),
      pools: 'listed',
      guarantees: {
        ...Object.fromEntries([...CHANGES, ...REFUSES].map((guarantee) => [guarantee, true])),
        strict: { failurePolicy: 'Ignore' },
      },
    });
    longest.forEach(({ metadata }) => expect(metadata.name.length).toBeLessThanOrEqual(253));
  });

  it('have no name in common with those of another prefix', () => {
    fc.assert(
      fc.property(props, props, prefix, prefix, (one, other, first, second) => {
        fc.pre(first !== second);
        const names = new Set(objectsOf({ ...one, namePrefix: first }).map(nameOf));
        const shared = objectsOf({ ...other, namePrefix: second }).filter((object) => names.has(nameOf(object)));
        expect(shared).toEqual([]);
      }),
      runs(100),
    );
  });

  it('do not apply to break-glass groups, and apply to all other users', () => {
    fc.assert(
      fc.property(props, fc.uniqueArray(group, { minLength: 1, maxLength: 3 }), (input, breakGlassGroups) => {
        for (const policy of policiesOf(objectsOf({ ...input, breakGlassGroups }))) {
          const { spec } = policy;
          // a controller, which is in no group, creates the Pods of a template; and what is applied again was changed already
          if (
            spec.matchConstraints.resourceRules[0].apiGroups.includes('apps') ||
            policy.metadata.name.endsWith('-pods-applied-again')
          ) {
            expect(celOf(policy).join()).not.toContain('userInfo');
            continue;
          }
          // first, so that no other condition is evaluated; or audited: no validation fails for the groups
          const { auditAnnotations, variables, validations } = spec;
          const [condition] =
            auditAnnotations === undefined
              ? spec.matchConditions
              : variables.filter(({ name }: any) => name === 'breaksGlass');
          const [, list] = /^!?request\.userInfo\.\?groups\.orValue\(\[\]\)\.exists\(group, group in (.*)\)$/su.exec(
            condition.expression,
          ) as RegExpExecArray;
          expect([condition.name, condition.expression.startsWith('!')]).toEqual(
            auditAnnotations === undefined ? ['no-break-glass', true] : ['breaksGlass', false],
          );
          if (auditAnnotations !== undefined) {
            expect(validations.every(({ expression }: any) => expression.startsWith('variables.breaksGlass || '))).toBe(
              true,
            );
          }
          expect(decodeCelTexts(list as string)).toEqual(breakGlassGroups);
        }
        for (const policy of policiesOf(objectsOf({ ...input, breakGlassGroups: [] }))) {
          expect(celOf(policy).join().replaceAll(ONLY_KUBELETS, '')).not.toContain('userInfo');
        }
      }),
      runs(100),
    );
  });

  it('do not match Pods and workloads in excluded namespaces', () => {
    fc.assert(
      fc.property(props, fc.uniqueArray(namespace, { minLength: 1 }), (input, excludedNamespaces) => {
        const objects = objectsOf({ ...input, excludedNamespaces });
        for (const policy of policiesOf(objects)) {
          const [{ resources }] = policy.spec.matchConstraints.resourceRules;
          // what has been changed at its creation stays so, also in a namespace that is excluded since
          const isNamespaced =
            !/^(nodes|nodepools)/.test(resources[0]) && !policy.metadata.name.endsWith('pods-applied-again');
          // the agents of kube-system are told apart when they are created, not when they are bound
          const own = resources[0] === 'pods/binding' ? ['kube-system'] : [];
          const values = [...new Set([...excludedNamespaces, ...own])].sort();
          const { matchResources } = bindingOf(objects, policy).spec;
          const [byName, ...byLabel] = matchResources?.namespaceSelector.matchExpressions ?? [];
          expect(byName).toEqual(
            isNamespaced ? { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values } : undefined,
          );
          expect(byLabel.every(({ operator }: any) => operator === 'NotIn')).toBe(true);
        }
      }),
      runs(100),
    );
  });

  it('only refuse with validationActions, of the guarantee or of all', () => {
    fc.assert(
      fc.property(props, (input) => {
        for (const { kind, spec } of objectsOf(input).filter((object) => object.kind.endsWith('Binding'))) {
          expect(spec.validationActions !== undefined).toBe(kind === 'ValidatingAdmissionPolicyBinding');
        }
      }),
      runs(100),
    );
    const [, binding] = objectsOf({
      cluster: WITHOUT_MUTATION,
      validationActions: ['Deny'],
      guarantees: { immutablePools: { validationActions: ['Warn'] } },
    });
    expect(binding.spec.validationActions).toEqual(['Warn']);
  });
});

describe('any fleet with PoolAdmission', () => {
  const pools = fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), hostNetwork: fc.boolean(), isBefore: fc.boolean() }),
    { maxLength: 6, selector: ({ name }) => name },
  );
  const others = fc.uniqueArray(fc.stringMatching(/^[a-z]{9}$/), { maxLength: 3 });

  it('lists the host-network pools of the tree, declared earlier or later, and those created elsewhere', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ON_36), pools, others, fc.boolean(), (cluster, declared, otherPools, twice) => {
        const app = new App();
        EdgeWarnings.setMode(app, 'silent');
        const chart = new Chart(app, 'fleet');
        const declare = (isBefore: boolean): void => {
          for (const { name, hostNetwork } of declared.filter((pool) => pool.isBefore === isBefore)) {
            const Pool = hostNetwork ? HostNetworkNodePool : RegularNodePool;
            new Pool(chart, name, { cluster, poolName: name });
          }
        };
        declare(true);
        new PoolAdmission(chart, 'admission', { cluster, pools: 'listed', otherPools });
        declare(false);
        const objects = Testing.synth(chart);
        expect(JSON.stringify(twice ? Testing.synth(chart) : objects)).toBe(JSON.stringify(objects));
        const names = [...declared.filter(({ hostNetwork }) => hostNetwork).map(({ name }) => name), ...otherPools];
        const { spec } = objects.find(
          ({ kind, metadata }: any) => kind.endsWith('Policy') && metadata.name === 'edge-nodepools-node-label',
        );
        expect(spec.variables[0].expression.split(' in ')[1]).toBe(
          `[${[...new Set(names)]
            .sort()
            .map((name) => `'${name}'`)
            .join(', ')}]`,
        );
      }),
      runs(50),
    );
  });
});
